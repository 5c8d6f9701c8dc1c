"""How many orders need somebody."""

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.queries.visible_orders import visibility_filter
from haulier.contexts.orders.delivery_orders.rules.exceptions import OrderProblemKind
from haulier.contexts.orders.delivery_orders.store.exceptions import count_order_problem_rows
from haulier.kernel.call import Call
from haulier.kernel.values.pagination import MAX_COUNT


class OrderProblemsFound(Struct, frozen=True):
    """How many orders need somebody, at most `MAX_COUNT`, and how many have which problem."""

    orders: int
    by_kind: dict[OrderProblemKind, int]


async def count_order_problems(call: Call) -> OrderProblemsFound:
    """Count the orders that need somebody, among those that the caller may see; one statement."""
    counts = await count_order_problem_rows(call.work, visibility_filter(call), now=call.now, today=call.today)
    by_kind = {kind: getattr(counts, kind.value) for kind in OrderProblemKind}
    return OrderProblemsFound(min(counts.total, MAX_COUNT), by_kind)
