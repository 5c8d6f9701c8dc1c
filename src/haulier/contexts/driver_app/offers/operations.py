"""Orders on demand: the office offers them, riders accept or decline."""

from collections import defaultdict
from collections.abc import Sequence

from haulier.contexts.driver_app.driver_account.queries import NO_DRIVER_RECORD, get_calling_driver
from haulier.contexts.driver_app.offers import store
from haulier.contexts.driver_app.offers.actions import (
    accept_instant_offer,
    decline_instant_offer,
    end_instant_job,
    offer_order_nearby,
    request_waiting_orders,
)
from haulier.contexts.driver_app.offers.contract import (
    AcceptedInstantJob,
    AcceptedInstantJobs,
    DeclinedRiderOffer,
    DeclineRiderOffer,
    InstantJob,
    InstantJobAnswer,
    InstantJobRef,
    InstantJobs,
    ListInstantJobs,
    ListMyOffers,
    OfferOrderToRiders,
    OpenRiderOffers,
    RiderDuty,
    RiderOffer,
    RiderOfferRef,
    SetRiderDuty,
)
from haulier.contexts.driver_app.offers.rules import (
    JOB_NOT_OPEN,
    OFFER_GONE,
    ORDER_ALREADY_OFFERED,
    InstantJobStatus,
    OfferStatus,
)
from haulier.contexts.driver_app.offers.serializers import serialize_open_offers
from haulier.contexts.driver_app.offers.store import InstantJobRow, InstantOfferRow
from haulier.contexts.driver_app.policy.operations import DRIVERS_ONLY
from haulier.contexts.driver_app.positions.actions import record_positions
from haulier.contexts.driver_app.positions.rules import DevicePoint
from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_FOR_PICKUP
from haulier.contexts.routes.assignments.rules import ORDER_ON_ROUTE
from haulier.contexts.routes.pools.rules import ORDER_HELD_BY_CONTRACTOR, ORDER_NOT_PLANNABLE
from haulier.contexts.routes.public import get_route_rows, serialize_routes
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record

INSTANT_JOBS_PATH = "/v1/instant-jobs"
RIDER_OFFER_PATH = "/v1/rider/offers/{offer_id}"
MAX_JOBS_SHOWN = 50
ENDED_ROUTE_STATUSES = frozenset({RouteStatus.FINISHED, RouteStatus.CANCELLED})
UNPLANNABLE_ERRORS = (ORDER_ON_ROUTE, ORDER_HELD_BY_CONTRACTOR, ORDER_FOR_PICKUP, ORDER_NOT_PLANNABLE)
"""Why an order cannot be offered to riders: the same reasons for which the office cannot plan it."""


@writes(
    "offer_order_to_riders",
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ORDER_ALREADY_OFFERED, *UNPLANNABLE_ERRORS),
    interfaces=(Rest("POST", INSTANT_JOBS_PATH), GraphQL("offerOrderToRiders")),
)
async def offer_order_to_riders(call: Call, request: OfferOrderToRiders) -> InstantJobAnswer:
    """Offer an order to nearby available drivers.

    The first driver to accept gets the order. If no driver accepts in time, each further round asks drivers farther
    away, until all rounds are used. If no driver is available, the order waits for up to 15 minutes.
    """
    job_id = await offer_order_nearby(call, request.order_id, request.depot_id)
    return await _instant_job_answer(call, job_id)


@writes(
    "withdraw_instant_job",
    available_when={"status": InstantJobStatus.OPEN.value},
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, JOB_NOT_OPEN),
    interfaces=(Rest("POST", f"{INSTANT_JOBS_PATH}/{{job_id}}/withdraw"), GraphQL("withdrawInstantJob")),
)
async def withdraw_instant_job(call: Call, request: InstantJobRef) -> InstantJobAnswer:
    """Withdraw an on-demand offer.

    An accepted order is on a route and must be handled there.
    """
    job = await store.get_instant_job(call.work, request.job_id, lock=True)
    if job is None:
        raise NOT_FOUND()
    if job.status != InstantJobStatus.OPEN:
        raise JOB_NOT_OPEN(status=job.status)
    await end_instant_job(call, job, InstantJobStatus.WITHDRAWN)
    return await _instant_job_answer(call, job.id)


@reads(
    "list_instant_jobs",
    audience=OFFICE,
    scopes={Scope.ROUTES_READ},
    interfaces=(Rest("GET", INSTANT_JOBS_PATH), GraphQL("instantJobs")),
)
async def list_instant_jobs(call: Call, request: ListInstantJobs) -> InstantJobs:
    """List on-demand offers, newest first.

    Includes the answer of each driver.
    """
    return InstantJobs(jobs=await _instant_job_records(call, await store.list_newest_jobs(call.work, request.limit)))


