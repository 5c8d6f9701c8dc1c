"""What other contexts may use of analytics: sums by day are added to, within the caller's transaction, read, and put right."""

from haulier.contexts.analytics.sums.actions import add_sums, correct_sums, fold_sums
from haulier.contexts.analytics.sums.queries import DaySumRow, Truths, find_sum_faults, load_sums
from haulier.contexts.analytics.sums.rules import NOBODY, Dimension, Measure, SumEntry, SumQuestion, withdrawn

__all__ = [
    "NOBODY",
    "DaySumRow",
    "Dimension",
    "Measure",
    "SumEntry",
    "SumQuestion",
    "Truths",
    "add_sums",
    "correct_sums",
    "find_sum_faults",
    "fold_sums",
    "load_sums",
    "withdrawn",
]
