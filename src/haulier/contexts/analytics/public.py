"""Public interface of analytics: daily sums.

They are added to in the caller's transaction, read, and corrected.
"""

from haulier.contexts.analytics.sums.actions import add_sums, correct_sums, fold_sums
from haulier.contexts.analytics.sums.queries import DaySumRow, Truths, find_sum_faults, load_sums
from haulier.contexts.analytics.sums.rules import (
    NOBODY,
    Dimension,
    Measure,
    SumEntry,
    SumQuestion,
    hour_subject,
    withdrawn,
)

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
    "hour_subject",
    "load_sums",
    "withdrawn",
]
