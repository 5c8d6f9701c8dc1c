"""Adding, folding and correcting sums."""

from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from typing import Any

from msgspec import structs

from haulier.contexts.analytics.sums import store
from haulier.contexts.analytics.sums.queries import Truths, find_sum_faults
from haulier.contexts.analytics.sums.rules import AMOUNTS, Dimension, SumEntry, combine_entries
from haulier.kernel.data.unit_of_work import UnitOfWork

FOLDED_AT_ONCE = 5_000


def add_sums(work: UnitOfWork, entries: Iterable[SumEntry]) -> None:
    """Add entries to the sums in the caller's transaction, just before the commit."""
    for entry in entries:
        work.defer_until_commit("analytics.sums", entry, partial(_write, work))


async def _write(work: UnitOfWork, entries: list[SumEntry]) -> None:
    await store.insert_sum_entries(work, [structs.asdict(entry) for entry in combine_entries(entries)])


async def fold_sums(work: UnitOfWork, most: int = FOLDED_AT_ONCE) -> int:
    """Fold the oldest entries of the client into daily sums. Return their number.

    Concurrent calls take different entries. Daily sums are changed in a fixed order to avoid deadlocks.
    """
    taken = await store.claim_sum_entries(work, most)
    sums: defaultdict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0] * len(AMOUNTS))
    for entry in taken:
        for dimension in Dimension:
            subject = 0 if dimension is Dimension.ALL else getattr(entry, f"{dimension.value}_id")
            words = (dimension.value, entry.day, subject, entry.measure, entry.status, entry.reason, entry.currency)
            for place, name in enumerate(AMOUNTS):
                sums[words][place] += getattr(entry, name)
    rows: list[dict[str, Any]] = [
        dict(zip((*store.KEPT_WORDS, *AMOUNTS), (*words, *amounts), strict=True))
        for words, amounts in sorted(sums.items())
        if any(amounts)
    ]
    await store.add_to_daily_sums(work, rows)
    return len(taken)


async def correct_sums(work: UnitOfWork, truths: Truths) -> int:
    """Correct sums that are too low or too high. Return the number of faults.

    Calls may run concurrently: each difference is of one moment, and adding it does not affect their entries.
    """
    wrong = 0
    for (dimension, _), rows in (await find_sum_faults(work, truths)).items():
        wrong += len(rows)
        names: tuple[str, ...] = (*store.KEPT_WORDS[1:], *AMOUNTS)
        missing: list[dict[str, Any]] = [
            {"dimension": dimension.value, **{name: getattr(row, name) for name in names}} for row in rows
        ]
        await store.add_to_daily_sums(work, missing)
    return wrong
