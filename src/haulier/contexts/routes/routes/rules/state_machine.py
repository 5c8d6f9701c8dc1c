"""The state machine of a route: one table of actions and statuses. The diagrams in the documents are made from it."""

from enum import StrEnum

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

ROUTE_CANNOT = declare_error("route_cannot", 409)


class RouteStatus(StrEnum):
    """The status of a route. A draft has no driver yet; `assigned` waits for its driver to start.

    `aborted` was given up on the way: what is aboard is still to be brought back or handed over.
    """

    DRAFT = "draft"
    ASSIGNED = "assigned"
    STARTED = "started"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    ABORTED = "aborted"


class RouteAction(StrEnum):
    """An action on a whole route."""

    ADD_ORDERS = "add_orders"
    REMOVE_ORDERS = "remove_orders"
    REORDER_STOPS = "reorder_stops"
    ASSIGN_DRIVER = "assign_driver"
    UNASSIGN_DRIVER = "unassign_driver"
    START = "start"
    VISIT_STOPS = "visit_stops"
    REOPEN_STOPS = "reopen_stops"
    RETURN_TO_DEPOT = "return_to_depot"
    FINISH = "finish"
    CANCEL = "cancel"
    MOVE_STOPS = "move_stops"
    MERGE = "merge"
    SPLIT = "split"
    LOCK_STOPS = "lock_stops"
    LOCK = "lock"
    UNLOCK = "unlock"
    PUBLISH = "publish"
    UNPUBLISH = "unpublish"
    OFFER = "offer"
    HAND_OVER = "hand_over"
    LOAD = "load"
    ABORT = "abort"


_D, _A, _S = RouteStatus.DRAFT, RouteStatus.ASSIGNED, RouteStatus.STARTED
_ABORTED = RouteStatus.ABORTED

ROUTE_TRANSITIONS: dict[RouteAction, dict[RouteStatus, RouteStatus]] = {
    RouteAction.ADD_ORDERS: {_D: _D, _A: _A, _S: _S},
    RouteAction.REMOVE_ORDERS: {_D: _D, _A: _A, _S: _S},
    RouteAction.REORDER_STOPS: {_D: _D, _A: _A, _S: _S},
    RouteAction.ASSIGN_DRIVER: {_D: _A, _A: _A},
    RouteAction.UNASSIGN_DRIVER: {_A: _D},
    RouteAction.START: {_A: _S},
    RouteAction.VISIT_STOPS: {_S: _S},
    RouteAction.REOPEN_STOPS: {_S: _S},
    RouteAction.RETURN_TO_DEPOT: {_S: _S, _ABORTED: _ABORTED},
    RouteAction.FINISH: {_S: RouteStatus.FINISHED},
    RouteAction.CANCEL: {_D: RouteStatus.CANCELLED, _A: RouteStatus.CANCELLED},
    RouteAction.MOVE_STOPS: {_D: _D, _A: _A, _S: _S},
    RouteAction.MERGE: {_D: _D, _A: _A},
    RouteAction.SPLIT: {_D: _D, _A: _A},
    RouteAction.LOCK_STOPS: {_D: _D, _A: _A, _S: _S},
    RouteAction.LOCK: {_D: _D, _A: _A, _S: _S},
    RouteAction.UNLOCK: {_D: _D, _A: _A, _S: _S},
    RouteAction.PUBLISH: {_D: _D, _A: _A},
    RouteAction.UNPUBLISH: {_D: _D, _A: _A},
    RouteAction.OFFER: {_D: _D, _A: _A, _S: _S},
    RouteAction.HAND_OVER: {_S: _S, _ABORTED: _ABORTED},
    RouteAction.LOAD: {_S: _S},
    RouteAction.ABORT: {_S: _ABORTED},
}
"""Publishing and locking are no status of their own: a route has them beside the one it stands in.

A started route is not cancelled but aborted: what is aboard is brought back or handed over, so that no parcel is lost sight
of."""


def route_error(action: RouteAction, status: RouteStatus) -> OperationError:
    """The error for an action that is not possible in this status."""
    return ROUTE_CANNOT(act=action.value, status=status.value)


ROUTE_LIFE = StateMachine(ROUTE_TRANSITIONS, created={RouteStatus.DRAFT: ""}, error=route_error)
mermaid = ROUTE_LIFE.mermaid


def next_route_status(action: RouteAction, status: RouteStatus) -> RouteStatus | None:
    """The status that an action leads to, or None where it is not possible."""
    return ROUTE_LIFE.next_status(action, status)


def next_route_status_or_raise(action: RouteAction, status: RouteStatus) -> RouteStatus:
    """The status that an action leads to. Raises `ROUTE_CANNOT`."""
    return ROUTE_LIFE.next_status_or_raise(action, status)
