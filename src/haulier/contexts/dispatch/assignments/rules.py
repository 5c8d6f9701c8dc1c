"""Which orders may be given to a contractor, and taken back."""

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from haulier.kernel.errors import Refusal, problem

ORDER_UNKNOWN = problem("order_unknown", 404)
ORDER_ON_ROUTE = problem("order_on_route", 400)
ORDER_HELD_BY_THIRD_PARTY = problem("order_held_by_third_party", 400)
ORDER_NOT_SELF_DELIVERY = problem("order_not_self_delivery", 400)
ORDER_NOT_ASSIGNABLE = problem("order_not_assignable", 400)
ORDER_ALREADY_THEIRS = problem("order_already_theirs", 400)
ORDER_NOT_ASSIGNED = problem("order_not_assigned", 400)
NOT_ASSIGNED_TO_YOU = problem("not_assigned_to_you", 400)

ACTIVE, REVOKED, RELEASED = "active", "revoked", "released"
REASSIGNED = "reassigned"
"""The end reason of an assignment whose order moved to another contractor."""

ASSIGNABLE = frozenset({"NEW_ORDER", "FAILED"})
"""Orders that wait to be planned: new ones, and those whose last attempt failed and that wait for another.

An order on hold is not among them: a hold says that nobody acts on it until it is released. Planned and moving orders
are on a route; the others are over.
"""


class Candidate(Struct, frozen=True, kw_only=True):
    """What the rules need to know of an order. `holder_id` is the contractor of its active assignment."""

    order_id: int
    status: str
    self_delivery: bool = True
    third_party_held: bool = False
    route_id: int | None = None
    holder_id: int | None = None


WhyNot = Callable[[Candidate], Refusal | None]


class Decision(Struct, frozen=True):
    """The orders that change hands, and those that do not, each with its reason; together every order asked about."""

    granted: tuple[Candidate, ...]
    refused: Mapping[int, Refusal]


def assign(asked: Iterable[int], orders: Mapping[int, Candidate], contractor_id: int) -> Decision:
    """Decide which orders go to a contractor. One asked for twice counts once; one that is not there is refused."""
    return _decide(asked, orders, lambda order: why_not_assign(order, contractor_id))


def revoke(asked: Iterable[int], orders: Mapping[int, Candidate]) -> Decision:
    """Decide which orders are taken back from whoever holds them."""
    return _decide(asked, orders, why_not_revoke)


def why_not_assign(order: Candidate, contractor_id: int) -> Refusal | None:
    """Why an order cannot go to a contractor, or None."""
    if order.route_id is not None:
        return ORDER_ON_ROUTE(order_id=order.order_id)
    if order.third_party_held:
        return ORDER_HELD_BY_THIRD_PARTY(order_id=order.order_id)
    if not order.self_delivery:
        return ORDER_NOT_SELF_DELIVERY(order_id=order.order_id)
    if order.status not in ASSIGNABLE:
        return ORDER_NOT_ASSIGNABLE(order_id=order.order_id, status=order.status)
    if order.holder_id == contractor_id:
        return ORDER_ALREADY_THEIRS(order_id=order.order_id)
    return None


def why_not_revoke(order: Candidate) -> Refusal | None:
    """Why an order cannot be taken back, or None."""
    if order.holder_id is None:
        return ORDER_NOT_ASSIGNED(order_id=order.order_id)
    if order.route_id is not None:
        return ORDER_ON_ROUTE(order_id=order.order_id)
    return None


def why_not_release(order: Candidate | None, contractor_id: int | None) -> Refusal | None:
    """Why a contractor cannot hand an order back, or None. Who does not hold it learns nothing else about it."""
    if order is None or order.holder_id is None or order.holder_id != contractor_id:
        return NOT_ASSIGNED_TO_YOU()
    if order.route_id is not None:
        return ORDER_ON_ROUTE(order_id=order.order_id)
    return None


def _decide(asked: Iterable[int], orders: Mapping[int, Candidate], why_not: WhyNot) -> Decision:
    granted: list[Candidate] = []
    refused: dict[int, Refusal] = {}
    for order_id in dict.fromkeys(asked):
        order = orders.get(order_id)
        refusal = why_not(order) if order else ORDER_UNKNOWN(order_id=order_id)
        if refusal:
            refused[order_id] = refusal
        elif order:
            granted.append(order)
    return Decision(tuple(granted), refused)
