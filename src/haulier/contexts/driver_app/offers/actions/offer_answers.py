"""Answers of riders to store. The first who accepts gets the order, on a new route."""

from haulier.contexts.driver_app.offers import store
from haulier.contexts.driver_app.offers.actions.offer_rounds import NEXT_ROUND_JOB, StartNextRound, end_instant_job
from haulier.contexts.driver_app.offers.rules import OFFER_GONE, InstantJobStatus, OfferStatus, check_offer_answerable
from haulier.contexts.driver_app.offers.store import InstantJobRow, OfferWithJobRow
from haulier.contexts.fleet.public import DriverRow
from haulier.contexts.routes.public import add_orders, create_route, get_route_row, load_route_detail
from haulier.contexts.routes.routes.contract.routes import CreateRoute, RouteDetail
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import NOT_FOUND


async def _has_taken(call: Call, driver: DriverRow, offer: OfferWithJobRow, job: InstantJobRow) -> bool:
    """Whether this driver took the job by this offer and still has its route: the answer to that was lost on its way."""
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
    # Why: the offer is read again under the lock, so that another rider's answer of a moment ago is seen.
    offer = await store.get_instant_offer(call.work, offer_id)
    if job is None or offer is None:
        raise NOT_FOUND()
    return offer, job


async def accept_instant_offer(call: Call, driver: DriverRow, offer_id: int) -> tuple[InstantJobRow, RouteDetail]:
    """Put the order on a new route of the rider for today. Who accepted it before gets that route again.

    Raises `NOT_FOUND`, `OFFER_GONE`, or why the order cannot be planned.
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
    """Decline an offer. When every rider of the round has declined, the next round starts at once.

    Raises `NOT_FOUND` or `OFFER_GONE`.
    """
    offer, job = await _lock_offer(call, driver, offer_id)
    _require_answerable(call, offer, job)
    await store.answer_instant_offer(call.work, offer.id, OfferStatus.DECLINED, call.now, reason)
    of_job = await store.list_offers_of_jobs(call.work, [job.id])
    if not any(other.status == OfferStatus.OFFERED for other in of_job):
        await call.enqueue(NEXT_ROUND_JOB, StartNextRound(job_id=job.id, round=job.round, timed=False))
