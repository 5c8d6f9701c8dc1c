"""Who may do what with a route.

The office sees every route. Only the one whose route it is plans it: the office its own, a contractor theirs, because each
plans from their own pool. Taking orders off and cancelling are the office's right on every route; driving is for the
driver, and for those who may stand in at a desk.
"""

from datetime import date

from msgspec import Struct

from haulier.contexts.dispatch.routes.rules.machine import RouteAct, RouteStatus
from haulier.kernel.declarations import OFFICE, Account
from haulier.kernel.errors import problem

ROUTE_NOT_YOURS_TO_PLAN = problem("route_not_yours_to_plan", 403)
ROUTE_LOCKED = problem("route_locked", 409)


class RouteState(Struct, frozen=True, kw_only=True):
    """What the rules need to know of a route. `driver_user_id` is the account of its driver.

    A locked route keeps its stops, their order and its driver. One that is not published exists for planners alone.
    """

    status: RouteStatus
    contractor_id: int | None = None
    driver_user_id: int | None = None
    published: bool = True
    locked: bool = False
    day: date | None = None
    depot_id: int | None = None


class Viewer(Struct, frozen=True):
    """Who looks at a route."""

    account: Account
    user_id: int | None


REARRANGING = frozenset(
    {
        RouteAct.ADD_ORDERS,
        RouteAct.REORDER_STOPS,
        RouteAct.ASSIGN_DRIVER,
        RouteAct.UNASSIGN_DRIVER,
        RouteAct.MOVE_STOPS,
        RouteAct.MERGE,
        RouteAct.SPLIT,
        RouteAct.LOCK_STOPS,
    }
)
PLANNING = REARRANGING | {RouteAct.LOCK, RouteAct.UNLOCK, RouteAct.PUBLISH, RouteAct.UNPUBLISH, RouteAct.OFFER}
MANAGING = frozenset({RouteAct.TAKE_ORDERS_OFF, RouteAct.CANCEL})
FROZEN = REARRANGING | MANAGING
"""What nobody does with a locked route before it is unlocked."""


def manages(route: RouteState, viewer: Viewer) -> bool:
    """Whether someone at a desk answers for the route."""
    return viewer.account in OFFICE or (viewer.account is Account.CONTRACTOR and route.contractor_id == viewer.user_id)


def plans(route: RouteState, viewer: Viewer) -> bool:
    """Whether the route is planned from the viewer's own pool."""
    return manages(route, viewer) and (viewer.account in OFFICE) == (route.contractor_id is None)


def sees(route: RouteState, viewer: Viewer) -> bool:
    """Whether the route exists for the viewer at all: for its driver, once it is published."""
    if viewer.account is Account.DRIVER:
        return route.published and viewer.user_id is not None and route.driver_user_id == viewer.user_id
    return manages(route, viewer)


def may(act: RouteAct, route: RouteState, viewer: Viewer) -> bool:
    """Whether the viewer may ever do this with the route, whatever its status."""
    if act in PLANNING:
        return plans(route, viewer)
    return manages(route, viewer) if act in MANAGING else sees(route, viewer)
