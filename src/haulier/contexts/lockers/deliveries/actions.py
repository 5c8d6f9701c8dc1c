"""Writes of deliveries for other families."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.lockers.deliveries import store
from haulier.contexts.lockers.deliveries.contract import DeliverToLocker
from haulier.contexts.lockers.deliveries.queries import require_delivery
from haulier.contexts.lockers.deliveries.rules import (
    GIVEN_UP,
    LOCKER_DELIVERY_LIFE,
    NEAR_M,
    NO_BOX,
    NO_DEVICE,
    NOT_FOR_LOCKERS,
    PUT_IN,
    QUEUE_JOB,
    SITE_RETIRED,
    IfFull,
    LockerDeliveryStatus,
    LockerDeliveryStep,
    QueueAtSite,
    why_not_for_lockers,
)
from haulier.contexts.lockers.deliveries.store import LockerDeliveryRow
from haulier.contexts.lockers.devices.queries import DeviceCommandRow
from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE, DoorPurpose
from haulier.contexts.lockers.events import LockerParcelChanged
from haulier.contexts.lockers.parcels.actions.codes import find_pending_door, open_for_parcel
from haulier.contexts.lockers.parcels.actions.steps import (
    WantedBox,
    apply_step,
    issue_code,
    occupy_box,
    recipient_of_order,
)
from haulier.contexts.lockers.parcels.queries import LockerParcelRow, get_parcel
from haulier.contexts.lockers.parcels.rules import LOCKER_WITHOUT_DEVICE, NO_FREE_BOX, LockerStatus, LockerStep
from haulier.contexts.lockers.sites.queries import LockerSiteRow, count_free_boxes, find_sites_near, get_site
from haulier.contexts.lockers.sites.rules import SIZES, is_open_at, rank_of
from haulier.contexts.orders.delivery_orders.contract.corrections import CorrectedPlace
from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_FOR_PICKUP, PICKUP_FULFILMENT
from haulier.contexts.orders.public import (
    ORDER_STEP_REFUSED,
    OrderStatus,
    OrderStep,
    apply_order_transition,
    deliver_order_at,
    get_stop_contacts,
    get_visible_order,
)
from haulier.contexts.routes.public import RoutesOfOrders
from haulier.contexts.tracking.public import IncidentReason
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError

TO_LOCKER, FROM_LOCKER = "to_locker", "from_locker"
"""Names of the steps in an order's history."""
OPEN_TO_LOCKERS = frozenset(
    {
        OrderStatus.NEW_ORDER,
        OrderStatus.HOLD,
        OrderStatus.PLANNED,
        OrderStatus.PICKED_UP,
        OrderStatus.OUT_FOR_DELIVERY,
        OrderStatus.FAILED,
    }
)
PLACE = tuple(CorrectedPlace.model_fields)
ELSEWHERE = "elsewhere"


async def plan_delivery(call: Call, request: DeliverToLocker) -> LockerDeliveryRow:
    """Reserve a compartment for an order and redirect the order there.

    An earlier compartment is released. If none is free, or others are waiting, the order joins the queue if requested.
    Raises `NOT_FOUND`, `NOT_FOR_LOCKERS`, `ORDER_STEP_REFUSED`, `LOCKER_DELIVERY_OVER` or `NO_FREE_BOX`.
    """
    await RoutesOfOrders().lock(call, [request.order_id])
    home = await require_fit_order(call, request.order_id)
    site = await get_site(call, request.site_id)
    before = await store.lock_delivery_of_order(call.work, request.order_id)
    if before is not None:
        status = LockerDeliveryStatus(before.status)
        LOCKER_DELIVERY_LIFE.next_status_or_raise(LockerDeliveryStep.PLAN, status)
        await _release_box(call, before)
        home = before.home or home if status is LockerDeliveryStatus.PLANNED else home
    terms = request.model_dump(include={"size", "low", "hold_hours", "keep_days"})
    wanted = WantedBox(site_id=site.id, **terms)
    parcel = await _reserve_next_box(call, request.order_id, wanted)
    if parcel is None and not (request.wait and await _has_such_boxes(call, site, wanted)):
        raise NO_FREE_BOX(size=request.size.upper())
    values = {
        **terms,
        "if_full": request.if_full,
        **(planned(parcel, home) if parcel else _waiting(call, before, site)),
    }
    if before is None:
        await store.insert_delivery(call.work, {**values, "order_id": request.order_id, "created_at": call.now})
    else:
        await store.update_delivery(call.work, before.id, values)
    if parcel is not None:
        await move_to_site(call, request.order_id, site.id, home)
        return await require_delivery(call, request.order_id)
    if before is not None and before.status == LockerDeliveryStatus.PLANNED:
        await switch_to_home_delivery(call, before)
    # A compartment that became free meanwhile had no queue to serve.
    await call.enqueue(QUEUE_JOB, QueueAtSite(site.id))
    return await require_delivery(call, request.order_id)


