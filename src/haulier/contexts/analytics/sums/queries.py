"""Reads and checks of sums."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Select

from haulier.contexts.analytics.sums.rules import Dimension, Measure, SumQuestion
from haulier.contexts.analytics.sums.store import DaySumRow as DaySumRow
from haulier.contexts.analytics.sums.store import list_sum_differences, list_sum_rows
from haulier.kernel.data.unit_of_work import UnitOfWork

Truths = Mapping[Measure, Select[*tuple[Any, ...]]]
"""Correct entries of each measure, from the records: a select of the fields of `SumEntry`."""


async def load_sums(work: UnitOfWork, question: SumQuestion) -> list[DaySumRow]:
    """Return the sums of a period in one statement.

    By measure, status, reason and currency, and by the subject of the dimension.
    """
    return await list_sum_rows(work, question)


async def find_sum_faults(work: UnitOfWork, truths: Truths) -> dict[tuple[Dimension, Measure], list[DaySumRow]]:
    """Return faults of the client's sums by dimension and measure.

    Empty if all is correct.
    """
    faults = {
        (dimension, measure): await list_sum_differences(work, dimension, measure.value, truth)
        for measure, truth in truths.items()
        for dimension in Dimension
    }
    return {words: rows for words, rows in faults.items() if rows}
