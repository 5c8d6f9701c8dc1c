"""Sums are read, and compared with what they are sums of."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Select

from haulier.contexts.analytics.sums.rules import Dimension, Measure, SumQuestion
from haulier.contexts.analytics.sums.store import DaySumRow as DaySumRow
from haulier.contexts.analytics.sums.store import list_sum_differences, list_sum_rows
from haulier.kernel.data.unit_of_work import UnitOfWork

Truths = Mapping[Measure, Select[*tuple[Any, ...]]]
"""For each measure the entries as they should be, made from the records themselves: a select of the fields of `SumEntry`."""


async def load_sums(work: UnitOfWork, question: SumQuestion) -> list[DaySumRow]:
    """The sums of a period by measure, status, reason and currency, and by the subject of the dimension; one statement."""
    return await list_sum_rows(work, question)


async def find_sum_faults(work: UnitOfWork, truths: Truths) -> dict[tuple[Dimension, Measure], list[DaySumRow]]:
    """What the sums of the client lack or have too much, by dimension and measure; empty where all is right."""
    faults = {
        (dimension, measure): await list_sum_differences(work, dimension, measure.value, truth)
        for measure, truth in truths.items()
        for dimension in Dimension
    }
    return {words: rows for words, rows in faults.items() if rows}