async def cancel_delivery(call: Call, order_id: int) -> LockerDeliveryRow:
    """Redirect an order to its recipient's address.

    Raises `NOT_FOUND` or `LOCKER_DELIVERY_OVER`.
    """
    await RoutesOfOrders().lock(call, [order_id])
    await get_visible_order(call, order_id, lock=True)
    row = await require_delivery(call, order_id, lock=True)
    await end_delivery(call, row, LockerDeliveryStep.CANCEL)
    await _release_box(call, row)
    await switch_to_home_delivery(call, row)
    return await require_delivery(call, order_id)


async def fall_back(call: Call, row: LockerDeliveryRow, why: str) -> LockerDeliveryRow:
    """Redirect an order without a compartment to its chosen alternative.

    The row must be locked.

    At another site, the delivery stays planned and gets a compartment there.
    """
    await _release_box(call, row)
    if row.if_full == IfFull.NEAREST_LOCKER and await _switch_to_nearest(call, row):
        return await require_delivery(call, row.order_id)
    await end_delivery(call, row, LockerDeliveryStep.FALL_BACK, fell_back_because=why)
    if row.if_full != IfFull.RETURN:
        await switch_to_home_delivery(call, row)
    return await require_delivery(call, row.order_id)


async def reassign_box(call: Call, row: LockerDeliveryRow) -> LockerParcelRow | None:
    """Reserve a new compartment at the site of a delivery, or return None."""
    parcel = await occupy_box(call, wanted_box(row, row.site_id), await recipient_of_order(call, row.order_id))
    if parcel is not None:
        await store.update_delivery(call.work, row.id, {"parcel_id": parcel.id})
    return parcel


async def end_delivery(call: Call, row: LockerDeliveryRow, step: LockerDeliveryStep, **values: Any) -> None:
    """End a delivery with a step. Raises `LOCKER_DELIVERY_OVER`."""
    reached = LOCKER_DELIVERY_LIFE.next_status_or_raise(step, LockerDeliveryStatus(row.status))
    ended = {"status": reached.value, "ended_at": call.now, "waiting_since": None}
    await store.update_delivery(call.work, row.id, ended | values)


async def release_box(call: Call, order_id: int) -> LockerDeliveryStatus | None:
    """Release the compartment of an order that was handed over in person or cancelled.

    Returns the previous status of the delivery, or None without a locker delivery.
    """
    row = await store.lock_delivery_of_order(call.work, order_id)
    if row is None:
        return None
    if row.status in (LockerDeliveryStatus.WAITING, LockerDeliveryStatus.PLANNED):
        await end_delivery(call, row, LockerDeliveryStep.CANCEL)
        await _release_box(call, row)
    return LockerDeliveryStatus(row.status)


class LockersOfStops:
    """Implementation of the port `StopsAtLockers` of routes."""

    async def was_put_in_locker(self, call: Call, order_id: int) -> bool:
        """Return True if the parcel of a completed stop is in a locker.

        Otherwise release its compartment.
        """
        return await release_box(call, order_id) in PUT_IN


async def switch_to_home_delivery(call: Call, row: LockerDeliveryRow) -> None:
    """Redirect an order to its original address, unless that was erased."""
    if row.home is not None:
        await deliver_order_at(call, row.order_id, CorrectedPlace(**row.home), FROM_LOCKER, row.site_name)


async def move_to_site(call: Call, order_id: int, site_id: int, home: Mapping[str, Any]) -> None:
    """Redirect an order to a site. The town defaults to the recipient's."""
    site = await get_site(call, site_id)
    place: dict[str, Any] = {
        "address": site.address or site.name,
        "unit": site.name if site.address else None,
        "city": home["city"],
        "region": home.get("region"),
        "country": home["country"],
        "lat": site.lat,
        "lng": site.lng,
    }
    await deliver_order_at(call, order_id, CorrectedPlace(**place), TO_LOCKER, site.name)


