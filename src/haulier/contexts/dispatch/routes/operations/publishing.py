"""Publishing: planners work on a route in private until its driver, and the driver route board, may see it."""

from haulier.contexts.dispatch.events import RoutePublished, RouteUnpublished
from haulier.contexts.dispatch.routes import store
from haulier.contexts.dispatch.routes.contract import RouteAnswer, Versioned
from haulier.contexts.dispatch.routes.finding import route_for
from haulier.contexts.dispatch.routes.operations.planning import PATH, PLANNED, PLANNERS, TAG, touched
from haulier.contexts.dispatch.routes.ports import ROUTE_ON_BOARD, Line
from haulier.contexts.dispatch.routes.rules.machine import RouteAct
from haulier.contexts.dispatch.routes.seating import tell_driver
from haulier.contexts.dispatch.routes.showing import shown
from haulier.kernel.call import Call
from haulier.kernel.declarations import Risk, Scope
from haulier.kernel.operation import GraphQL, Rest, writes


@writes(
    "publish_route",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLANNED,
    doors=(Rest("POST", f"{PATH}/publish", tag=TAG), GraphQL("publishRoute")),
)
async def publish_route(call: Call, request: Versioned) -> RouteAnswer:
    """Show a route to its driver, who then has its orders. Published again, it stays as it is."""
    route, _ = await route_for(call, request.route_id, RouteAct.PUBLISH, expected=request.expected_version)
    if route.published_at is None:
        await store.change(call.work, route.id, published_at=call.now, published_by=call.actor)
        await tell_driver(call, route.id, route.driver_user_id)
        await call.announce(RoutePublished(route_id=route.id, day=route.day, driver_id=route.driver_id))
    touched(call, route)
    return RouteAnswer(route=await shown(call, route.id))


@writes(
    "unpublish_route",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*PLANNED, ROUTE_ON_BOARD),
    doors=(Rest("POST", f"{PATH}/unpublish", tag=TAG), GraphQL("unpublishRoute")),
)
async def unpublish_route(call: Call, request: Versioned) -> RouteAnswer:
    """Take a route that has not started out of its driver's sight again. Its driver stays the one who is to drive it."""
    route, _ = await route_for(call, request.route_id, RouteAct.UNPUBLISH, expected=request.expected_version)
    if await call.adapter(Line).listed(call, route.id):
        raise ROUTE_ON_BOARD()
    if route.published_at is not None:
        await store.change(call.work, route.id, published_at=None, published_by=None)
        await tell_driver(call, route.id, None)
        await call.announce(RouteUnpublished(route_id=route.id, day=route.day, driver_id=route.driver_id))
    touched(call, route)
    return RouteAnswer(route=await shown(call, route.id))
