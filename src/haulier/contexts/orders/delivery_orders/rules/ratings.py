"""Rules for ratings of deliveries by their recipients."""

from datetime import datetime, timedelta

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.kernel.operations.errors import declare_error

RATING_MIN, RATING_MAX = 1, 5
LOW_RATING_MAX = 2
"""Ratings up to this need attention."""
RATING_COMMENT_MAX = 500
CHANGEABLE_FOR = timedelta(days=14)
LOW_RATINGS_SHOWN_FOR = timedelta(days=7)
RATING_NOT_OPEN = declare_error("rating_not_open", 409)
RATING_CLOSED = declare_error("rating_closed", 409)


def can_rate(status: OrderStatus, rated_at: datetime | None, now: datetime) -> bool:
    """Return True if a delivered order can be rated, or its rating changed."""
    return status is OrderStatus.DELIVERED and not is_rating_closed(rated_at, now)


def is_rating_closed(rated_at: datetime | None, now: datetime) -> bool:
    """Return True if a rating can no longer be changed."""
    return rated_at is not None and now >= rated_at + CHANGEABLE_FOR
