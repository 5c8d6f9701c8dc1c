"""What sums of pay should be made of."""

from haulier.contexts.analytics.public import Truths
from haulier.contexts.settlements.pay import store


def pay_sum_truths() -> Truths:
    """Earnings as entries of sums."""
    return store.pay_sum_truths()
