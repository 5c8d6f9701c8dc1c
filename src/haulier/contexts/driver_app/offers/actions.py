"""Writes of offers for other families."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.driver_app.events import OfferEnded, OrderOffered
from haulier.contexts.driver_app.offers import store
from haulier.contexts.driver_app.offers.rules import (
    MAX_POSITION_AGE,
    OFFER_GONE,
    ORDER_ALREADY_OFFERED,
    UNASKED_MAX,
    InstantJobStatus,
    NearbyRider,
    OfferStatus,
    check_offer_answerable,
    find_nearest_riders,
    round_radius_m,
)
from haulier.contexts.driver_app.offers.store import InstantJobRow, OfferWithJobRow
from haulier.contexts.driver_app.policy.queries import load_rider_policy
from haulier.contexts.driver_app.policy.rules import RiderPolicy
from haulier.contexts.fleet.public import DepotRow, DriverRow, get_depot_row, list_depot_rows
from haulier.contexts.orders.public import OrderFacts, get_order_facts
from haulier.contexts.routes.pools.rules import check_plannable
from haulier.contexts.routes.public import (
    add_orders,
    create_route,
    get_pool_rules,
    get_route_ids_by_order,
    get_route_row,
    load_route_detail,
    to_pool_order,
)
from haulier.contexts.routes.routes.contract import CreateRoute, RouteDetail
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, OperationError, record_not_found
from haulier.kernel.values.geography import LatLng, great_circle_m

NEXT_ROUND_JOB = "riders.next_round"
DEGREE_M = 111_195
"""A degree of latitude on the mean sphere."""
DEPOTS_MAX = 200
MAX_JOBS_AT_ONCE = 50


class StartNextRound(Struct, frozen=True, kw_only=True):
    """Job whose round ended, and the number of that round.

    `timed` is false for a check between two timed ones, which is not repeated.
    """

    job_id: int
    round: int
    timed: bool = True


async def offer_order_nearby(call: Call, order_id: int, depot_id: int | None) -> int:
    """Offer an order to riders nearby. Returns the id of the job.

    Raises `NOT_FOUND`, why the order cannot be planned, or `ORDER_ALREADY_OFFERED`.
    """
    order = (await get_order_facts(call, [order_id], lock=True)).get(order_id)
    if order is None:
        raise record_not_found(order_id=order_id)
    if error := await check_order_offerable(call, order):
        raise error
    depot = await _choose_depot(call, order, depot_id)
    lat, lng = order.pickup or (depot.lat, depot.lng)
    try:
        async with call.savepoint():
            job_id = await store.insert_instant_job(
                call.work,
                order_id=order_id,
                depot_id=depot.id,
                lat=lat,
                lng=lng,
                asked_by=call.actor,
                created_at=call.now,
            )
    except UniqueConflict:
        raise ORDER_ALREADY_OFFERED(order_id=order_id) from None
    call.add_audit_subjects("order", order_id)
    job = await store.get_instant_job(call.work, job_id, lock=True)
    assert job is not None
    await start_offer_round(call, job, await load_rider_policy(call))
    return job_id


async def check_order_offerable(call: Call, order: OrderFacts) -> OperationError | None:
    """Why the office could not plan the order now, or None."""
    route_id = (await get_route_ids_by_order(call, [order.id])).get(order.id)
    return check_plannable(to_pool_order(order), None, await get_pool_rules(call, None), route_id)


async def _choose_depot(call: Call, order: OrderFacts, depot_id: int | None) -> DepotRow:
    """Return the named depot, or the open one nearest to the job.

    Raises `INVALID_REQUEST`.
    """
    if depot_id is not None:
        named = await get_depot_row(call, depot_id)
        depots = [] if named is None or named.closed else [named]
    else:
        depots, _ = await list_depot_rows(call, closed=False, limit=DEPOTS_MAX, offset=0)
    address = order.pickup or ((order.lat, order.lng) if order.lat is not None and order.lng is not None else None)
    if not depots:
        raise INVALID_REQUEST.for_fields(FieldError("depot_id", "field.depot_unknown"))
    return min(depots, key=lambda depot: great_circle_m(address, (depot.lat, depot.lng)) if address else 0)


async def start_offer_round(call: Call, job: InstantJobRow, policy: RiderPolicy, *, timed: bool = True) -> None:
    """Offer the order to the nearest drivers without an offer.

    Ends the job after its last round. If no driver is available, no round is used: the order waits until one is, or for
    too long.
    """
    if job.round >= policy.rounds_max:
        await end_instant_job(call, job, InstantJobStatus.EXPIRED)
        return
    expires_at = call.now + timedelta(seconds=policy.offer_seconds)
    if chosen := await _find_riders_for_round(call, job, policy):
        await _offer_to_riders(call, job, chosen, expires_at)
    elif timed and call.now >= job.created_at + UNASKED_MAX:
        await end_instant_job(call, job, InstantJobStatus.EXPIRED)
    elif timed:
        await call.enqueue(NEXT_ROUND_JOB, StartNextRound(job_id=job.id, round=job.round), run_at=expires_at)


async def _offer_to_riders(
    call: Call, job: InstantJobRow, chosen: Sequence[tuple[NearbyRider, int]], expires_at: datetime
) -> None:
    number = job.round + 1
    await store.update_instant_job(call.work, job.id, round=number)
    await store.insert_instant_offers(
        call.work,
        [
            {
                "job_id": job.id,
                "driver_id": rider.driver_id,
                "round": number,
                "away_m": away_m,
                "offered_at": call.now,
                "expires_at": expires_at,
            }
            for rider, away_m in chosen
        ],
    )
    await call.enqueue(NEXT_ROUND_JOB, StartNextRound(job_id=job.id, round=number), run_at=expires_at)
    ids = tuple(rider.driver_id for rider, _ in chosen)
    event = OrderOffered(job_id=job.id, order_id=job.order_id, driver_ids=ids, round=number, expires_at=expires_at)
    await call.publish(event)


async def request_waiting_orders(call: Call) -> None:
    """Offer waiting orders again, because a driver came on duty."""
    for job in await store.list_unasked_jobs(call.work, MAX_JOBS_AT_ONCE):
        await call.enqueue(NEXT_ROUND_JOB, StartNextRound(job_id=job.id, round=job.round, timed=False))


async def _find_riders_for_round(
    call: Call, job: InstantJobRow, policy: RiderPolicy
) -> Sequence[tuple[NearbyRider, int]]:
    """Return the drivers of the next round, or of a farther one if none is nearer."""
    place: LatLng = (job.lat, job.lng)
    within_m = round_radius_m(policy.offer_radius_m, policy.rounds_max)
    # The database narrows by latitude only, with a margin of 1%; the rule measures exactly.
    degrees = within_m / DEGREE_M * 1.01
    rows = await store.list_available_riders(
        call.work, job.id, fresh=call.now - MAX_POSITION_AGE, south=place[0] - degrees, north=place[0] + degrees
    )
    riders = [NearbyRider(row.driver_id, (row.lat, row.lng)) for row in rows]
    for number in range(job.round + 1, policy.rounds_max + 1):
        reach_m = round_radius_m(policy.offer_radius_m, number)
        if chosen := find_nearest_riders(riders, place, reach_m, policy.riders_per_round):
            return chosen
    return []


async def end_instant_job(
    call: Call, job: InstantJobRow, status: InstantJobStatus, *, driver_id: int | None = None, **values: Any
) -> None:
    """End a job and its open offers."""
    await store.close_instant_offers(
        call.work, job.id, OfferStatus.EXPIRED if status is InstantJobStatus.EXPIRED else OfferStatus.LOST
    )
    await store.update_instant_job(call.work, job.id, status=status, driver_id=driver_id, ended_at=call.now, **values)
    call.add_audit_subjects("order", job.order_id)
    event = OfferEnded(job_id=job.id, order_id=job.order_id, status=status.value, driver_id=driver_id, at=call.now)
    await call.publish(event)


async def _has_taken(call: Call, driver: DriverRow, offer: OfferWithJobRow, job: InstantJobRow) -> bool:
    """Return True if this driver accepted the offer and still has its route.

    The answer was then lost in transit.
    """
    if offer.status != OfferStatus.ACCEPTED or job.route_id is None:
        return False
    route = await get_route_row(call, job.route_id)
    return route is not None and route.driver_id == driver.id


def _require_answerable(call: Call, offer: OfferWithJobRow, job: InstantJobRow) -> None:
    if error := check_offer_answerable(job.status, offer.status, offer.expires_at, call.now):
        raise error


async def _lock_offer(call: Call, driver: DriverRow, offer_id: int) -> tuple[OfferWithJobRow, InstantJobRow]:
    """An offer to this driver and its job, which is locked. Raises `NOT_FOUND`."""
    first = await store.get_instant_offer(call.work, offer_id)
    if first is None or first.driver_id != driver.id:
        raise NOT_FOUND()
    job = await store.get_instant_job(call.work, first.job_id, lock=True)
    # The offer is read again under the lock, so that a concurrent answer is seen.
    offer = await store.get_instant_offer(call.work, offer_id)
    if job is None or offer is None:
        raise NOT_FOUND()
    return offer, job


async def accept_instant_offer(call: Call, driver: DriverRow, offer_id: int) -> tuple[InstantJobRow, RouteDetail]:
    """Put the order on a new route of the driver for today.

    A repeat returns that route again. Raises `NOT_FOUND`, `OFFER_GONE`, or the error that prevents planning the order.
    """
    offer, job = await _lock_offer(call, driver, offer_id)
    if job.route_id is not None and await _has_taken(call, driver, offer, job):
        return job, await load_route_detail(call, job.route_id)
    _require_answerable(call, offer, job)
    if not await store.answer_instant_offer(call.work, offer.id, OfferStatus.ACCEPTED, call.now):
        raise OFFER_GONE()
    day = call.today
    created = await create_route(call, CreateRoute(day=day, depot_id=job.depot_id, driver_id=driver.id))
    route = await get_route_row(call, created.route.id, lock=True)
    assert route is not None
    _, refused_orders = await add_orders(call, route, [job.order_id])
    if job.order_id in refused_orders:
        raise refused_orders[job.order_id]
    await end_instant_job(call, job, InstantJobStatus.TAKEN, driver_id=driver.id, route_id=route.id)
    await store.upsert_rider_duty(call.work, driver.id, False, call.now)
    return job, await load_route_detail(call, route.id)


async def decline_instant_offer(call: Call, driver: DriverRow, offer_id: int, reason: str | None) -> None:
    """Decline an offer.

    When every driver of the round has declined, the next round starts at once. Raises `NOT_FOUND` or `OFFER_GONE`.
    """
    offer, job = await _lock_offer(call, driver, offer_id)
    _require_answerable(call, offer, job)
    await store.answer_instant_offer(call.work, offer.id, OfferStatus.DECLINED, call.now, reason)
    of_job = await store.list_offers_of_jobs(call.work, [job.id])
    if not any(other.status == OfferStatus.OFFERED for other in of_job):
        await call.enqueue(NEXT_ROUND_JOB, StartNextRound(job_id=job.id, round=job.round, timed=False))
