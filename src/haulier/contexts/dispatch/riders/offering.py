"""Orders offered on demand: rounds of riders are asked until one accepts, the last round expires, or it is withdrawn."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.dispatch.depots import store as depot_store
from haulier.contexts.dispatch.events import OfferEnded, OrderOffered
from haulier.contexts.dispatch.pools.membership import pool_order, rules_of
from haulier.contexts.dispatch.pools.rules import why_not_plan
from haulier.contexts.dispatch.riders.rules.offering import (
    FRESH,
    ORDER_ALREADY_OFFERED,
    InstantJobStatus,
    OfferStatus,
    Rider,
    nearest,
    reach_m,
)
from haulier.contexts.dispatch.riders.rules.policy import RiderPolicy
from haulier.contexts.dispatch.riders.store import offers
from haulier.contexts.dispatch.riders.store.policy import policy
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.orders.public import OrderFacts, facts
from haulier.kernel.call import Call
from haulier.kernel.data.work import Conflict
from haulier.kernel.errands import errand
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND, Fault, Refusal
from haulier.kernel.geography import LatLng, great_circle_m
from haulier.kernel.run import Run

NEXT_ROUND = "riders.next_round"
DEGREE_M = 111_195
"""A degree of latitude on the mean sphere."""
DEPOTS_MAX = 200


class NextRound(Struct, frozen=True, kw_only=True):
    """A round is over: whoever did not answer is asked no more."""

    job_id: int
    round: int


async def offer_order(call: Call, order_id: int, depot_id: int | None) -> int:
    """Offer an order to riders nearby; the id of the job.

    Raises `NOT_FOUND`, why the order cannot be planned, or `ORDER_ALREADY_OFFERED`.
    """
    order = (await facts(call, [order_id], lock=True)).get(order_id)
    if order is None:
        raise NOT_FOUND()
    if refusal := await _why_not(call, order):
        raise refusal
    depot = await _depot(call, order, depot_id)
    lat, lng = order.pickup or (depot.lat, depot.lng)
    try:
        async with call.work.savepoint():
            job_id = await offers.add_job(
                call.work,
                order_id=order_id,
                depot_id=depot.id,
                lat=lat,
                lng=lng,
                asked_by=call.actor,
                created_at=call.now,
            )
    except Conflict:
        raise ORDER_ALREADY_OFFERED(order_id=order_id) from None
    call.concerns("order", order_id)
    await start_round(call, await offers.job(call.work, job_id, lock=True), await policy(call.work))
    return job_id


async def _why_not(call: Call, order: OrderFacts) -> Refusal | None:
    """Why the office could not plan the order now, or None."""
    standing = (await stop_store.routes_of(call.work, [order.id])).get(order.id)
    return why_not_plan(pool_order(order), None, await rules_of(call, None), standing)


async def _depot(call: Call, order: OrderFacts, depot_id: int | None) -> Any:
    """The depot that was named, or the open one that is nearest to where the job starts or ends."""
    if depot_id is not None:
        named = await depot_store.one(call.work, depot_id)
        found = [] if named is None or named.closed else [named]
    else:
        found, _ = await depot_store.page(call.work, closed=False, limit=DEPOTS_MAX, offset=0)
    door = order.pickup or ((order.lat, order.lng) if order.lat is not None and order.lng is not None else None)
    if not found:
        raise INVALID_REQUEST.at(Fault("depot_id", "field.depot_unknown"))
    return min(found, key=lambda depot: great_circle_m(door, (depot.lat, depot.lng)) if door else 0)


async def start_round(call: Call, job: Any, rules: RiderPolicy) -> None:
    """Ask the nearest riders who were not asked yet, or end the job after its last round."""
    if job.round >= rules.rounds_max:
        await end(call, job, InstantJobStatus.EXPIRED)
        return
    number, expires_at = job.round + 1, call.now + timedelta(seconds=rules.offer_seconds)
    asked = await _near(call, job, number, rules)
    await offers.change_job(call.work, job.id, round=number)
    await offers.add_offers(
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
            for rider, away_m in asked
        ],
    )
    await call.post(NEXT_ROUND, NextRound(job_id=job.id, round=number), run_at=expires_at)
    if asked:
        ids = tuple(rider.driver_id for rider, _ in asked)
        news = OrderOffered(job_id=job.id, order_id=job.order_id, driver_ids=ids, round=number, expires_at=expires_at)
        await call.announce(news)


async def _near(call: Call, job: Any, number: int, rules: RiderPolicy) -> Sequence[tuple[Rider, int]]:
    place: LatLng = (job.lat, job.lng)
    within_m = reach_m(rules.offer_radius_m, number)
    degrees = within_m / DEGREE_M * 1.01
    rows = await offers.ready(
        call.work, job.id, fresh=call.now - FRESH, south=place[0] - degrees, north=place[0] + degrees
    )
    riders = [Rider(row.driver_id, (row.lat, row.lng)) for row in rows]
    return nearest(riders, place, within_m, rules.riders_per_round)


async def end(call: Call, job: Any, status: InstantJobStatus, *, driver_id: int | None = None, **values: Any) -> None:
    """End a job; whoever has not answered yet is asked no more."""
    await offers.close_offers(
        call.work, job.id, OfferStatus.EXPIRED if status is InstantJobStatus.EXPIRED else OfferStatus.LOST
    )
    await offers.change_job(call.work, job.id, status=status, driver_id=driver_id, ended_at=call.now, **values)
    call.concerns("order", job.order_id)
    news = OfferEnded(job_id=job.id, order_id=job.order_id, status=status.value, driver_id=driver_id, at=call.now)
    await call.announce(news)


@errand(NEXT_ROUND, NextRound)
async def next_round(run: Run, args: NextRound) -> None:
    """Ask the next riders, unless the job or its round is over already. Running it again changes nothing."""
    async with run.call() as call:
        job = await offers.job(call.work, args.job_id, lock=True)
        if job is None or job.status != InstantJobStatus.OPEN or job.round != args.round:
            return
        await offers.close_offers(call.work, job.id, OfferStatus.EXPIRED)
        order = (await facts(call, [job.order_id])).get(job.order_id)
        if order is None or await _why_not(call, order):
            await end(call, job, InstantJobStatus.WITHDRAWN)
        else:
            await start_round(call, job, await policy(call.work))
