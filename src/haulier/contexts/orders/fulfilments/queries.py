"""Fulfilments of an order, derived from the records of its carriers.

See docs/decisions/orders.md.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, TypeVar

from msgspec import UNSET, Struct
from msgspec.structs import replace

from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.orders.backorders.queries import OrderPart, list_order_parts
from haulier.contexts.orders.delivery_orders.queries.order_facts import (
    OrderPiece,
    find_orders_by_reference,
    list_order_pieces,
)
from haulier.contexts.orders.delivery_orders.queries.order_goods import GoodsLine, load_order_goods
from haulier.contexts.orders.delivery_orders.queries.order_labels import list_shipments_of_orders
from haulier.contexts.orders.delivery_orders.queries.pickups import get_pickup_depots
from haulier.contexts.orders.delivery_orders.queries.visible_orders import get_visible_order, list_orders_by_id
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.orders.fulfilments.contract import FulfilmentPackage, OrderFulfilment
from haulier.contexts.orders.fulfilments.rules import (
    ORDER_HAS_HOLDER,
    ORDER_HAS_ROUTE,
    ORDER_HAS_SHIPMENT,
    ORDER_IN_LOCKER,
    Direction,
    FulfilmentMethod,
    FulfilmentStatus,
    find_method,
    own_status,
    shipment_status,
)
from haulier.contexts.orders.order_returns.queries import ReturnOfOrder, list_returns_of
from haulier.contexts.orders.order_returns.rules import OrderReturnState
from haulier.contexts.orders.ports import (
    LockerPlace,
    OrderFreight,
    OrderLockers,
    OrderPlacement,
    OrderRoutes,
    OrderShipment,
    PartnerHold,
    PartnerHolds,
    PartnerQuotes,
    PartnerRates,
    PickupDepot,
)
from haulier.contexts.orders.quotes.contract import QuoteDelivery
from haulier.contexts.otep.public import TrackingEvent
from haulier.contexts.tracking.public import find_timelines
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, Account, PriceFamily
from haulier.kernel.operations.errors import OperationError

OfOrder = TypeVar("OfOrder", OrderPiece, OrderShipment)
Latest = Mapping[str, TrackingEvent]
"""Latest event of each tracking number."""


async def _list_freight_of_orders(call: Call, order_ids: Sequence[int]) -> Sequence[OrderShipment]:
    """Return the freight shipments of orders, newest first; none without the module."""
    freight = call.app.find_adapter(OrderFreight)
    return await freight.list_of_orders(call, order_ids) if freight else ()


class _Carried(Struct, frozen=True, kw_only=True):
    """Records that carry out some orders, by order."""

    pieces: Mapping[int, Sequence[OrderPiece]]
    shipments: Mapping[int, Sequence[OrderShipment]]
    freight: Mapping[int, Sequence[OrderShipment]]
    lockers: Mapping[int, LockerPlace]
    holds: Mapping[int, PartnerHold]
    placements: Mapping[int, OrderPlacement]
    contractors: Mapping[int, str]
    depots: Mapping[int, PickupDepot]
    latest: Latest


async def check_not_carried(call: Call, order: Any) -> OperationError | None:
    """Return the error of an order that is with a driver, carrier or other holder."""
    carried = await _load_carried(call, [order])
    if order.third_party_held or order.contractor_id is not None or order.partner_offer_id is not None:
        return ORDER_HAS_HOLDER()
    if placement := carried.placements.get(order.id):
        return ORDER_HAS_ROUTE(route_id=placement.route_id)
    if order.id in carried.lockers:
        return ORDER_IN_LOCKER(order_id=order.id)
    labels = (*carried.shipments.get(order.id, ()), *carried.freight.get(order.id, ()))
    live = next((each for each in labels if each.live), None)
    return ORDER_HAS_SHIPMENT(shipment_id=live.id) if live else None


async def list_fulfilments_of_order(call: Call, order_id: int) -> list[OrderFulfilment]:
    """Return the fulfilments of all parts of a visible order, and of its returns.

    Raises `NOT_FOUND`. The number of statements does not depend on the number of parts and returns.
    """
    order = await get_visible_order(call, order_id)
    parts = await list_order_parts(call, order.id)
    returns = await list_returns_of(call, [part.order_id for part in parts])
    return_ids = [each.return_order_id for each in returns if each.return_order_id is not None]
    others = [part.order_id for part in parts if part.order_id != order.id]
    carriers = {row.id: row for row in await list_orders_by_id(call, [*others, *return_ids])} | {order.id: order}
    carried = await _load_carried(call, list(carriers.values()))
    found = [
        replace(each, **_part_fields(part))
        for part in parts
        for each in _fulfilments_of(call, carriers[part.order_id], carried)
    ]
    for each in returns:
        row = carriers.get(each.return_order_id or 0)
        back = [_drop_off(call, each)] if row is None else _fulfilments_of(call, row, carried)
        found += [replace(part, direction=Direction.RETURN.value, order_return_id=each.id) for part in back]
    return sorted(found, key=lambda each: not each.current)


def _part_fields(part: OrderPart) -> dict[str, Any]:
    return {
        "part_number": part.number,
        "part_count": part.total,
        "backorder_id": part.backorder_id,
        "expected_on": part.expected_on,
    }


async def _load_carried(call: Call, orders: Sequence[Any]) -> _Carried:
    ids = [order.id for order in orders]
    pieces = _by_order(await list_order_pieces(call, ids))
    shipments = _by_order(await list_shipments_of_orders(call, ids))
    numbers = {piece.tracking_number for each in pieces.values() for piece in each}
    numbers |= {number for each in shipments.values() for shipment in each for number in shipment.numbers}
    lockers, partners = call.app.find_adapter(OrderLockers), call.app.find_adapter(PartnerHolds)
    contractors = {order.contractor_id for order in orders if order.contractor_id}
    users = await get_users_by_id(call, sorted(contractors)) if contractors else {}
    return _Carried(
        pieces=pieces,
        shipments=shipments,
        freight=_by_order(await _list_freight_of_orders(call, ids)),
        lockers=await lockers.get_places(call, ids) if lockers else {},
        holds=await partners.get_holds(call, ids) if partners else {},
        placements=await call.adapter(OrderRoutes).get_placements(call, ids),
        depots=await get_pickup_depots(call, orders),
        contractors={id: user.name for id, user in users.items()},
        latest=await _load_latest_events(call, numbers),
    )


def _by_order(records: Sequence[OfOrder]) -> dict[int, list[OfOrder]]:
    found: dict[int, list[OfOrder]] = {}
    for each in records:
        found.setdefault(each.order_id, []).append(each)
    return found


def _fulfilments_of(call: Call, order: Any, carried: _Carried) -> list[OrderFulfilment]:
    pieces, shipments = carried.pieces.get(order.id, ()), carried.shipments.get(order.id, ())
    freight = carried.freight.get(order.id, ())
    own = [] if any(each.live for each in (*shipments, *freight)) else [_own_fulfilment(call, order, carried)]
    labels = [_shipment_fulfilment(call, order, each, pieces, carried.latest) for each in shipments]
    return [*own, *labels, *(_freight_fulfilment(call, order, each) for each in freight)]


STATUS_OF_RETURN = {
    OrderReturnState.OPEN: FulfilmentStatus.WAITING,
    OrderReturnState.INSPECTED: FulfilmentStatus.RETURNED,
    OrderReturnState.CANCELLED: FulfilmentStatus.CANCELLED,
}


def _drop_off(call: Call, each: ReturnOfOrder) -> OrderFulfilment:
    """Return the fulfilment of a return that the customer brings."""
    return OrderFulfilment(
        id=f"return-{each.id}",
        order_id=each.order_id,
        direction=Direction.RETURN.value,
        method=FulfilmentMethod.DROP_OFF.value,
        status=STATUS_OF_RETURN[each.state].value,
        current=each.state is not OrderReturnState.CANCELLED,
        carried_by=None,
        service=None,
        tracking_numbers=[],
        packages=[],
        promised_by=None,
        price_family=PriceFamily.LOCAL_DELIVERY,
        created_at=call.local_time(each.created_at),
        updated_at=call.local_time(each.updated_at),
    )


async def _load_latest_events(call: Call, numbers: set[str]) -> dict[str, TrackingEvent]:
    timelines = await find_timelines(call.work, numbers)
    told = {number: [event for event in found.events if not event.late] for number, found in timelines.items()}
    return {number: events[-1] for number, events in told.items() if events}


def _package(
    call: Call, number: int, piece: OrderPiece | None, tracking_number: str, latest: Latest
) -> FulfilmentPackage:
    event = latest.get(tracking_number)
    return FulfilmentPackage(
        number=number,
        package_id=piece and piece.id,
        tracking_number=tracking_number,
        weight_g=piece and piece.weight_g,
        tracking_status=event and event.status_code,
        place=_place(event),
        tracked_at=call.local_time(event.occurred_at) if event else None,
    )


def _place(event: TrackingEvent | None) -> str | None:
    """Return city and country of an event; never a street."""
    if event is None or not event.location:
        return None
    parts = (event.location.city, event.location.country)
    return ", ".join(part for part in parts if part) or None


def _own_fulfilment(call: Call, order: Any, carried: _Carried) -> OrderFulfilment:
    """Return the fulfilment of an order without a live label."""
    pieces, locker = carried.pieces.get(order.id, ()), carried.lockers.get(order.id)
    method = find_method(
        order.fulfilment,
        third_party_held=bool(order.third_party_held),
        contractor_id=order.contractor_id,
        in_locker=locker is not None,
    )
    depot = carried.depots.get(order.pickup_depot_id or 0)
    status, price = OrderStatus(order.status), order.price or {}
    created_at: datetime = order.created_at
    updated_at: datetime = order.updated_at
    return OrderFulfilment(
        id=f"order-{order.id}",
        order_id=order.id,
        direction=Direction.OUTBOUND.value,
        method=method.value,
        status=own_status(status, held=bool(order.third_party_held), ready=order.pickup_ready_at is not None).value,
        current=status is not OrderStatus.CANCELLED,
        service=price.get("service"),
        tracking_numbers=[piece.tracking_number for piece in pieces],
        packages=[
            _package(call, number, piece, piece.tracking_number, carried.latest)
            for number, piece in enumerate(pieces, 1)
        ],
        promised_by=call.local_time(order.window_end),
        locker_parcel_id=locker and locker.parcel_id,
        locker=locker and locker.name,
        pickup_depot_id=order.pickup_depot_id,
        pickup_depot=depot and depot.name,
        pickup_until=order.pickup_until,
        price_family=PriceFamily.LOCAL_DELIVERY,
        shipping_price=price.get("total", UNSET),
        currency=price.get("currency", UNSET),
        created_at=call.local_time(created_at),
        updated_at=call.local_time(updated_at),
        **_carrier_fields(call, order, method, carried),
    )


def _carrier_fields(call: Call, order: Any, method: FulfilmentMethod, carried: _Carried) -> dict[str, Any]:
    """Return the carrier's name and records, which customers do not see."""
    if call.principal.account is Account.CUSTOMER:
        return {"carried_by": None}
    placement, hold = carried.placements.get(order.id), carried.holds.get(order.id)
    name = placement and placement.driver_name
    if method is FulfilmentMethod.PARTNER:
        name = hold and hold.partner
    elif method is FulfilmentMethod.CONTRACTOR:
        name = carried.contractors.get(order.contractor_id)
    return {
        "carried_by": name,
        "route_id": placement and placement.route_id,
        "stop_number": placement and placement.stop_number,
        "driver_id": placement and placement.driver_id,
        "contractor_id": order.contractor_id,
        "partner_offer_id": hold and hold.offer_id,
    }


