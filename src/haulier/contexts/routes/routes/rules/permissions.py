"""Who may do what with a route.

The office sees every route. Only the one whose route it is plans it: the office its own, a contractor theirs, because each
plans from their own pool. Taking orders off, cancelling, aborting and handing over are the office's right on every route;
driving is for the driver, and for those who may stand in at a desk.
"""

from datetime import date, datetime, timedelta

from msgspec import Struct

from haulier.contexts.routes.routes.rules.state_machine import RouteAction, RouteStatus
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.errors import declare_error

ROUTE_NOT_YOURS_TO_PLAN = declare_error("route_not_yours_to_plan", 403)
ROUTE_LOCKED = declare_error("route_locked", 409)


class RouteState(Struct, frozen=True, kw_only=True):
    """What the rules need to know of a route. `driver_user_id` is the account of its driver.

    A locked route keeps its stops, their order and its driver. Only planners see one that is not published.
    """

    status: RouteStatus
    contractor_id: int | None = None
    driver_user_id: int | None = None
    published: bool = True
    locked: bool = False
    day: date | None = None
    depot_id: int | None = None


class RouteViewer(Struct, frozen=True):
    """The caller, as far as permissions on routes depend on them."""

    account: Account
    user_id: int | None


ARRANGEMENT_ACTIONS = frozenset(
    {
        RouteAction.ADD_ORDERS,
        RouteAction.REORDER_STOPS,
        RouteAction.ASSIGN_DRIVER,
        RouteAction.UNASSIGN_DRIVER,
        RouteAction.MOVE_STOPS,
        RouteAction.MERGE,
        RouteAction.SPLIT,
        RouteAction.LOCK_STOPS,
    }
)
PLANNING_ACTIONS = ARRANGEMENT_ACTIONS | {
    RouteAction.LOCK,
    RouteAction.UNLOCK,
    RouteAction.PUBLISH,
    RouteAction.UNPUBLISH,
    RouteAction.OFFER,
}
EMERGENCY_ACTIONS = frozenset({RouteAction.HAND_OVER, RouteAction.ABORT})
"""What is done when a route cannot go on as it was planned; a lock does not stop it."""
MANAGEMENT_ACTIONS = frozenset({RouteAction.REMOVE_ORDERS, RouteAction.CANCEL}) | EMERGENCY_ACTIONS
FORBIDDEN_WHEN_LOCKED = (ARRANGEMENT_ACTIONS | MANAGEMENT_ACTIONS) - EMERGENCY_ACTIONS
"""What nobody does with a locked route before it is unlocked."""


def manages_route(route: RouteState, viewer: RouteViewer) -> bool:
    """Whether the viewer is the office, or the contractor of the route."""
    return viewer.account in OFFICE or (viewer.account is Account.CONTRACTOR and route.contractor_id == viewer.user_id)


def plans_route(route: RouteState, viewer: RouteViewer) -> bool:
    """Whether the route is planned from the viewer's own pool."""
    return manages_route(route, viewer) and (viewer.account in OFFICE) == (route.contractor_id is None)


def sees_route(route: RouteState, viewer: RouteViewer) -> bool:
    """Whether the viewer may see the route. Its driver sees it once it is published."""
    if viewer.account is Account.DRIVER:
        return route.published and viewer.user_id is not None and route.driver_user_id == viewer.user_id
    return manages_route(route, viewer)


PLACES_SHOWN_TO_DRIVERS = timedelta(hours=24)
"""How long after a route has ended its driver can still read where its stops were."""


def may_see_places(viewer: RouteViewer, finished_at: datetime | None, now: datetime) -> bool:
    """Whether the viewer of a route may read the addresses of its stops."""
    return viewer.account is not Account.DRIVER or finished_at is None or now - finished_at < PLACES_SHOWN_TO_DRIVERS


def may_act_on_route(action: RouteAction, route: RouteState, viewer: RouteViewer) -> bool:
    """Whether the viewer may ever do this with the route, whatever its status."""
    if action in PLANNING_ACTIONS:
        return plans_route(route, viewer)
    return manages_route(route, viewer) if action in MANAGEMENT_ACTIONS else sees_route(route, viewer)


ROUTE_PLANNERS = OFFICE | {Account.CONTRACTOR}
