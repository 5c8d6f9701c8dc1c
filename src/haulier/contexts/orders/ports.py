"""Ports of orders: routes, carriers, products, stock and depots.

Implemented by higher contexts.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Protocol

from msgspec import Struct
from sqlalchemy import ColumnElement

from haulier.contexts.orders.quotes.contract import QuoteDelivery
from haulier.kernel.call import Call
from haulier.kernel.values.geography import LatLng
from haulier.kernel.values.money import Money


class OrderPlacement(Struct, frozen=True, kw_only=True):
    """Route and driver of an order, and its next visit.

    The last visit once all are finished.
    """

    route_id: int
    driver_id: int | None
    driver_name: str | None
    stop_number: int
    """Number of the stop on the route, from 1."""
    planned_arrival_at: datetime | None


class OrderRoutes(Protocol):
    """The routes on which orders stand."""

    def places_column(self, order_id: ColumnElement[int]) -> ColumnElement[Any]:
        """Return a column with an order's visits on its route, for `read_placement`."""
        ...

    def read_placement(self, places: Collection[Mapping[str, Any]]) -> OrderPlacement | None:
        """Return the position of an order from its `places_column`, or None on no route."""
        ...

    async def get_placements(self, call: Call, order_ids: Collection[int]) -> Mapping[int, OrderPlacement]:
        """Where each order stands; one that stands on no route is absent. One statement."""
        ...

    async def lock(self, call: Call, order_ids: Collection[int]) -> None:
        """Lock the routes of these orders until the transaction ends."""
        ...

    async def remove(self, call: Call, order_ids: Collection[int]) -> None:
        """Remove orders from their routes.

        On a route under way, their stops are cancelled and loaded goods are to come back.
        """
        ...

    async def get_holders(self, call: Call, order_ids: Collection[int]) -> Mapping[int, int]:
        """Return the contractors that hold orders by an assignment, by order."""
        ...

    async def assign(self, call: Call, order_id: int, contractor_id: int) -> None:
        """Assign an order to a contractor, who held the one that it replaces."""
        ...

    async def reopen(self, call: Call, order_id: int, reason: str) -> bool:
        """Reopen the stop of an undone delivery.

        Returns False if its route is finished; the stop then counts as failed.
        """
        ...

    async def find_reopenable(self, call: Call, order_ids: Collection[int]) -> Collection[int]:
        """Return the orders with a failed stop on a route under way.

        One or two statements.
        """
        ...

    async def send_back(self, call: Call, order_id: int) -> bool:
        """Return goods in a vehicle to their sender once it is at the depot.

        Returns False if no vehicle has them.
        """
        ...

    async def end_assignments(self, call: Call, order_ids: Collection[int]) -> None:
        """End the assignments of cancelled orders to contractors."""
        ...


class SkillCatalogue(Protocol):
    """The skills that drivers can have."""

    async def find_unknown_skills(self, call: Call, codes: Collection[str]) -> frozenset[str]:
        """Return the skill codes that are not in the client's catalogue."""
        ...


class KnownProduct(Struct, frozen=True, kw_only=True):
    """A product that lines of orders can name."""

    id: int
    sku: str
    name: str
    weight_g: int
    """Weight of one unit in grams; 0 if unknown."""


class ProductCatalogue(Protocol):
    """The products of the warehouse. Missing where that module is not loaded."""

    async def find_products(self, call: Call, skus: Collection[str]) -> Mapping[str, KnownProduct]:
        """Return the products with these SKUs. One statement."""
        ...


class PickedStock(Protocol):
    """The stock of orders. Missing where the warehouse module is not loaded."""

    async def is_picked(self, call: Call, tracking_number: str) -> bool:
        """Return True if stock was picked, packed or shipped for an order."""
        ...


class BackorderStock(Protocol):
    """The stock of divided orders. Missing where the warehouse module is not loaded."""

    async def find_short(self, call: Call, order_id: int) -> Mapping[int, int]:
        """Return the units of an order that no warehouse has, by product."""
        ...

    async def move(self, call: Call, source_id: int, target_id: int) -> None:
        """Move reserved units that an order no longer needs to another order.

        The exceptions of both orders follow. Items that are picked stay with the order.
        """
        ...


class OpenShortage(Struct, frozen=True, kw_only=True):
    """Units that an order lost, or that no warehouse has, and the user who handles it."""

    id: int
    order_id: int
    sku: str
    quantity: int
    owner_id: int | None
    note: str | None
    created_at: datetime


class OrderShortages(Protocol):
    """Open stock shortages. Missing where the warehouse module is not loaded."""

    async def list_open(self, call: Call, order_ids: Collection[int]) -> Sequence[OpenShortage]:
        """Return the open shortages of orders, oldest first. At most two statements."""
        ...


