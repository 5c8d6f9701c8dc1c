"""Where orders stand on routes, a port of orders. Routes, a higher context, implement it."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from msgspec import Struct
from sqlalchemy import ColumnElement

from haulier.kernel.call import Call
from haulier.kernel.values.geography import LatLng


class OrderPlacement(Struct, frozen=True, kw_only=True):
    """The route on which an order stands, who drives it, and the next visit to the order; the last once all are over."""

    route_id: int
    driver_id: int | None
    driver_name: str | None
    stop_number: int
    """Which stop of the route, from 1."""
    planned_arrival_at: datetime | None


class OrderRoutes(Protocol):
    """The routes on which orders stand."""

    def places_column(self, order_id: ColumnElement[int]) -> ColumnElement[Any]:
        """A column for statements on orders: the visits to an order on its route, which `read_placement` reads."""
        ...

    def read_placement(self, places: Collection[Mapping[str, Any]]) -> OrderPlacement | None:
        """Where the order stands whose row has these in its `places_column`; None on no route."""
        ...

    async def get_placements(self, call: Call, order_ids: Collection[int]) -> Mapping[int, OrderPlacement]:
        """Where each order stands; one that stands on no route is absent. One statement."""
        ...

    async def lock(self, call: Call, order_ids: Collection[int]) -> None:
        """Lock the routes of these orders until the transaction ends."""
        ...

    async def remove(self, call: Call, order_ids: Collection[int]) -> None:
        """Take orders off their routes. On one under way their stops are cancelled; what is aboard is to be brought back."""
        ...

    async def get_holders(self, call: Call, order_ids: Collection[int]) -> Mapping[int, int]:
        """The contractors who hold orders by an assignment; an order that nobody holds is absent."""
        ...

    async def assign(self, call: Call, order_id: int, contractor_id: int) -> None:
        """Assign an order to a contractor, who held the one that it replaces."""
        ...

    async def reopen(self, call: Call, order_id: int, reason: str) -> bool:
        """Open the stop of a delivery that never was. False where its route is over: the stop then counts as failed."""
        ...

    async def find_reopenable(self, call: Call, order_ids: Collection[int]) -> Collection[int]:
        """Return the orders with a failed stop on a route under way. One or two statements."""
        ...

    async def send_back(self, call: Call, order_id: int) -> bool:
        """Have goods that are in a vehicle returned to their sender once it is at the depot. False where none has them."""
        ...

    async def end_assignments(self, call: Call, order_ids: Collection[int]) -> None:
        """End the assignments of cancelled orders to contractors."""
        ...


class SkillCatalogue(Protocol):
    """The skills that drivers can have."""

    async def find_unknown_skills(self, call: Call, codes: Collection[str]) -> frozenset[str]:
        """Those of some codes that are not in the client's catalogue of skills."""
        ...


class DepotPlaces(Protocol):
    """Where the depots of the fleet are."""

    async def list_depot_places(self, call: Call) -> Sequence[LatLng]:
        """Return the coordinates of the client's open depots. At most one statement."""
        ...
