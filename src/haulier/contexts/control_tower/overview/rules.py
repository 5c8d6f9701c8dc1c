"""Rules for reports from sums."""

from collections.abc import Sequence
from datetime import date, timedelta
from enum import StrEnum

from haulier.contexts.analytics.sums.rules import Dimension

PERIOD_MAX_DAYS = 366


class SummaryGrouping(StrEnum):
    """Groupings of an order summary."""

    DAY = "day"
    WEEKDAY = "weekday"
    HOUR = "hour"
    STATUS = "status"
    CUSTOMER = "customer"
    DRIVER = "driver"
    CONTRACTOR = "contractor"


class EarningsGrouping(StrEnum):
    """Groupings of an earnings report."""

    CUSTOMER = "customer"
    DRIVER = "driver"
    CONTRACTOR = "contractor"


class AttentionKind(StrEnum):
    """Kinds of items that need attention."""

    APPROVALS = "approvals"
    """Writes that wait for approval."""
    LATE_ORDERS = "late_orders"
    UNPLANNED_ORDERS = "unplanned_orders"
    FAILED_ORDERS = "failed_orders"
    HELD_ORDERS = "held_orders"
    LOW_RATINGS = "low_ratings"
    """Deliveries rated with 1 or 2 stars in the last seven days."""
    ORDERS_WITHOUT_COORDINATES = "orders_without_coordinates"
    ORDERS_OF_DISABLED_CONTRACTORS = "orders_of_disabled_contractors"
    PIECES_MISSING = "pieces_missing"
    """Deliveries with a missing package, until the exception is resolved."""
    PIECES_DAMAGED = "pieces_damaged"
    """Deliveries with a damaged package, until the exception is resolved."""
    ROUTES_WITHOUT_DRIVER = "routes_without_driver"
    STOCK_SHORTAGES = "stock_shortages"
    """Reservations that lost their stock."""
    DRIVER_DOCUMENTS = "driver_documents"
    """Driver documents that have expired or expire within the notice period."""
    VEHICLE_DOCUMENTS = "vehicle_documents"
    """Vehicle documents that have expired or expire within the notice period."""
    VEHICLE_SERVICES = "vehicle_services"
    """Vehicles with a service that is overdue or due soon."""


class Comparison(StrEnum):
    """Periods to compare with."""

    PREVIOUS_PERIOD = "previous_period"
    LAST_YEAR = "last_year"


def compared_day(comparison: Comparison, day: date, days: int) -> date:
    """Return the day to compare with, for a period of `days` days.

    29 February is compared with 28 February.
    """
    return day - timedelta(days=days) if comparison is Comparison.PREVIOUS_PERIOD else _in_year(day, day.year - 1)


def counterpart(comparison: Comparison, day: date, first: date, last: date) -> date:
    """Return the day of a period that a compared day belongs to."""
    if comparison is Comparison.PREVIOUS_PERIOD:
        return day + timedelta(days=(last - first).days + 1)
    return min(max(_in_year(day, day.year + 1), first), last)


def _in_year(day: date, year: int) -> date:
    is_leap_day = (day.month, day.day) == (2, 29)
    return day.replace(year=year, day=28) if is_leap_day else day.replace(year=year)


OF_DAYS = frozenset({SummaryGrouping.DAY, SummaryGrouping.WEEKDAY})
"""Groupings of the sums by day."""
OWN_GROUPINGS = OF_DAYS | {SummaryGrouping.STATUS}
"""Groupings for contractors; others would reveal the business's customers."""


def dimension_of(grouping: SummaryGrouping | EarningsGrouping) -> Dimension:
    """Return the dimension of a grouping."""
    return Dimension(grouping.value) if grouping.value in set(Dimension) else Dimension.ALL


def is_reportable(since: date, until: date) -> bool:
    """Return True if a period goes forward and is not too long."""
    return 0 <= (until - since).days < PERIOD_MAX_DAYS


def share(part: int, whole: int, places: int = 4) -> float | None:
    """Return a share to four places, or None of nothing."""
    return round(part / whole, places) if whole else None


def given_filters(*filters: tuple[Dimension, int | None]) -> Sequence[tuple[Dimension, int]]:
    """Return the given filters."""
    return [(dimension, subject) for dimension, subject in filters if subject is not None]