@writes(
    "set_duty",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=(NO_DRIVER_RECORD,),
    interfaces=(Rest("PUT", "/v1/rider/duty"), GraphQL("setDuty")),
)
async def set_duty(call: Call, request: SetRiderDuty) -> RiderDuty:
    """Set your on-demand availability.

    Also reports your position. Accepting an offer ends your availability. A waiting order within reach is offered to
    you at once.
    """
    driver = await get_calling_driver(call)
    if request.position is not None:
        await record_positions(
            call, driver, [DevicePoint(occurred_at=call.now, lat=request.position.lat, lng=request.position.lng)]
        )
    await store.upsert_rider_duty(call.work, driver.id, request.available, call.now)
    if request.available:
        await request_waiting_orders(call)
    return RiderDuty(available=request.available)


@reads(
    "list_my_offers",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_READ},
    errors=(NO_DRIVER_RECORD,),
    interfaces=(Rest("GET", "/v1/rider/offers"), GraphQL("myOffers")),
)
async def list_my_offers(call: Call, request: ListMyOffers) -> OpenRiderOffers:
    """List the offers open to you.

    Offers that expire first come first.
    """
    driver = await get_calling_driver(call)
    rows = await store.list_open_instant_offers(call.work, driver.id, call.now)
    return OpenRiderOffers(offers=await serialize_open_offers(call, driver, rows))


@writes(
    "accept_offer",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, NO_DRIVER_RECORD, OFFER_GONE, *UNPLANNABLE_ERRORS),
    interfaces=(Rest("POST", f"{RIDER_OFFER_PATH}/accept"), GraphQL("acceptOffer")),
)
async def accept_offer(call: Call, request: RiderOfferRef) -> AcceptedInstantJob:
    """Accept an order offered to you.

    The first driver to accept gets it. The order is placed on a new route of yours, which you start, pick up and
    deliver as usual. Repeating it returns the same route.
    """
    job, route = await accept_instant_offer(call, await get_calling_driver(call), request.offer_id)
    return AcceptedInstantJob(job_id=job.id, order_id=job.order_id, route=route)


@writes(
    "decline_offer",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=(NOT_FOUND, NO_DRIVER_RECORD, OFFER_GONE),
    interfaces=(Rest("POST", f"{RIDER_OFFER_PATH}/decline"), GraphQL("declineOffer")),
)
async def decline_offer(call: Call, request: DeclineRiderOffer) -> DeclinedRiderOffer:
    """Decline an order offered to you.

    When all drivers of the round have declined, the next round starts at once.
    """
    await decline_instant_offer(call, await get_calling_driver(call), request.offer_id, request.reason)
    return DeclinedRiderOffer(offer_id=request.offer_id, message=call.translate("offer_declined"))


@reads(
    "list_my_jobs",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_READ},
    errors=(NO_DRIVER_RECORD,),
    interfaces=(Rest("GET", "/v1/rider/jobs"), GraphQL("myJobs")),
)
async def list_my_jobs(call: Call, request: ListMyOffers) -> AcceptedInstantJobs:
    """List your open on-demand orders.

    Returns accepted orders that are not completed, each with its route.
    """
    jobs = await store.list_jobs_taken_by(call.work, (await get_calling_driver(call)).id, MAX_JOBS_SHOWN)
    rows = await get_route_rows(call, [job.route_id for job in jobs if job.route_id])
    open_routes = {
        route.id: route
        for route in await serialize_routes(call, list(rows.values()))
        if route.status not in ENDED_ROUTE_STATUSES
    }
    return AcceptedInstantJobs(
        jobs=[
            AcceptedInstantJob(job_id=job.id, order_id=job.order_id, route=open_routes[job.route_id])
            for job in jobs
            if job.route_id in open_routes
        ]
    )


async def _instant_job_answer(call: Call, job_id: int) -> InstantJobAnswer:
    job = await store.get_instant_job(call.work, job_id)
    assert job is not None
    return InstantJobAnswer(job=(await _instant_job_records(call, [job]))[0])


async def _instant_job_records(call: Call, jobs: Sequence[InstantJobRow]) -> list[InstantJob]:
    offers: defaultdict[int, list[RiderOffer]] = defaultdict(list)
    for row in await store.list_offers_of_jobs(call.work, [job.id for job in jobs]):
        offers[row.job_id].append(_rider_offer_record(call, row))
    return [
        record(
            InstantJob,
            job,
            status=InstantJobStatus(job.status),
            created_at=call.local_time(job.created_at),
            ended_at=call.local_time(job.ended_at),
            offers=offers[job.id],
        )
        for job in jobs
    ]


def _rider_offer_record(call: Call, row: InstantOfferRow) -> RiderOffer:
    return record(
        RiderOffer,
        row,
        status=OfferStatus(row.status),
        offered_at=call.local_time(row.offered_at),
        expires_at=call.local_time(row.expires_at),
        answered_at=call.local_time(row.answered_at),
    )
