"""The day of an order: the given day, else the day of its time window."""

from datetime import date, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder


def derive_order_day(
    day: date | None, window_start: datetime | None, window_end: datetime | None, zone: tzinfo
) -> date | None:
    """Return the given day, else the local day on which the window opens, else that of its end.

    A window that ends at midnight ends on the day before.
    """
    if day is not None:
        return day
    if window_start is not None:
        return window_start.astimezone(zone).date()
    return None if window_end is None else (window_end - timedelta(microseconds=1)).astimezone(zone).date()


def with_order_day(request: "CreateOrder", zone: tzinfo) -> "CreateOrder":
    """Return the request with the day that its order gets."""
    day = derive_order_day(request.scheduled_date, request.window_start, request.window_end, zone)
    return request if day == request.scheduled_date else request.model_copy(update={"scheduled_date": day})
