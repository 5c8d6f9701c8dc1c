"""What sums by day are sums of."""

from haulier.contexts.analytics.public import Truths
from haulier.contexts.orders.public import order_sum_truths
from haulier.contexts.settlements.public import pay_sum_truths


def sum_truths() -> Truths:
    """For each measure the entries as they should be, by the records themselves."""
    return {**order_sum_truths(), **pay_sum_truths()}