def _shipment_fulfilment(
    call: Call, order: Any, shipment: OrderShipment, pieces: Sequence[OrderPiece], latest: Latest
) -> OrderFulfilment:
    matching = pieces if len(pieces) == len(shipment.numbers) else [None] * len(shipment.numbers)
    office, own = call.principal.account in OFFICE, shipment.customer_id == call.actor
    status = shipment_status(FulfilmentStatus(shipment.status), OrderStatus(order.status), live=shipment.live)
    return OrderFulfilment(
        id=f"shipment-{shipment.id}",
        order_id=order.id,
        direction=Direction.OUTBOUND.value,
        method=FulfilmentMethod.CARRIER.value,
        status=status.value,
        current=shipment.live,
        carried_by=shipment.carrier,
        service=shipment.service,
        tracking_numbers=list(shipment.numbers),
        packages=[
            _package(call, place, piece, number, latest)
            for place, (number, piece) in enumerate(zip(shipment.numbers, matching, strict=True), 1)
        ],
        promised_by=call.local_time(shipment.promised_by),
        shipment_id=shipment.id,
        price_family=PriceFamily.LABEL_SERVICE,
        shipping_price=shipment.price_minor if office or own else UNSET,
        currency=shipment.currency if office or own else UNSET,
        carrier_price_minor=shipment.cost_minor if office else UNSET,
        created_at=call.local_time(shipment.created_at),
        updated_at=call.local_time(shipment.updated_at),
    )


