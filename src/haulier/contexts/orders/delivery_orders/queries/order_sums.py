"""What sums of orders should be made of."""

from haulier.contexts.analytics.public import Truths
from haulier.contexts.orders.delivery_orders.store import counted


def order_sum_truths() -> Truths:
    """Orders under their statuses, and failed attempts, as entries of sums."""
    return counted.order_sum_truths()
