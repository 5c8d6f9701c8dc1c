"""Routes: list, show, and a driver's day."""

from haulier.contexts.fleet.public import get_driver_row_by_user, get_visible_driver
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.contract.routes import (
    DriverRoutesToday,
    GetDriverRoutesToday,
    ListRoutes,
    RouteAnswer,
    RouteList,
    RouteRef,
)
from haulier.contexts.routes.routes.queries import get_visible_route
from haulier.contexts.routes.routes.serializers import serialize_route_summaries, serialize_routes
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import STAFF, Account, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError


@reads(
    "get_routes",
    audience=STAFF,
    scopes={Scope.ROUTES_READ},
    doors=(Rest("GET", "/v1/routes"), GraphQL("routes"), Mcp("get_routes", title="List routes")),
)
async def get_routes(call: Call, request: ListRoutes) -> RouteList:
    """List routes.

    Contractors see their own routes. Drivers see published routes assigned to them.
    """
    account = call.principal.account
    filters = {
        "on_day": request.day,
        "since": request.date_from,
        "until": request.date_to,
        "standing": request.status,
        "driver": request.driver_id,
        "contractor": call.actor if account is Account.CONTRACTOR else request.contractor_id,
        "depot": request.depot_id,
        "driving_user": call.actor if account is Account.DRIVER else None,
    }
    given_filters = {name: value for name, value in filters.items() if value is not None}
    if request.unassigned is not None:
        given_filters["undriven" if request.unassigned else "driven"] = True
    if request.published is not None:
        given_filters["published" if request.published else "unpublished"] = True
    rows, total = await store.list_route_rows(
        call.work, given_filters, limit=request.per_page, offset=request.offset, sort=request.sort
    )
    return RouteList(
        total=total, page=request.page, per_page=request.per_page, routes=await serialize_route_summaries(call, rows)
    )


@reads(
    "get_route_detail",
    audience=STAFF,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND,),
    doors=(
        Rest("GET", "/v1/routes/{route_id}"),
        GraphQL("route"),
        Mcp("get_route_detail", title="Show a route"),
    ),
)
async def get_route_detail(call: Call, request: RouteRef) -> RouteAnswer:
    """Get a route.

    Includes its stops, planned and actual times, and the actions available to the caller. Actual times are observed;
    there are no forecasts.
    """
    row = await get_visible_route(call, request.route_id)
    return RouteAnswer(route=(await serialize_routes(call, [row]))[0])


@reads(
    "get_driver_routes_today",
    audience=STAFF,
    scopes={Scope.ROUTES_READ, Scope.DRIVERS_READ},
    errors=(NOT_FOUND,),
    doors=(
        Rest("GET", "/v1/drivers/{driver_id}/routes/today"),
        Rest("GET", "/v1/drivers/me/routes/today"),
        GraphQL("driverRoutesToday"),
        Mcp("get_driver_routes_today", title="Show a driver's day"),
    ),
)
async def get_driver_routes_today(call: Call, request: GetDriverRoutesToday) -> DriverRoutesToday:
    """List the routes of a driver today.

    Returns all stops. “Today” is the calendar day of the business. Drivers see only their own published routes.
    Contractors see only their own drivers.
    """
    driver_id = request.driver_id or await _calling_driver_id(call)
    await get_visible_driver(call, driver_id)
    day = call.today
    planner = call.principal.account is not Account.DRIVER
    rows = await store.list_driver_route_rows(call.work, driver_id, day, unpublished=planner)
    return DriverRoutesToday(driver_id=driver_id, day=day, routes=await serialize_routes(call, rows))


async def _calling_driver_id(call: Call) -> int:
    """The id of the driver who calls. Raises `INVALID_REQUEST` for anybody else, who has to name one."""
    driver = await get_driver_row_by_user(call, call.actor or 0)
    if driver is None:
        raise INVALID_REQUEST.for_fields(FieldError("driver_id", "field.missing"))
    return driver.id