class OrderShelf(Struct, frozen=True, order=True):
    """The first warehouse location of an order's goods, compared in walking order."""

    warehouse_id: int
    walk_order: int
    code: str


class ShelvesOfOrders(Protocol):
    """The shelves of orders. Missing where the warehouse module is not loaded."""

    async def get_shelves(self, call: Call, order_ids: Collection[int]) -> Mapping[int, OrderShelf]:
        """Return the first shelf of the stock reserved for orders. One statement."""
        ...


class ReturnedPieces(Struct, frozen=True, kw_only=True):
    """Returned units to put into stock. `grade` is a_grade, b_grade or damaged."""

    sku: str
    quantity: int
    grade: str
    location_id: int
    lot: str | None
    serial: str | None
    expires_on: date | None


class ReturnedStock(Protocol):
    """Stock for returned goods. Missing where the warehouse module is not loaded."""

    async def put_back(self, call: Call, pieces: Sequence[ReturnedPieces], reference: str) -> None:
        """Put returned units into stock: all, or none.

        Raises an `OperationError` whose fields name a piece as `lines.<position>`.
        """
        ...


class PickupDepot(Struct, frozen=True, kw_only=True):
    """A depot where customers can collect orders."""

    id: int
    name: str
    address: str
    lat: float
    lng: float
    closed: bool


class DepotPlaces(Protocol):
    """Where the depots of the fleet are."""

    async def get_depots(self, call: Call, depot_ids: Collection[int]) -> Mapping[int, PickupDepot]:
        """Return depots of the client by id, closed ones included. One statement."""
        ...

    async def list_depot_places(self, call: Call) -> Sequence[LatLng]:
        """Return the coordinates of the client's open depots. At most one statement."""
        ...


class OrderShipment(Struct, frozen=True, kw_only=True):
    """A carrier's shipment attached to an order.

    `live` is false once its label is voided. `status` is a status of fulfilments.
    """

    id: int
    order_id: int
    status: str
    live: bool
    bought: bool
    """True if the carrier sold the label."""
    customer_id: int | None
    carrier: str | None
    service: str | None
    numbers: tuple[str, ...]
    """Tracking numbers of its parcels, in label order."""
    promised_by: datetime | None
    price_minor: int | None
    cost_minor: int | None
    currency: str | None
    created_at: datetime
    updated_at: datetime


class OrderShipments(Protocol):
    """Carriers' shipments of orders. Missing where the shipping module is not loaded."""

    async def list_of_orders(self, call: Call, order_ids: Collection[int]) -> Sequence[OrderShipment]:
        """Return the shipments attached to orders, newest first. Two statements."""
        ...


class OrderFreight(Protocol):
    """Freight shipments of orders. Missing where the shipping module is not loaded."""

    async def list_of_orders(self, call: Call, order_ids: Collection[int]) -> Sequence[OrderShipment]:
        """Return the freight shipments of orders, newest first. One statement."""
        ...


class PartnerHold(Struct, frozen=True, kw_only=True):
    """The accepted offer through which a partner has an order."""

    offer_id: int
    partner: str


class PartnerHolds(Protocol):
    """Orders that partners have. Missing where the module of partners is not loaded."""

    async def get_holds(self, call: Call, order_ids: Collection[int]) -> Mapping[int, PartnerHold]:
        """Return the holds of orders, by order. One statement."""
        ...


class PartnerRate(Struct, frozen=True, kw_only=True):
    """Price of a partner's service for an order, by the partner's rate card."""

    partnership_id: int
    partner: str
    service: str
    service_name: str
    price: Money
    expires_at: datetime


class PartnerQuotes(Struct, frozen=True, kw_only=True):
    """Rates of partners for an order, and the codes of partners without one."""

    rates: Sequence[PartnerRate]
    not_shared: Sequence[str]
    """Partners that share no rates."""
    not_served: Sequence[str]
    """Partners that have no rate for the order."""


class PartnerRates(Protocol):
    """Rates of partners. Missing where the module of partners is not loaded."""

    async def quote(self, call: Call, order_id: int, delivery: QuoteDelivery) -> PartnerQuotes:
        """Return the rates of the first 20 partners."""
        ...


class LockerPlace(Struct, frozen=True, kw_only=True):
    """The locker that an order goes to or is in."""

    name: str
    """Pickup site, and cabinet and compartment if they are known."""
    parcel_id: int | None


class OrderLockers(Protocol):
    """Locker deliveries of orders. Missing where the lockers module is not loaded."""

    async def get_places(self, call: Call, order_ids: Collection[int]) -> Mapping[int, LockerPlace]:
        """Return the lockers of orders, by order. One statement."""
        ...
