"""Fulfilments of an order, derived from the records of its carriers.

See docs/decisions/orders.md.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from msgspec import UNSET, Struct

from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.orders.delivery_orders.queries.order_facts import (
    OrderPiece,
    find_orders_by_reference,
    list_order_pieces,
)
from haulier.contexts.orders.delivery_orders.queries.order_goods import GoodsLine, load_order_goods
from haulier.contexts.orders.delivery_orders.queries.visible_orders import get_visible_order
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.orders.fulfilments.contract import FulfilmentPackage, OrderFulfilment
from haulier.contexts.orders.fulfilments.rules import (
    FulfilmentMethod,
    FulfilmentStatus,
    find_method,
    own_status,
    shipment_status,
)
from haulier.contexts.orders.ports import (
    LockerPlace,
    OrderLockers,
    OrderPlacement,
    OrderRoutes,
    OrderShipment,
    OrderShipments,
    PartnerHold,
    PartnerHolds,
    PartnerQuotes,
    PartnerRates,
)
from haulier.contexts.orders.quotes.contract import QuoteDelivery
from haulier.contexts.otep.public import TrackingEvent
from haulier.contexts.tracking.public import find_timelines
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, Account, PriceFamily

Latest = Mapping[str, TrackingEvent]
"""Latest event of each tracking number."""


async def list_shipments_of_orders(call: Call, order_ids: Sequence[int]) -> Sequence[OrderShipment]:
    """Return the shipments of orders, newest first; none without the module."""
    shipments = call.app.find_adapter(OrderShipments)
    return await shipments.list_of_orders(call, order_ids) if shipments else ()


async def has_bought_label(call: Call, order_id: int) -> bool:
    """Return True if a bought label delivers an order."""
    return any(each.live and each.bought for each in await list_shipments_of_orders(call, [order_id]))


async def list_fulfilments_of_order(call: Call, order_id: int) -> list[OrderFulfilment]:
    """Return the fulfilments of a visible order. Raises `NOT_FOUND`."""
    order = await get_visible_order(call, order_id)
    pieces = await list_order_pieces(call, [order.id])
    shipments = await list_shipments_of_orders(call, [order.id])
    numbers = {piece.tracking_number for piece in pieces} | {number for each in shipments for number in each.numbers}
    latest = await _load_latest_events(call, numbers)
    live = [each for each in shipments if each.live]
    own = [] if live else [await _own_fulfilment(call, order, pieces, latest)]
    carried = [_shipment_fulfilment(call, order, each, pieces, latest) for each in shipments]
    return sorted([*own, *carried], key=lambda each: not each.current)


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


async def _own_fulfilment(call: Call, order: Any, pieces: Sequence[OrderPiece], latest: Latest) -> OrderFulfilment:
    """Return the fulfilment of an order without a live label."""
    locker, hold = await _find_locker(call, order.id), await _find_hold(call, order.id)
    method = find_method(
        order.fulfilment,
        third_party_held=bool(order.third_party_held),
        contractor_id=order.contractor_id,
        in_locker=locker is not None,
    )
    placement = (await call.adapter(OrderRoutes).get_placements(call, [order.id])).get(order.id)
    status, price = OrderStatus(order.status), order.price or {}
    created_at: datetime = order.created_at
    updated_at: datetime = order.updated_at
    return OrderFulfilment(
        id=f"order-{order.id}",
        order_id=order.id,
        method=method.value,
        status=own_status(status, held=bool(order.third_party_held)).value,
        current=status is not OrderStatus.CANCELLED,
        service=price.get("service"),
        tracking_numbers=[piece.tracking_number for piece in pieces],
        packages=[
            _package(call, number, piece, piece.tracking_number, latest) for number, piece in enumerate(pieces, 1)
        ],
        promised_by=call.local_time(order.window_end),
        locker_parcel_id=locker and locker.parcel_id,
        locker=locker and locker.name,
        price_family=PriceFamily.LOCAL_DELIVERY,
        shipping_price=price.get("total", UNSET),
        currency=price.get("currency", UNSET),
        created_at=call.local_time(created_at),
        updated_at=call.local_time(updated_at),
        **await _carrier_fields(call, order, method, placement, hold),
    )


async def _find_locker(call: Call, order_id: int) -> LockerPlace | None:
    lockers = call.app.find_adapter(OrderLockers)
    return (await lockers.get_places(call, [order_id])).get(order_id) if lockers else None


async def _find_hold(call: Call, order_id: int) -> PartnerHold | None:
    partners = call.app.find_adapter(PartnerHolds)
    return (await partners.get_holds(call, [order_id])).get(order_id) if partners else None


async def _carrier_fields(
    call: Call,
    order: Any,
    method: FulfilmentMethod,
    placement: OrderPlacement | None,
    hold: PartnerHold | None,
) -> dict[str, Any]:
    """Return the carrier's name and records, which customers do not see."""
    if call.principal.account is Account.CUSTOMER:
        return {"carried_by": None}
    contractors = await get_users_by_id(call, [order.contractor_id]) if order.contractor_id else {}
    contractor = contractors.get(order.contractor_id or 0)
    name = placement and placement.driver_name
    if method is FulfilmentMethod.PARTNER:
        name = hold and hold.partner
    elif method is FulfilmentMethod.CONTRACTOR:
        name = contractor and contractor.name
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
        carrier_price=shipment.cost_minor if office else UNSET,
        created_at=call.local_time(shipment.created_at),
        updated_at=call.local_time(shipment.updated_at),
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
