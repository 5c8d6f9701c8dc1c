"""How many orders need somebody."""

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.queries.visible_orders import visibility_filter
from haulier.contexts.orders.delivery_orders.rules.exceptions import OrderProblemKind
from haulier.contexts.orders.delivery_orders.store.exceptions import count_order_problem_rows
from haulier.kernel.call import Call

ORDER_PROBLEMS_MOST = 1_000
"""So many are counted: whoever has more has a list to work off, not a number to read."""


class OrderProblemsFound(Struct, frozen=True):
    """How many orders need somebody, and how many have which problem; each at most `ORDER_PROBLEMS_MOST`."""

    orders: int
    by_kind: dict[OrderProblemKind, int]


async def count_order_problems(call: Call) -> OrderProblemsFound:
    """Count the orders that need somebody, among those that the caller may see; one statement."""
    counts = await count_order_problem_rows(
        call.work, visibility_filter(call), now=call.now, today=call.today, most=ORDER_PROBLEMS_MOST
    )
    by_kind = {kind: min(getattr(counts, kind.value), ORDER_PROBLEMS_MOST) for kind in OrderProblemKind}
    return OrderProblemsFound(min(counts.total, ORDER_PROBLEMS_MOST), by_kind)
