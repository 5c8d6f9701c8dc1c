"""The life of a route: one table says which act leads from which status to which. Documents draw it from here."""

from enum import StrEnum

from haulier.kernel.errors import problem

ROUTE_CANNOT = problem("route_cannot", 409)


class RouteStatus(StrEnum):
    """Where a route stands. A draft has no driver yet; `assigned` waits for its driver to start."""

    DRAFT = "draft"
    ASSIGNED = "assigned"
    STARTED = "started"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class RouteAct(StrEnum):
    """What can be done about a whole route."""

    ADD_ORDERS = "add_orders"
    TAKE_ORDERS_OFF = "take_orders_off"
    REORDER_STOPS = "reorder_stops"
    ASSIGN_DRIVER = "assign_driver"
    UNASSIGN_DRIVER = "unassign_driver"
    START = "start"
    VISIT_STOPS = "visit_stops"
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


_D, _A, _S = RouteStatus.DRAFT, RouteStatus.ASSIGNED, RouteStatus.STARTED

MOVES: dict[RouteAct, dict[RouteStatus, RouteStatus]] = {
    RouteAct.ADD_ORDERS: {_D: _D, _A: _A},
    RouteAct.TAKE_ORDERS_OFF: {_D: _D, _A: _A},
    RouteAct.REORDER_STOPS: {_D: _D, _A: _A, _S: _S},
    RouteAct.ASSIGN_DRIVER: {_D: _A, _A: _A},
    RouteAct.UNASSIGN_DRIVER: {_A: _D},
    RouteAct.START: {_A: _S},
    RouteAct.VISIT_STOPS: {_S: _S},
    RouteAct.RETURN_TO_DEPOT: {_S: _S},
    RouteAct.FINISH: {_S: RouteStatus.FINISHED},
    RouteAct.CANCEL: {_D: RouteStatus.CANCELLED, _A: RouteStatus.CANCELLED},
    RouteAct.MOVE_STOPS: {_D: _D, _A: _A, _S: _S},
    RouteAct.MERGE: {_D: _D, _A: _A},
    RouteAct.SPLIT: {_D: _D, _A: _A},
    RouteAct.LOCK_STOPS: {_D: _D, _A: _A, _S: _S},
    RouteAct.LOCK: {_D: _D, _A: _A, _S: _S},
    RouteAct.UNLOCK: {_D: _D, _A: _A, _S: _S},
    RouteAct.PUBLISH: {_D: _D, _A: _A},
    RouteAct.UNPUBLISH: {_D: _D, _A: _A},
    RouteAct.OFFER: {_D: _D, _A: _A, _S: _S},
}
"""Publishing and locking are no status of their own: a route has them beside the one it stands in.

A started route is not cancelled: its stops are failed and brought back, so that no parcel is lost sight of."""


def after(act: RouteAct, status: RouteStatus) -> RouteStatus | None:
    """The status that an act leads to, or None where it cannot be done."""
    return MOVES[act].get(status)


def must(act: RouteAct, status: RouteStatus) -> RouteStatus:
    """The status that an act leads to. Raises `ROUTE_CANNOT`."""
    reached = after(act, status)
    if reached is None:
        raise ROUTE_CANNOT(act=act.value, status=status.value)
    return reached


def mermaid() -> str:
    """The machine as a Mermaid state diagram; acts that change no status are left out."""
    lines = ["stateDiagram-v2", f"    [*] --> {RouteStatus.DRAFT}"]
    for act, moves in MOVES.items():
        lines += [f"    {here} --> {there}: {act}" for here, there in moves.items() if here is not there]
    lines += [f"    {end} --> [*]" for end in RouteStatus if not any(end in moves for moves in MOVES.values())]
    return "\n".join(lines) + "\n"
