"""A rider answers an offer: the first who accepts has the order, and drives it as a route like any other."""

from typing import Any

from haulier.contexts.dispatch.riders.offering import NEXT_ROUND, NextRound, end
from haulier.contexts.dispatch.riders.rules.offering import OFFER_GONE, InstantJobStatus, OfferStatus, why_not_answer
from haulier.contexts.dispatch.riders.store import offers
from haulier.contexts.dispatch.routes import store as route_store
from haulier.contexts.dispatch.routes.boarding import put_on
from haulier.contexts.dispatch.routes.contract import CreateRoute, Route
from haulier.contexts.dispatch.routes.operations.planning import create_route
from haulier.contexts.dispatch.routes.showing import shown
from haulier.kernel.call import Call
from haulier.kernel.errors import NOT_FOUND


async def the_offer(call: Call, driver: Any, offer_id: int) -> tuple[Any, Any]:
    """An offer that is open and was made to this driver, and its job, locked. Raises `NOT_FOUND` or `OFFER_GONE`.

    The offer is read after its job is locked: what another rider did meanwhile is then seen.
    """
    first = await offers.offer(call.work, offer_id)
    if first is None or first.driver_id != driver.id:
        raise NOT_FOUND()
    job = await offers.job(call.work, first.job_id, lock=True)
    offer = await offers.offer(call.work, offer_id)
    if refusal := why_not_answer(job.status, offer.status, offer.expires_at, call.now):
        raise refusal
    return offer, job


async def accept(call: Call, driver: Any, offer_id: int) -> tuple[Any, Route]:
    """Take the order: it goes on a route of today that is the rider's. Raises `OFFER_GONE`, or why it cannot be planned."""
    offer, job = await the_offer(call, driver, offer_id)
    if not await offers.answer(call.work, offer.id, OfferStatus.ACCEPTED, call.now):
        raise OFFER_GONE()
    day = call.now.astimezone(call.time_zone).date()
    made = await create_route(call, CreateRoute(day=day, depot_id=job.depot_id, driver_id=driver.id))
    route = await route_store.one(call.work, made.route.id, lock=True)
    _, refused = await put_on(call, route, [job.order_id])
    if job.order_id in refused:
        raise refused[job.order_id]
    await end(call, job, InstantJobStatus.TAKEN, driver_id=driver.id, route_id=route.id)
    await offers.set_duty(call.work, driver.id, False, call.now)
    return job, await shown(call, route.id)


async def decline(call: Call, driver: Any, offer_id: int, reason: str | None) -> None:
    """Leave the order to others; when everybody asked has said no, the next are asked at once. Raises `OFFER_GONE`."""
    offer, job = await the_offer(call, driver, offer_id)
    await offers.answer(call.work, offer.id, OfferStatus.DECLINED, call.now, reason)
    left = [each for each in await offers.offers_of(call.work, [job.id]) if each.status == OfferStatus.OFFERED]
    if not left:
        await call.post(NEXT_ROUND, NextRound(job_id=job.id, round=job.round))
