"""The driver's day: routes of today, one route, accepting and declining, and what the client asks of the app."""

from haulier.contexts.dispatch.riders.acting import NO_DRIVER_RECORD, accept, decline, myself
from haulier.contexts.dispatch.riders.contract.doorstep import (
    AnswerRoute,
    PolicyAnswer,
    RiderDay,
    RiderRouteAnswer,
    RouteDeclined,
    SetPolicy,
)
from haulier.contexts.dispatch.riders.showing import for_driver
from haulier.contexts.dispatch.riders.store import offers
from haulier.contexts.dispatch.riders.store.policy import policy, set_policy
from haulier.contexts.dispatch.route_board.rules import WITHDRAW_TOO_LATE
from haulier.contexts.dispatch.routes import store as route_store
from haulier.contexts.dispatch.routes.contract import TheRoute
from haulier.contexts.dispatch.routes.finding import visible_route
from haulier.contexts.dispatch.routes.rules.machine import ROUTE_CANNOT
from haulier.kernel.call import Call
from haulier.kernel.declarations import STAFF, Account, Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Nothing, Rest, reads, writes

TAG = "InstantRider"
DRIVER = frozenset({Account.DRIVER})
ROUTE = "/v1/rider/routes/{route_id}"


@reads(
    "rider_day",
    audience=DRIVER,
    scopes={Scope.ROUTES_READ},
    errors=(NO_DRIVER_RECORD,),
    doors=(Rest("GET", "/v1/rider/routes/today", tag=TAG), GraphQL("riderDay")),
)
async def rider_day(call: Call, request: Nothing) -> RiderDay:
    """Show everything the driver's app needs on opening: today's routes with their stops, and the client's rules.

    Today is the business's calendar day. A driver sees only their own routes.
    """
    driver = await myself(call)
    day = call.now.astimezone(call.time_zone).date()
    rows = await route_store.of_driver_on(call.work, driver.id, day)
    return RiderDay(
        day=day,
        driver_id=driver.id,
        driver_name=driver.name,
        available=(await offers.duty(call.work, [driver.id])).get(driver.id, False),
        policy=await policy(call.work),
        routes=await for_driver(call, driver.id, rows),
    )


@reads(
    "rider_route",
    audience=DRIVER,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND, NO_DRIVER_RECORD),
    doors=(Rest("GET", ROUTE, tag=TAG), GraphQL("riderRoute")),
)
async def rider_route(call: Call, request: TheRoute) -> RiderRouteAnswer:
    """Show one of the driver's own routes: its stops, what was scanned, and what may be done next."""
    driver = await myself(call)
    row = await visible_route(call, request.route_id)
    return RiderRouteAnswer(route=(await for_driver(call, driver.id, [row]))[0])


@writes(
    "accept_route",
    audience=DRIVER,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=(NOT_FOUND, NO_DRIVER_RECORD, ROUTE_CANNOT),
    doors=(Rest("POST", f"{ROUTE}/accept", tag=TAG), GraphQL("acceptRoute")),
)
async def accept_route(call: Call, request: AnswerRoute) -> RiderRouteAnswer:
    """Say that you will drive a route that was given to you. Saying it again changes nothing."""
    driver = await myself(call)
    await accept(call, driver, request)
    row = await visible_route(call, request.route_id)
    return RiderRouteAnswer(route=(await for_driver(call, driver.id, [row]))[0])


@writes(
    "decline_route",
    audience=DRIVER,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, NO_DRIVER_RECORD, ROUTE_CANNOT, WITHDRAW_TOO_LATE),
    doors=(Rest("POST", f"{ROUTE}/decline", tag=TAG), GraphQL("declineRoute")),
)
async def decline_route(call: Call, request: AnswerRoute) -> RouteDeclined:
    """Give back a route that has not started. It is a draft again, which the office sees among the exceptions of the day.

    A route from the driver route board goes to the first in line, and after its deadline it is not taken back.
    """
    await decline(call, await myself(call), request)
    return RouteDeclined(route_id=request.route_id, message=call.say("route_declined"))


@reads(
    "get_rider_policy",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    doors=(Rest("GET", "/v1/rider/policy", tag=TAG), GraphQL("riderPolicy")),
)
async def get_rider_policy(call: Call, request: Nothing) -> PolicyAnswer:
    """Show what the client asks of its drivers' app: proof of delivery, positions, orders on demand."""
    return PolicyAnswer(policy=await policy(call.work))


@writes(
    "set_rider_policy",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", "/v1/rider/policy", tag=TAG), GraphQL("setRiderPolicy")),
)
async def set_rider_policy(call: Call, request: SetPolicy) -> PolicyAnswer:
    """Say what the client asks of its drivers' app. It holds from the next delivery, point and offer on."""
    await set_policy(call.work, **request.model_dump(), changed_at=call.now)
    return PolicyAnswer(policy=await policy(call.work))
