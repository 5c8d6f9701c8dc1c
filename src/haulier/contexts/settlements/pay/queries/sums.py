"""Expected values of the pay sums."""

from haulier.contexts.analytics.public import Truths
from haulier.contexts.settlements.pay import store


def pay_sum_truths() -> Truths:
    """Return earnings as entries of sums."""
    return store.pay_sum_truths()
