"""Publishing: planners work on a route in private until its driver, and the driver route board, may see it."""

from haulier.contexts.routes.events import RoutePublished, RouteUnpublished
from haulier.contexts.routes.ports import ROUTE_ON_BOARD, StandbyQueue
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.actions.driver_assignment import share_route_orders_with_driver
from haulier.contexts.routes.routes.contract.routes import RouteAnswer, VersionedRouteRef
from haulier.contexts.routes.routes.notifications import mark_routes_changed
from haulier.contexts.routes.routes.operations.routes import PATH, PLANNING_ERRORS
from haulier.contexts.routes.routes.queries import lock_route_for_action
from haulier.contexts.routes.routes.rules.permissions import ROUTE_PLANNERS
from haulier.contexts.routes.routes.rules.state_machine import RouteAction
from haulier.contexts.routes.routes.serializers import load_route_detail
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import Risk, Scope


@writes(
    "publish_route",
    allowed_where={"allowed_actions": "publish"},
    undone_by="unpublish_route",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLANNING_ERRORS,
    doors=(Rest("POST", f"{PATH}/publish"), GraphQL("publishRoute")),
)
async def publish_route(call: Call, request: VersionedRouteRef) -> RouteAnswer:
    """Publish a route to its driver.

    The driver then has its orders. Repeating it changes nothing.
    """
    route, _ = await lock_route_for_action(
        call, request.route_id, RouteAction.PUBLISH, expected=request.expected_version
    )
    if route.published_at is None:
        await store.update_route(call.work, route.id, published_at=call.now, published_by=call.actor)
        await share_route_orders_with_driver(call, route.id, route.driver_user_id, route.driver_id)
        await call.publish(RoutePublished(route_id=route.id, day=route.day, driver_id=route.driver_id))
    mark_routes_changed(call, route)
    return RouteAnswer(route=await load_route_detail(call, route.id))


@writes(
    "unpublish_route",
    allowed_where={"allowed_actions": "unpublish"},
    undone_by="publish_route",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*PLANNING_ERRORS, ROUTE_ON_BOARD),
    doors=(Rest("POST", f"{PATH}/unpublish"), GraphQL("unpublishRoute")),
)
async def unpublish_route(call: Call, request: VersionedRouteRef) -> RouteAnswer:
    """Unpublish a route.

    Hides a route that has not started from its driver. The driver remains assigned.
    """
    route, _ = await lock_route_for_action(
        call, request.route_id, RouteAction.UNPUBLISH, expected=request.expected_version
    )
    if await call.adapter(StandbyQueue).is_on_board(call, route.id):
        raise ROUTE_ON_BOARD()
    if route.published_at is not None:
        await store.update_route(call.work, route.id, published_at=None, published_by=None)
        await share_route_orders_with_driver(call, route.id, None, route.driver_id)
        await call.publish(RouteUnpublished(route_id=route.id, day=route.day, driver_id=route.driver_id))
    mark_routes_changed(call, route)
    return RouteAnswer(route=await load_route_detail(call, route.id))
