"""Writes on datasets that other families call, and the background work they begin."""

from collections.abc import Sequence

from msgspec import Struct

from haulier.contexts.datasets.datasets import store
from haulier.kernel.call import Call

INDEX_RECORDS_JOB = "datasets.index"
REMOVE_RECORDS_JOB = "datasets.remove"


class IndexRecords(Struct, frozen=True):
    """The job of indexing a dataset's records anew after its fields changed."""

    dataset_id: int
    version: int


class RemoveRecords(Struct, frozen=True):
    """The job of removing what a deleted dataset leaves."""

    dataset_id: int


async def count_records(call: Call, dataset_id: int, more: int) -> None:
    """Count further records of a dataset, or fewer."""
    await store.add_to_record_count(call.work, dataset_id, more)


async def mark_indexed(call: Call, dataset_id: int) -> None:
    """Say that all records are indexed by all fields."""
    await store.update_dataset_row(call.work, dataset_id, {"unready": []})


async def remove_dataset(call: Call, dataset_id: int) -> None:
    """Remove a dataset that is deleted and empty."""
    await store.remove_dataset_rows(call.work, dataset_id)


async def begin_indexing(call: Call, dataset_id: int, version: int, fields: Sequence[str]) -> None:
    """Have the records indexed anew; until then nothing is filtered or sorted by these fields."""
    await store.update_dataset_row(call.work, dataset_id, {"unready": list(fields)})
    await call.enqueue(INDEX_RECORDS_JOB, IndexRecords(dataset_id, version))
