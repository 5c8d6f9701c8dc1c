"""Writes of drop offs for other families."""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.lockers.deliveries.rules import NOT_FOR_LOCKERS
from haulier.contexts.lockers.drop_offs.contract import DropOffAtLocker
from haulier.contexts.lockers.events import LockerParcelChanged
from haulier.contexts.lockers.parcels.actions.steps import WantedBox, apply_step, clear_home, occupy_box
from haulier.contexts.lockers.parcels.queries import LockerParcelRow, get_parcel, list_parcels
from haulier.contexts.lockers.parcels.rules import NO_FREE_BOX, LockerStatus, LockerStep, ParcelKind
from haulier.contexts.lockers.sites.queries import get_site
from haulier.contexts.orders.delivery_orders.contract.corrections import CorrectedPlace
from haulier.contexts.orders.public import (
    ORDER_STEP_REFUSED,
    OrderStatus,
    OrderStep,
    apply_order_transition,
    fetch_order_at,
    get_recipient_facts,
    get_visible_order,
)
from haulier.contexts.routes.public import RoutesOfOrders
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found

TO_LOCKER, FROM_LOCKER = "drop_off", "no_drop_off"
"""Names of the steps in an order's history."""
FETCHED = "P"
NOT_FETCHED = "not_a_pickup"
OPEN_TO_DROP_OFFS = frozenset({OrderStatus.NEW_ORDER, OrderStatus.HOLD, OrderStatus.PLANNED, OrderStatus.FAILED})
NOT_ON_ROUTE = frozenset({OrderStatus.NEW_ORDER, OrderStatus.FAILED})
PLACE = tuple(CorrectedPlace.model_fields)


async def plan_drop_off(call: Call, request: DropOffAtLocker) -> LockerParcelRow:
    """Reserve a compartment for an order that its sender drops off.

    An earlier compartment is released. Raises `NOT_FOUND`, `NOT_FOR_LOCKERS`, `ORDER_STEP_REFUSED`,
    `LOCKER_STEP_REFUSED` once deposited, or `NO_FREE_BOX`.
    """
    await RoutesOfOrders().lock(call, [request.order_id])
    order = await get_visible_order(call, request.order_id, lock=True)
    if order.type != FETCHED or order.partner_offer_id is not None:
        raise NOT_FOR_LOCKERS(why=NOT_FETCHED if order.type != FETCHED else "partner_order")
    if OrderStatus(order.status) not in OPEN_TO_DROP_OFFS:
        raise ORDER_STEP_REFUSED(step=TO_LOCKER, status=OrderStatus(order.status).name)
    site = await get_site(call, request.site_id)
    if before := await find_drop_off(call, order.id, lock=True):
        await apply_step(call, before, LockerStep.CANCEL)
        await return_to_home(call, before)
    sender = await _sender_of(call, order.id)
    terms = request.model_dump(include={"size", "low", "hold_hours"})
    wanted = WantedBox(site_id=site.id, keep_days=request.pick_up_days, **terms)
    row = await occupy_box(call, wanted, sender)
    if row is None:
        raise NO_FREE_BOX(size=request.size.upper())
    await _fetch_at_site(call, row)
    return row


async def find_drop_off(call: Call, order_id: int, *, lock: bool = False) -> LockerParcelRow | None:
    """Return the drop-off parcel of an order that has a compartment, or None."""
    wanted = {"order_id": order_id, "kind": ParcelKind.DROP_OFF.value, "ended_at": None}
    rows, _ = await list_parcels(call, wanted, limit=1, offset=0)
    return await get_parcel(call, rows[0].id, lock=lock) if rows else None


async def cancel_drop_off(call: Call, order_id: int) -> LockerParcelRow:
    """Move the pickup of an order back to its sender.

    Raises `NOT_FOUND`, or `LOCKER_STEP_REFUSED` once deposited.
    """
    await RoutesOfOrders().lock(call, [order_id])
    await get_visible_order(call, order_id, lock=True)
    row = await find_drop_off(call, order_id, lock=True)
    if row is None:
        raise record_not_found(order_id=order_id)
    await apply_step(call, row, LockerStep.CANCEL)
    return await get_parcel(call, row.id)


async def return_to_home(call: Call, row: LockerParcelRow) -> None:
    """Move the pickup back to the sender, once, unless the address was erased."""
    if row.home is not None and row.order_id is not None:
        await clear_home(call, row)
        await fetch_order_at(call, row.order_id, CorrectedPlace(**row.home), FROM_LOCKER, None)


async def sync_drop_off_with_courier(call: Call, order_id: int) -> None:
    """Mark an order as picked up. Orders on a route follow their stop instead."""
    facts = (await get_recipient_facts(call, [order_id])).get(order_id)
    if facts is not None and facts.status in NOT_ON_ROUTE:
        await apply_order_transition(call, OrderStep.PLAN, [order_id])
        await apply_order_transition(call, OrderStep.PICK_UP, [order_id])


async def release_drop_off(call: Call, order_id: int) -> None:
    """Release the compartment of a cancelled order.

    A deposited parcel waits for a courier.
    """
    row = await find_drop_off(call, order_id, lock=True)
    if row is not None and row.status == LockerStatus.RESERVED:
        await clear_home(call, row)
        await apply_step(call, await get_parcel(call, row.id), LockerStep.CANCEL)


async def _sender_of(call: Call, order_id: int) -> dict[str, Any]:
    facts = (await get_recipient_facts(call, [order_id]))[order_id]
    address = facts.shipper or {}
    return {
        "kind": ParcelKind.DROP_OFF.value,
        "order_id": order_id,
        "customer_id": facts.customer_id,
        "recipient_name": address.get("name"),
        "recipient_email": address.get("email"),
        "recipient_phone": address.get("phone"),
        "language": facts.language,
        "home": {name: address.get(name) for name in PLACE},
    }


async def _fetch_at_site(call: Call, row: LockerParcelRow) -> None:
    site, home = await get_site(call, row.site_id), row.home or {}
    place: dict[str, Any] = {
        "address": site.address or site.name,
        "unit": site.name if site.address else None,
        "city": home["city"],
        "region": home.get("region"),
        "country": home["country"],
        "lat": site.lat,
        "lng": site.lng,
    }
    await fetch_order_at(call, row.order_id or 0, CorrectedPlace(**place), TO_LOCKER, site.name)


ENDS = frozenset({LockerStatus.CANCELLED, LockerStatus.REMOVED})


@before_commit(LockerParcelChanged)
async def sync_drop_offs(call: Call, events: Sequence[DomainEvent]) -> None:
    """Update orders from their parcels.

    A released order is picked up at its sender's address again; a collected one counts as picked up.
    """
    for event in events:
        if isinstance(event, LockerParcelChanged) and event.order_id is not None and event.status in ENDS:
            row = await get_parcel(call, event.parcel_id)
            if row.kind != ParcelKind.DROP_OFF:
                continue
            if event.status == LockerStatus.CANCELLED:
                await return_to_home(call, row)
            else:
                await sync_drop_off_with_courier(call, event.order_id)
