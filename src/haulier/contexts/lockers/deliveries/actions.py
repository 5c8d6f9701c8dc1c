"""Planning of locker deliveries, within the caller's transaction."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.lockers.deliveries import store
from haulier.contexts.lockers.deliveries.contract import DeliverToLocker
from haulier.contexts.lockers.deliveries.queries import require_delivery
from haulier.contexts.lockers.deliveries.rules import (
    LOCKER_DELIVERY_LIFE,
    NEAR_M,
    NOT_FOR_LOCKERS,
    PUT_IN,
    QUEUE_JOB,
    IfFull,
    LockerDeliveryStatus,
    LockerDeliveryStep,
    QueueAtSite,
    why_not_for_lockers,
)
from haulier.contexts.lockers.deliveries.store import LockerDeliveryRow
from haulier.contexts.lockers.parcels.actions.reservations import WantedBox, recipient_of_order, take_box
from haulier.contexts.lockers.parcels.actions.steps import take_step
from haulier.contexts.lockers.parcels.queries import LockerParcelRow, get_parcel
from haulier.contexts.lockers.parcels.rules import NO_FREE_BOX, LockerStatus, LockerStep
from haulier.contexts.lockers.sites.queries import LockerSiteRow, count_free_boxes, find_sites_near, get_site
from haulier.contexts.lockers.sites.rules import SIZES, is_open_at, rank_of
from haulier.contexts.orders.delivery_orders.contract.corrections import CorrectedPlace
from haulier.contexts.orders.public import (
    ORDER_STEP_REFUSED,
    OrderStatus,
    deliver_order_at,
    get_stop_contacts,
    get_visible_order,
)
from haulier.contexts.routes.public import RoutesOfOrders
from haulier.kernel.call import Call

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
        await _give_up_box(call, before)
        home = before.home or home if status is LockerDeliveryStatus.PLANNED else home
    terms = request.model_dump(include={"size", "low", "hold_hours", "keep_days"})
    wanted = WantedBox(site_id=site.id, **terms)
    parcel = await _take_box_in_turn(call, request.order_id, wanted)
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
        await move_home(call, before)
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
    await _give_up_box(call, row)
    await move_home(call, row)
    return await require_delivery(call, order_id)


async def fall_back(call: Call, row: LockerDeliveryRow, why: str) -> LockerDeliveryRow:
    """Redirect an order without a compartment to its chosen alternative.

    The row must be locked.

    At another site, the delivery stays planned and gets a compartment there.
    """
    await _give_up_box(call, row)
    if row.if_full == IfFull.NEAREST_LOCKER and await _go_to_nearest(call, row):
        return await require_delivery(call, row.order_id)
    await end_delivery(call, row, LockerDeliveryStep.FALL_BACK, fell_back_because=why)
    if row.if_full != IfFull.RETURN:
        await move_home(call, row)
    return await require_delivery(call, row.order_id)


async def take_another_box(call: Call, row: LockerDeliveryRow) -> LockerParcelRow | None:
    """Reserve a new compartment at the site of a delivery, or return None."""
    parcel = await take_box(call, wanted_box(row, row.site_id), await recipient_of_order(call, row.order_id))
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
        await _give_up_box(call, row)
    return LockerDeliveryStatus(row.status)


class LockersOfStops:
    """Implementation of the port `StopsAtLockers` of routes."""

    async def was_put_in_locker(self, call: Call, order_id: int) -> bool:
        """Return True if the parcel of a completed stop is in a locker.

        Otherwise release its compartment.
        """
        return await release_box(call, order_id) in PUT_IN


async def move_home(call: Call, row: LockerDeliveryRow) -> None:
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


async def _take_box_in_turn(call: Call, order_id: int, wanted: WantedBox) -> LockerParcelRow | None:
    """Reserve a compartment if no other order is waiting for it, or return None."""
    sizes = SIZES[: rank_of(wanted.size) + 1]
    if await store.is_queue_before(call.work, order_id, wanted.site_id, sizes, low=wanted.low):
        return None
    return await take_box(call, wanted, await recipient_of_order(call, order_id))


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
    if why := next(reasons, None):
        raise NOT_FOR_LOCKERS(why=why)
    if OrderStatus(order.status) not in OPEN_TO_LOCKERS:
        raise ORDER_STEP_REFUSED(step=TO_LOCKER, status=OrderStatus(order.status).name)
    consignee = contacts.consignee or {}
    return {name: consignee.get(name) for name in PLACE}


async def _go_to_nearest(call: Call, row: LockerDeliveryRow) -> bool:
    here = await get_site(call, row.site_id)
    near = await find_sites_near(call, (here.lat, here.lng), radius_m=NEAR_M, size=row.size, low=row.low)
    whose = await recipient_of_order(call, row.order_id)
    for _, site, _ in near:
        if site.id == row.site_id or not is_open_at(site.opening_hours, call.now, call.time_zone):
            continue
        if parcel := await take_box(call, wanted_box(row, site.id), whose):
            await store.update_delivery(call.work, row.id, {"site_id": site.id, "parcel_id": parcel.id})
            await move_to_site(call, row.order_id, site.id, row.home or {})
            return True
    return False


def wanted_box(row: LockerDeliveryRow, site_id: int) -> WantedBox:
    """Return the compartment that a delivery needs, at its site or another."""
    return WantedBox(site_id=site_id, size=row.size, low=row.low, hold_hours=row.hold_hours, keep_days=row.keep_days)


async def _give_up_box(call: Call, row: LockerDeliveryRow) -> None:
    if row.parcel_id is None:
        return
    parcel = await get_parcel(call, row.parcel_id, lock=True)
    if parcel.status == LockerStatus.RESERVED:
        await take_step(call, parcel, LockerStep.CANCEL, reason=ELSEWHERE)