def planned(parcel: LockerParcelRow, home: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a delivery with a compartment."""
    return {
        "site_id": parcel.site_id,
        "parcel_id": parcel.id,
        "home": home,
        "status": LockerDeliveryStatus.PLANNED.value,
        "fell_back_because": None,
        "ended_at": None,
        "waiting_since": None,
    }


def _waiting(call: Call, before: LockerDeliveryRow | None, site: LockerSiteRow) -> dict[str, Any]:
    """Return the columns of a delivery in the queue.

    A delivery already waiting there keeps its place.
    """
    stays = before is not None and before.site_id == site.id and before.waiting_since
    return {
        "site_id": site.id,
        "parcel_id": None,
        "home": None,
        "status": LockerDeliveryStatus.WAITING.value,
        "fell_back_because": None,
        "ended_at": None,
        "waiting_since": stays or call.now,
    }


async def _reserve_next_box(call: Call, order_id: int, wanted: WantedBox) -> LockerParcelRow | None:
    """Reserve a compartment if no other order is waiting for it, or return None."""
    sizes = SIZES[: rank_of(wanted.size) + 1]
    if await store.is_queue_before(call.work, order_id, wanted.site_id, sizes, low=wanted.low):
        return None
    return await occupy_box(call, wanted, await recipient_of_order(call, order_id))


async def _has_such_boxes(call: Call, site: LockerSiteRow, wanted: WantedBox) -> bool:
    """Return True if a site has compartments of the requested size."""
    counts = [] if site.retired else await count_free_boxes(call, site.id, low=wanted.low)
    return any(rank_of(count.size) >= rank_of(wanted.size) for count in counts)


async def require_fit_order(call: Call, order_id: int) -> dict[str, Any]:
    """Return the address of an order that may go into a locker.

    Raises the reason otherwise.
    """
    order = await get_visible_order(call, order_id, lock=True)
    contacts = (await get_stop_contacts(call, [order.id]))[order.id]
    terms = contacts.terms
    reasons = why_not_for_lockers(
        order.type,
        cod=bool(terms.cod_minor),
        pin=bool(terms.pin_required),
        age=terms.minimum_age is not None,
        signature=contacts.signature_required,
        for_partner=order.partner_offer_id is not None,
    )
    if order.fulfilment == PICKUP_FULFILMENT:
        raise ORDER_FOR_PICKUP(order_id=order.id)
    if why := next(reasons, None):
        raise NOT_FOR_LOCKERS(why=why)
    if OrderStatus(order.status) not in OPEN_TO_LOCKERS:
        raise ORDER_STEP_REFUSED(step=TO_LOCKER, status=OrderStatus(order.status).name)
    consignee = contacts.consignee or {}
    return {name: consignee.get(name) for name in PLACE}


async def _switch_to_nearest(call: Call, row: LockerDeliveryRow) -> bool:
    here = await get_site(call, row.site_id)
    near = await find_sites_near(call, (here.lat, here.lng), radius_m=NEAR_M, size=row.size, low=row.low)
    whose = await recipient_of_order(call, row.order_id)
    for _, site, _ in near:
        if site.id == row.site_id or not is_open_at(site.opening_hours, call.now, call.time_zone):
            continue
        if parcel := await occupy_box(call, wanted_box(row, site.id), whose):
            await store.update_delivery(call.work, row.id, {"site_id": site.id, "parcel_id": parcel.id})
            await move_to_site(call, row.order_id, site.id, row.home or {})
            return True
    return False


def wanted_box(row: LockerDeliveryRow, site_id: int) -> WantedBox:
    """Return the compartment that a delivery needs, at its site or another."""
    return WantedBox(site_id=site_id, size=row.size, low=row.low, hold_hours=row.hold_hours, keep_days=row.keep_days)


async def _release_box(call: Call, row: LockerDeliveryRow) -> None:
    if row.parcel_id is None:
        return
    parcel = await get_parcel(call, row.parcel_id, lock=True)
    if parcel.status == LockerStatus.RESERVED:
        await apply_step(call, parcel, LockerStep.CANCEL, reason=ELSEWHERE)


class DepositCode(Struct, frozen=True, kw_only=True):
    """A one-time deposit code and its expiry."""

    code: str
    made_at: datetime
    expires_at: datetime


async def open_box_of_order(
    call: Call, order_id: int, *, give_up: bool
) -> tuple[LockerDeliveryRow, DeviceCommandRow | None]:
    """Open the reserved compartment of an order, or any free one.

    Without one, the order is redirected. While a door is opening, the same command is returned. Raises `NOT_FOUND` for
    an order without a locker delivery.
    """
    row = await require_delivery(call, order_id, lock=True)
    if row.status != LockerDeliveryStatus.PLANNED:
        return row, None
    parcel = await _box_of(call, row)
    if give_up or parcel is None:
        return await fall_back(call, row, GIVEN_UP if give_up else NO_BOX), None
    if opening := await find_pending_door(call, parcel.id):
        return await require_delivery(call, order_id), opening
    try:
        async with call.work.savepoint():
            command = await open_for_parcel(call, parcel, LockerStep.DEPOSIT, DoorPurpose.DEPOSIT)
    except OperationError as error:
        if error.error_type not in (LOCKER_WITHOUT_DEVICE, DEVICE_NOT_USABLE):
            raise
        return await fall_back(call, await require_delivery(call, order_id), NO_DEVICE), None
    return await require_delivery(call, order_id), command


async def make_deposit_code(call: Call, order_id: int) -> tuple[LockerDeliveryRow, DepositCode | None]:
    """Create a one-time deposit code for the courier of an order. It works offline.

    Returns None if there is nothing to deposit or no compartment is free. Earlier codes stop working. Raises
    `NOT_FOUND`.
    """
    row = await require_delivery(call, order_id, lock=True)
    parcel = await _box_of(call, row) if row.status == LockerDeliveryStatus.PLANNED else None
    if parcel is None:
        return row, None
    code = await issue_code(call, parcel)
    return await require_delivery(call, order_id), DepositCode(code=code, made_at=call.now, expires_at=parcel.until)


async def _box_of(call: Call, row: LockerDeliveryRow) -> LockerParcelRow | None:
    """Return the parcel of a delivery. Its reservation may have lapsed."""
    parcel = await get_parcel(call, row.parcel_id, lock=True) if row.parcel_id else None
    if parcel is not None and parcel.status == LockerStatus.RESERVED:
        return parcel
    return await reassign_box(call, row)


STEPS = {
    LockerStatus.DEPOSITED: LockerDeliveryStep.DEPOSIT,
    LockerStatus.COLLECTED: LockerDeliveryStep.COLLECT,
    LockerStatus.REMOVED: LockerDeliveryStep.TAKE_BACK,
}
NOT_FETCHED = IncidentReason(code="recipient_absent")


@before_commit(LockerParcelChanged)
async def sync_deliveries_with_parcels(call: Call, events: Sequence[DomainEvent]) -> None:
    """Update deliveries from their parcels.

    A parcel taken back by a courier counts as a failed attempt.
    """
    for event in events:
        if isinstance(event, LockerParcelChanged) and event.order_id is not None:
            step = STEPS.get(LockerStatus(event.status))
            row = await store.lock_delivery_of_order(call.work, event.order_id) if step else None
            if step and row and row.parcel_id == event.parcel_id:
                await _sync_delivery(call, row, step)


async def _sync_delivery(call: Call, row: store.LockerDeliveryRow, step: LockerDeliveryStep) -> None:
    reached = LOCKER_DELIVERY_LIFE.next_status(step, LockerDeliveryStatus(row.status))
    if reached is None:  # late deposits and extensions repeat the event
        return
    if step is LockerDeliveryStep.DEPOSIT:
        await store.update_delivery(call.work, row.id, {"status": reached.value})
        return
    await end_delivery(call, row, step)
    if step is LockerDeliveryStep.TAKE_BACK:
        # Refusals are ignored: the order may have been cancelled, and the parcel is out in any case.
        await apply_order_transition(call, OrderStep.FAIL, [row.order_id], reason=NOT_FETCHED)
        await switch_to_home_delivery(call, row)


async def assign_box(call: Call, order_id: int) -> bool:
    """Assign a free compartment to a waiting order. Returns False if none is free.

    Orders that went out for delivery, or whose site was retired, leave the queue and go to their recipient's address.
    """
    await RoutesOfOrders().lock(call, [order_id])
    order = await get_visible_order(call, order_id, lock=True)
    row = await store.lock_delivery_of_order(call.work, order_id)
    if row is None or row.status != LockerDeliveryStatus.WAITING:
        return True
    if order.status == OrderStatus.OUT_FOR_DELIVERY:  # its driver is on the way to the recipient's address
        await end_delivery(call, row, LockerDeliveryStep.FALL_BACK, fell_back_because=NO_BOX)
        return True
    try:
        home = await require_fit_order(call, order_id)
    except OperationError as error:
        if error.error_type not in (NOT_FOR_LOCKERS, ORDER_STEP_REFUSED):
            raise
        await end_delivery(call, row, LockerDeliveryStep.CANCEL)
        return True
    if (await get_site(call, row.site_id)).retired:
        await end_delivery(call, row, LockerDeliveryStep.FALL_BACK, fell_back_because=SITE_RETIRED)
        return True
    parcel = await occupy_box(call, wanted_box(row, row.site_id), await recipient_of_order(call, order_id))
    if parcel is None:
        return False
    await store.update_delivery(call.work, row.id, planned(parcel, home))
    await move_to_site(call, order_id, row.site_id, home)
    return True
