"""A rider answers an offer: the first who accepts has the order, and drives it as a route like any other."""

from typing import Any

from haulier.contexts.driver_app.offers import store as offers
from haulier.contexts.driver_app.offers.actions.offer_rounds import NEXT_ROUND_JOB, StartNextRound, end_instant_job
from haulier.contexts.driver_app.offers.rules import OFFER_GONE, InstantJobStatus, OfferStatus, check_offer_answerable
from haulier.contexts.routes.routes import store as route_store
from haulier.contexts.routes.routes.actions.route_orders import add_orders
from haulier.contexts.routes.routes.contract.routes import CreateRoute, RouteDetail
from haulier.contexts.routes.routes.operations.routes import create_route
from haulier.contexts.routes.routes.serializers import load_route_detail
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import NOT_FOUND


async def lock_open_offer(call: Call, driver: Any, offer_id: int) -> tuple[Any, Any]:
    """An offer that is open and was made to this driver, and its job, locked. Raises `NOT_FOUND` or `OFFER_GONE`.

    The offer is read after its job is locked: what another rider did meanwhile is then seen.
    """
    first = await offers.get_instant_offer(call.work, offer_id)
    if first is None or first.driver_id != driver.id:
        raise NOT_FOUND()
    job = await offers.get_instant_job(call.work, first.job_id, lock=True)
    offer = await offers.get_instant_offer(call.work, offer_id)
    if refusal := check_offer_answerable(job.status, offer.status, offer.expires_at, call.now):
        raise refusal
    return offer, job


async def accept_instant_offer(call: Call, driver: Any, offer_id: int) -> tuple[Any, RouteDetail]:
    """Take the order: it goes on a route of today that is the rider's. Raises `OFFER_GONE`, or why it cannot be planned."""
    offer, job = await lock_open_offer(call, driver, offer_id)
    if not await offers.answer_instant_offer(call.work, offer.id, OfferStatus.ACCEPTED, call.now):
        raise OFFER_GONE()
    day = call.now.astimezone(call.time_zone).date()
    made = await create_route(call, CreateRoute(day=day, depot_id=job.depot_id, driver_id=driver.id))
    route = await route_store.get_route_row(call.work, made.route.id, lock=True)
    _, refused = await add_orders(call, route, [job.order_id])
    if job.order_id in refused:
        raise refused[job.order_id]
    await end_instant_job(call, job, InstantJobStatus.TAKEN, driver_id=driver.id, route_id=route.id)
    await offers.upsert_rider_duty(call.work, driver.id, False, call.now)
    return job, await load_route_detail(call, route.id)


async def decline_instant_offer(call: Call, driver: Any, offer_id: int, reason: str | None) -> None:
    """Leave the order to others; when everybody asked has said no, the next are asked at once. Raises `OFFER_GONE`."""
    offer, job = await lock_open_offer(call, driver, offer_id)
    await offers.answer_instant_offer(call.work, offer.id, OfferStatus.DECLINED, call.now, reason)
    left = [
        each for each in await offers.list_offers_of_jobs(call.work, [job.id]) if each.status == OfferStatus.OFFERED
    ]
    if not left:
        await call.enqueue(NEXT_ROUND_JOB, StartNextRound(job_id=job.id, round=job.round))
