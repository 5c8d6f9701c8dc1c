"""Steps of the dry-run day about customer pickups."""

from collections.abc import Iterator

from tests.invariants.dry_run_steps import THERE, Step, step


def pickup_steps() -> Iterator[Step]:
    """Yield steps that switch an order to pickup and back, and hand it over."""
    yield step("admin", "create_order", {"collected": "order.id"}, consignee=THERE)
    for operation in ("switch_order_to_pickup", "switch_order_to_delivery", "switch_order_to_pickup"):
        at_depot = {} if operation == "switch_order_to_delivery" else {"depot_id": "$depot"}
        yield step("admin", operation, order_id="$collected", **at_depot)
    yield step("admin", "mark_ready_for_pickup", order_ids=["$collected"])
    yield step("admin", "hand_over_pickup", order_id="$collected", recipient="Ada")