def _freight_fulfilment(call: Call, order: Any, freight: OrderShipment) -> OrderFulfilment:
    shown = call.principal.account in OFFICE or freight.customer_id == call.actor
    return OrderFulfilment(
        id=f"freight-{freight.id}",
        order_id=order.id,
        direction=Direction.OUTBOUND.value,
        method=FulfilmentMethod.FREIGHT.value,
        status=freight.status,
        current=freight.live,
        carried_by=freight.carrier,
        service=freight.service,
        tracking_numbers=list(freight.numbers),
        packages=[],
        promised_by=call.local_time(freight.promised_by),
        freight_shipment_id=freight.id,
        price_family=PriceFamily.LTL_SERVICE,
        shipping_price=freight.price_minor if shown else UNSET,
        currency=freight.currency if shown else UNSET,
        created_at=call.local_time(freight.created_at),
        updated_at=call.local_time(freight.updated_at),
    )


NO_PARTNERS = PartnerQuotes(rates=(), not_shared=(), not_served=())


async def quote_partners(call: Call, order_id: int, request: QuoteDelivery) -> PartnerQuotes:
    """Return the rates of partners that can take an order."""
    partners = call.app.find_adapter(PartnerRates)
    return await partners.quote(call, order_id, request) if partners else NO_PARTNERS


