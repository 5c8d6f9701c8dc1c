"""On which day an order counts, and what it adds to the sums of that day."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from haulier.contexts.analytics.sums.rules import NOBODY, Measure, SumEntry
from haulier.contexts.orders.delivery_orders.rules.lifecycle import TERMINAL_STATUSES, OrderStatus

COUNTED_COLUMNS = ("status", "counted_day", "on_time", "customer_id", "route_driver_id", "contractor_id", "price")
"""The columns of an order that its sums depend on. Whoever changes one of them goes through `actions/order_sums.py`."""
ENDED_STATUSES = TERMINAL_STATUSES | {OrderStatus.FAILED}
"""An order in these counts on the day when it came to it."""
NO_REASON = "other"


def local_day(moment: datetime, zone: ZoneInfo) -> date:
    """The day of a moment where the business is."""
    return moment.astimezone(zone).date()


def open_day(scheduled_date: date | None, created_at: datetime, zone: ZoneInfo) -> date:
    """The day on which an open order counts: that it is planned for, or else that on which it was made."""
    return scheduled_date or local_day(created_at, zone)


def was_on_time(at: datetime, window_end: datetime | None, scheduled_date: date | None, zone: ZoneInfo) -> bool | None:
    """Whether an order that was delivered at a moment kept its window, or without one its day; None where it had neither."""
    if window_end is not None:
        return at <= window_end
    return None if scheduled_date is None else local_day(at, zone) <= scheduled_date


def order_sum(order: Mapping[str, Any]) -> SumEntry:
    """What an order adds to the sums, by its `COUNTED_COLUMNS`."""
    total = (order["price"] or {}).get("total")
    on_time = order["on_time"]
    return SumEntry(
        measure=Measure.ORDERS,
        day=order["counted_day"],
        status=str(int(order["status"])),
        customer_id=order["customer_id"] or NOBODY,
        driver_id=order["route_driver_id"] or NOBODY,
        contractor_id=order["contractor_id"] or NOBODY,
        currency="" if total is None else order["price"].get("currency", ""),
        count=1,
        judged=int(on_time is not None),
        on_time=int(bool(on_time)),
        minor=total or 0,
    )
