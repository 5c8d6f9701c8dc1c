"""What the timelines of an entrusted order mean for the order itself (docs/decisions/0029-tracking-answers.md)."""

from collections.abc import Mapping, Sequence

from haulier.contexts.orders.delivery_orders.rules.lifecycle import FOLLOW_CARRIER, TERMINAL_STATUSES, OrderStatus

STATUS_BY_END: Mapping[str, OrderStatus] = {
    "delivered": OrderStatus.DELIVERED,
    "returned": OrderStatus.RETURNED,
    "rejected": OrderStatus.REJECTED,
    "cancelled": OrderStatus.CANCELLED,
}
"""The status of an order by how its parcels ended. Of several ends the first of these counts."""


def followed_status(
    status: OrderStatus, ends: Sequence[str | None], steps: Sequence[tuple[str, int]]
) -> OrderStatus | None:
    """The status that an order gets from its timelines; None where it stays as it is.

    `ends` has the terminal code of each parcel's journey, None for one that goes on; `steps` are the steps that the order took
    and the statuses these led to, oldest first. An order is over when the journeys of all its parcels are; where it ended
    otherwise meanwhile, the timelines count. It is open again when a carrier takes back the end that it told.
    """
    if ends and None not in ends:
        reached = [reached for end, reached in STATUS_BY_END.items() if end in ends]
        return None if status in reached else reached[0]
    is_carriers_end = status in TERMINAL_STATUSES and bool(steps) and steps[-1][0] == FOLLOW_CARRIER
    return _reopened_status(steps) if is_carriers_end else None


def _reopened_status(steps: Sequence[tuple[str, int]]) -> OrderStatus:
    """The last status before the end. An order that was planned has left its route, and is new."""
    open_statuses = (OrderStatus(status) for _, status in reversed(steps) if status not in TERMINAL_STATUSES)
    before = next(open_statuses, OrderStatus.NEW_ORDER)
    return OrderStatus.NEW_ORDER if before is OrderStatus.PLANNED else before
