"""How sums become reports."""

from collections.abc import Sequence
from datetime import date
from enum import StrEnum

from haulier.contexts.analytics.sums.rules import Dimension

PERIOD_MAX_DAYS = 366


class SummaryGrouping(StrEnum):
    """What a summary of orders has a line for."""

    DAY = "day"
    STATUS = "status"
    CUSTOMER = "customer"
    DRIVER = "driver"
    CONTRACTOR = "contractor"


class EarningsGrouping(StrEnum):
    """Whose earnings a report has lines for."""

    CUSTOMER = "customer"
    DRIVER = "driver"
    CONTRACTOR = "contractor"


class AttentionKind(StrEnum):
    """What waits for a person."""

    APPROVALS = "approvals"
    """Writes that wait for somebody to approve them."""
    LATE_ORDERS = "late_orders"
    UNPLANNED_ORDERS = "unplanned_orders"
    FAILED_ORDERS = "failed_orders"
    HELD_ORDERS = "held_orders"
    ORDERS_WITHOUT_COORDINATES = "orders_without_coordinates"
    ORDERS_OF_DISABLED_CONTRACTORS = "orders_of_disabled_contractors"
    PIECES_MISSING = "pieces_missing"
    """Deliveries without a missing piece, until its exception is resolved."""
    PIECES_DAMAGED = "pieces_damaged"
    """The same of damaged pieces."""
    ROUTES_WITHOUT_DRIVER = "routes_without_driver"
    STOCK_SHORTAGES = "stock_shortages"
    """Reservations that lost their stock."""


OWN_GROUPINGS = frozenset({SummaryGrouping.DAY, SummaryGrouping.STATUS})
"""What a contractor may group by: other lines would tell of the business's customers."""


def dimension_of(grouping: SummaryGrouping | EarningsGrouping) -> Dimension:
    """The dimension whose sums lines are made of."""
    return Dimension(grouping.value) if grouping.value in set(Dimension) else Dimension.ALL


def is_reportable(since: date, until: date) -> bool:
    """Whether a period goes forward and is not too long."""
    return 0 <= (until - since).days < PERIOD_MAX_DAYS


def share(part: int, whole: int) -> float | None:
    """A part of a whole between 0 and 1, to four places; None of nothing."""
    return round(part / whole, 4) if whole else None


def given_filters(*filters: tuple[Dimension, int | None]) -> Sequence[tuple[Dimension, int]]:
    """Those that are given."""
    return [(dimension, subject) for dimension, subject in filters if subject is not None]
