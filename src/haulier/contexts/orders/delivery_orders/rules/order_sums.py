"""Rules for entries of orders in the sums of reports."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.analytics.sums.rules import NOBODY, Measure, SumEntry, hour_subject

COUNTED_COLUMNS = (
    "status",
    "counted_day",
    "counted_hour",
    "on_time",
    "customer_id",
    "route_driver_id",
    "contractor_id",
    "price",
    "rating",
)
"""Columns of an order that its sums depend on. Change them only through `actions/order_sums.py`."""


def order_sum(order: Mapping[str, Any]) -> SumEntry:
    """Return what an order adds to the sums, by its `COUNTED_COLUMNS`."""
    total = (order["price"] or {}).get("total")
    on_time = order["on_time"]
    return SumEntry(
        measure=Measure.ORDERS,
        day=order["counted_day"],
        status=str(int(order["status"])),
        customer_id=order["customer_id"] or NOBODY,
        driver_id=order["route_driver_id"] or NOBODY,
        contractor_id=order["contractor_id"] or NOBODY,
        hour_id=hour_subject(order["counted_hour"]),
        currency="" if total is None else order["price"].get("currency", ""),
        count=1,
        judged=int(on_time is not None),
        on_time=int(bool(on_time)),
        minor=total or 0,
    )


def order_sums(order: Mapping[str, Any]) -> list[SumEntry]:
    """Return all entries of an order: the order itself, and its rating."""
    entry = order_sum(order)
    if order["rating"] is None:
        return [entry]
    rated = SumEntry(
        measure=Measure.RATINGS,
        day=entry.day,
        status=str(order["rating"]),
        customer_id=entry.customer_id,
        driver_id=entry.driver_id,
        contractor_id=entry.contractor_id,
        hour_id=entry.hour_id,
        count=1,
    )
    return [entry, rated]