class ShippableOrder(Struct, frozen=True, kw_only=True):
    """An order with all that a parcel carrier needs to know, and its other carriers."""

    id: int
    order_ref: str | None
    type: str
    status: OrderStatus
    fulfilment: str
    customer_id: int | None
    has_holder: bool
    """True if a contractor or partner has it."""
    route_id: int | None
    shipper: Mapping[str, Any] | None
    consignee: Mapping[str, Any] | None
    signature_required: bool
    service: str
    """Service of the rate card."""
    price_minor: int | None
    """Price of local delivery in minor units of the business's currency."""
    scheduled_date: date | None
    window_end: datetime | None
    goods_currency: str | None
    pieces: Sequence[OrderPiece]
    goods: Sequence[GoodsLine]


async def get_shippable_order(call: Call, order_id: int, *, lock: bool = False) -> ShippableOrder:
    """Return an order that the caller may see, to ship it. Raises `NOT_FOUND`."""
    row = await get_visible_order(call, order_id, lock=lock)
    goods, price = await load_order_goods(call, row.id), row.price or {}
    placement = (await call.adapter(OrderRoutes).get_placements(call, [row.id])).get(row.id)
    return ShippableOrder(
        id=row.id,
        order_ref=row.order_ref,
        type=row.type,
        status=OrderStatus(row.status),
        fulfilment=row.fulfilment,
        customer_id=row.customer_id,
        has_holder=row.contractor_id is not None or bool(row.third_party_held),
        route_id=placement and placement.route_id,
        shipper=row.shipper,
        consignee=row.consignee,
        signature_required=bool(price.get("signature_required")),
        service=price.get("service", "standard"),
        price_minor=price.get("total"),
        scheduled_date=row.scheduled_date,
        window_end=row.window_end,
        goods_currency=row.goods_currency,
        pieces=await list_order_pieces(call, [row.id]),
        goods=goods.lines,
    )


async def find_order_of_customer(call: Call, customer_id: int | None, order_ref: str) -> int | None:
    """Return the order of a customer with a reference, or None."""
    found = await find_orders_by_reference(call, order_ref)
    return next((each.id for each in found if each.order_ref == order_ref and each.customer_id == customer_id), None)
