"""Steps of the dry-run day about returns of a delivered order."""

from collections.abc import Iterator

from tests.invariants.dry_run_steps import Step, step


def return_steps() -> Iterator[Step]:
    """Yield steps that return an order until its refund, after a cancelled return."""
    made = {"reason": "too_small", "method": "own_fleet"}
    yield step("admin", "create_order_return", {"return": "order_return.id"}, order_id="$o3", **made)
    yield step("admin", "cancel_order_return", order_return_id="$return")
    back = {"return": "order_return.id"}
    yield step("admin", "create_order_return", back, order_id="$o3", reason="too_small")
    lines = [{"number": 1, "grade": "b_grade", "quantity": 1}]
    yield step("admin", "inspect_order_return", order_return_id="$return", lines=lines)
    yield step("admin", "propose_return_refunds", order_return_id="$return", reason="It came back")
    yield step("admin", "decide_return_refunds", order_return_id="$return", decision="approve")
