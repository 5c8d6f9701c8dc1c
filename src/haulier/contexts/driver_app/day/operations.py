"""Driver's day: routes of today, accepting and declining, and the app policy."""

from haulier.contexts.driver_app.day.actions import accept_given_route, return_route
from haulier.contexts.driver_app.day.contract import AnswerRoute, DeclinedRoute, GetRiderDay, RiderDay, RiderRouteAnswer
from haulier.contexts.driver_app.day.rules import find_changes, make_cursor, read_cursor
from haulier.contexts.driver_app.day.serializers import (
    build_snapshot,
    only_changed,
    serialize_rider_route,
    serialize_rider_routes,
)
from haulier.contexts.driver_app.driver_account.queries import NO_DRIVER_RECORD, get_calling_driver
from haulier.contexts.driver_app.offers.queries import is_rider_available
from haulier.contexts.driver_app.policy.operations import DRIVERS_ONLY, RIDER_ROUTE_PATH
from haulier.contexts.driver_app.policy.queries import load_rider_policy
from haulier.contexts.routes.public import correct_device_time, get_visible_route, list_driver_route_rows
from haulier.contexts.routes.routes.contract import RouteRef
from haulier.contexts.routes.routes.rules.progress import ROUTE_CANNOT, WITHDRAW_TOO_LATE
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND


@reads(
    "get_rider_day",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_READ},
    errors=(NO_DRIVER_RECORD,),
    interfaces=(Rest("GET", "/v1/rider/routes/today"), GraphQL("riderDay")),
)
async def get_rider_day(call: Call, request: GetRiderDay) -> RiderDay:
    """Get the driver app data for today.

    Returns the routes, the handovers at each stop, and the rules. “Today” is the calendar day of the business. Drivers
    see only their own routes, and contacts only of stops still to be visited.
    """
    driver = await get_calling_driver(call)
    day, policy = call.today, await load_rider_policy(call)
    rows = await list_driver_route_rows(call, driver.id, day)
    routes = await serialize_rider_routes(call, driver.id, rows, policy)
    snapshot = build_snapshot(routes)
    known = read_cursor(request.changed_since) if request.changed_since else None
    changes = find_changes(known, snapshot) if known else None
    return RiderDay(
        day=day,
        driver_id=driver.id,
        driver_name=driver.name,
        available=await is_rider_available(call, driver.id),
        policy=policy,
        routes=only_changed(routes, changes) if changes else routes,
        cursor=make_cursor(snapshot),
        complete=changes is None,
        gone_route_ids=sorted(changes.gone_route_ids) if changes else [],
        gone_stop_ids=sorted(changes.gone_stop_ids) if changes else [],
    )


@reads(
    "get_rider_route",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND, NO_DRIVER_RECORD),
    interfaces=(Rest("GET", RIDER_ROUTE_PATH), GraphQL("riderRoute")),
)
async def get_rider_route(call: Call, request: RouteRef) -> RiderRouteAnswer:
    """Get one of your own routes.

    Includes its stops, scans and available actions.
    """
    driver = await get_calling_driver(call)
    row = await get_visible_route(call, request.route_id)
    return RiderRouteAnswer(route=await serialize_rider_route(call, driver.id, row))


@writes(
    "accept_route",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=(NOT_FOUND, NO_DRIVER_RECORD, ROUTE_CANNOT),
    interfaces=(Rest("POST", f"{RIDER_ROUTE_PATH}/accept"), GraphQL("acceptRoute")),
)
async def accept_route(call: Call, request: AnswerRoute) -> RiderRouteAnswer:
    """Accept a route assigned to you.

    Repeating it changes nothing.
    """
    driver = await get_calling_driver(call)
    await accept_given_route(call, driver, await correct_device_time(call, request))
    row = await get_visible_route(call, request.route_id)
    return RiderRouteAnswer(route=await serialize_rider_route(call, driver.id, row))


@writes(
    "decline_route",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, NO_DRIVER_RECORD, ROUTE_CANNOT, WITHDRAW_TOO_LATE),
    interfaces=(Rest("POST", f"{RIDER_ROUTE_PATH}/decline"), GraphQL("declineRoute")),
)
async def decline_route(call: Call, request: AnswerRoute) -> DeclinedRoute:
    """Decline a route assigned to you.

    The route must not have started. It becomes a draft again and appears in the exceptions of the day. A route from the
    driver route board goes to the first driver on its waiting list, and cannot be declined after its deadline.
    """
    driver = await get_calling_driver(call)
    await return_route(call, driver, await correct_device_time(call, request))
    return DeclinedRoute(route_id=request.route_id, message=call.translate("route_declined"))
