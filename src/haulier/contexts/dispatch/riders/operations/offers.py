"""Orders on demand: the office offers, riders take or leave."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from haulier.contexts.dispatch.assignments.rules import ORDER_ON_ROUTE
from haulier.contexts.dispatch.pools.rules import ORDER_HELD_BY_CONTRACTOR, ORDER_NOT_PLANNABLE
from haulier.contexts.dispatch.riders.acting import NO_DRIVER_RECORD, myself
from haulier.contexts.dispatch.riders.contract.offers import (
    DeclineOffer,
    InstantJob,
    InstantJobAnswer,
    InstantJobs,
    ListJobs,
    MyJobs,
    MyOffer,
    MyOffers,
    MyOffersAnswer,
    OfferDeclined,
    OfferOrder,
    RiderDuty,
    RiderOffer,
    SetDuty,
    TakenJob,
    TheJob,
    TheOffer,
)
from haulier.contexts.dispatch.riders.offering import end, offer_order
from haulier.contexts.dispatch.riders.operations.day import DRIVER, TAG
from haulier.contexts.dispatch.riders.pinging import note
from haulier.contexts.dispatch.riders.rules.offering import (
    JOB_NOT_OPEN,
    OFFER_GONE,
    ORDER_ALREADY_OFFERED,
    InstantJobStatus,
    OfferStatus,
)
from haulier.contexts.dispatch.riders.rules.thinning import DevicePoint
from haulier.contexts.dispatch.riders.store import offers
from haulier.contexts.dispatch.riders.taking import accept, decline
from haulier.contexts.dispatch.routes import store as route_store
from haulier.contexts.dispatch.routes.rules.machine import RouteStatus
from haulier.contexts.dispatch.routes.showing import detailed
from haulier.contexts.orders.public import facts
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Rest, reads, writes

JOBS = "/v1/instant-jobs"
OFFER = "/v1/rider/offers/{offer_id}"
JOBS_SHOWN = 50
OVER = frozenset({RouteStatus.FINISHED, RouteStatus.CANCELLED})
UNPLANNED = (ORDER_ON_ROUTE, ORDER_HELD_BY_CONTRACTOR, ORDER_NOT_PLANNABLE)
"""What an order that the office cannot plan is not given to riders for."""


@writes(
    "offer_order_to_riders",
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ORDER_ALREADY_OFFERED, *UNPLANNED),
    doors=(Rest("POST", JOBS, tag=TAG), GraphQL("offerOrderToRiders")),
)
async def offer_order_to_riders(call: Call, request: OfferOrder) -> InstantJobAnswer:
    """Offer an order to available riders nearby; the first who accepts has it.

    When nobody of a round accepts in time, others are asked, farther away each time, until the rounds are used up.
    """
    job_id = await offer_order(call, request.order_id, request.depot_id)
    return InstantJobAnswer(job=(await _records(call, [await offers.job(call.work, job_id)]))[0])


@writes(
    "withdraw_instant_job",
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, JOB_NOT_OPEN),
    doors=(Rest("POST", f"{JOBS}/{{job_id}}/withdraw", tag=TAG), GraphQL("withdrawInstantJob")),
)
async def withdraw_instant_job(call: Call, request: TheJob) -> InstantJobAnswer:
    """Offer an order no longer. One that a rider has taken is on a route and is dealt with there."""
    job = await offers.job(call.work, request.job_id, lock=True)
    if job is None:
        raise NOT_FOUND()
    if job.status != InstantJobStatus.OPEN:
        raise JOB_NOT_OPEN(status=job.status)
    await end(call, job, InstantJobStatus.WITHDRAWN)
    return InstantJobAnswer(job=(await _records(call, [await offers.job(call.work, job.id)]))[0])


@reads(
    "list_instant_jobs",
    audience=OFFICE,
    scopes={Scope.ROUTES_READ},
    doors=(Rest("GET", JOBS, tag=TAG), GraphQL("instantJobs")),
)
async def list_instant_jobs(call: Call, request: ListJobs) -> InstantJobs:
    """List the orders that were offered on demand, newest first, with what each rider said."""
    return InstantJobs(jobs=await _records(call, await offers.listed(call.work, request.limit)))


@writes(
    "set_duty",
    audience=DRIVER,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=(NO_DRIVER_RECORD,),
    doors=(Rest("PUT", "/v1/rider/duty", tag=TAG), GraphQL("setDuty")),
)
async def set_duty(call: Call, request: SetDuty) -> RiderDuty:
    """Say whether orders on demand may be offered to you, and where you are. Accepting one switches it off."""
    driver = await myself(call)
    if request.position is not None:
        await note(
            call, driver, [DevicePoint(occurred_at=call.now, lat=request.position.lat, lng=request.position.lng)]
        )
    await offers.set_duty(call.work, driver.id, request.available, call.now)
    return RiderDuty(available=request.available)


@reads(
    "my_offers",
    audience=DRIVER,
    scopes={Scope.ROUTES_READ},
    errors=(NO_DRIVER_RECORD,),
    doors=(Rest("GET", "/v1/rider/offers", tag=TAG), GraphQL("myOffers")),
)
async def my_offers(call: Call, request: MyOffers) -> MyOffersAnswer:
    """List the orders that you may take now, what expires first first."""
    rows = await offers.open_offers(call.work, (await myself(call)).id, call.now)
    orders = await facts(call, {row.order_id for row in rows})
    found = [(row, orders[row.order_id]) for row in rows if row.order_id in orders]
    return MyOffersAnswer(
        offers=[
            MyOffer(
                id=row.id,
                job_id=row.job_id,
                order_id=row.order_id,
                type=order.type,
                away_m=row.away_m,
                lat=row.lat,
                lng=row.lng,
                to_address=order.address,
                to_lat=order.lat,
                to_lng=order.lng,
                weight_g=order.weight_g,
                offered_at=row.offered_at.astimezone(call.time_zone),
                expires_at=row.expires_at.astimezone(call.time_zone),
            )
            for row, order in found
        ]
    )


@writes(
    "accept_offer",
    audience=DRIVER,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, NO_DRIVER_RECORD, OFFER_GONE, *UNPLANNED),
    doors=(Rest("POST", f"{OFFER}/accept", tag=TAG), GraphQL("acceptOffer")),
)
async def accept_offer(call: Call, request: TheOffer) -> TakenJob:
    """Take an order that is offered to you: first come, first served.

    It is then a route of yours, to be started, picked up and delivered like any other.
    """
    job, route = await accept(call, await myself(call), request.offer_id)
    return TakenJob(job_id=job.id, order_id=job.order_id, route=route)


@writes(
    "decline_offer",
    audience=DRIVER,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=(NOT_FOUND, NO_DRIVER_RECORD, OFFER_GONE),
    doors=(Rest("POST", f"{OFFER}/decline", tag=TAG), GraphQL("declineOffer")),
)
async def decline_offer(call: Call, request: DeclineOffer) -> OfferDeclined:
    """Leave an order to others. When everybody who was asked has said no, the next are asked at once."""
    await decline(call, await myself(call), request.offer_id, request.reason)
    return OfferDeclined(offer_id=request.offer_id, message=call.say("offer_declined"))


@reads(
    "my_jobs",
    audience=DRIVER,
    scopes={Scope.ROUTES_READ},
    errors=(NO_DRIVER_RECORD,),
    doors=(Rest("GET", "/v1/rider/jobs", tag=TAG), GraphQL("myJobs")),
)
async def my_jobs(call: Call, request: MyOffers) -> MyJobs:
    """List the orders on demand that you took and that are not over yet, each with its route."""
    jobs = await offers.taken_by(call.work, (await myself(call)).id, JOBS_SHOWN)
    rows = await route_store.some(call.work, [job.route_id for job in jobs if job.route_id])
    going = {route.id: route for route in await detailed(call, list(rows.values())) if route.status not in OVER}
    return MyJobs(
        jobs=[
            TakenJob(job_id=job.id, order_id=job.order_id, route=going[job.route_id])
            for job in jobs
            if job.route_id in going
        ]
    )


async def _records(call: Call, jobs: Sequence[Any]) -> list[InstantJob]:
    said: defaultdict[int, list[RiderOffer]] = defaultdict(list)
    for row in await offers.offers_of(call.work, [job.id for job in jobs]):
        said[row.job_id].append(_offer(call, row))
    return [
        InstantJob(
            id=job.id,
            order_id=job.order_id,
            status=InstantJobStatus(job.status),
            round=job.round,
            driver_id=job.driver_id,
            route_id=job.route_id,
            created_at=job.created_at.astimezone(call.time_zone),
            ended_at=job.ended_at and job.ended_at.astimezone(call.time_zone),
            offers=said[job.id],
        )
        for job in jobs
    ]


def _offer(call: Call, row: Any) -> RiderOffer:
    return RiderOffer(
        id=row.id,
        driver_id=row.driver_id,
        round=row.round,
        status=OfferStatus(row.status),
        away_m=row.away_m,
        offered_at=row.offered_at.astimezone(call.time_zone),
        expires_at=row.expires_at.astimezone(call.time_zone),
        answered_at=row.answered_at and row.answered_at.astimezone(call.time_zone),
        reason=row.reason,
    )
