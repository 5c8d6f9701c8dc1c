"""Writes of datasets for other families, and their background jobs."""

from collections.abc import Sequence

from msgspec import Struct

from haulier.contexts.datasets.datasets import store
from haulier.kernel.call import Call

INDEX_RECORDS_JOB = "datasets.index"
REMOVE_RECORDS_JOB = "datasets.remove"


class IndexRecords(Struct, frozen=True):
    """Job arguments: a dataset to index again after its fields changed."""

    dataset_id: int
    version: int


class RemoveRecords(Struct, frozen=True):
    """Job arguments: a deleted dataset whose records are removed."""

    dataset_id: int


async def count_records(call: Call, dataset_id: int, more: int) -> None:
    """Adjust the record count of a dataset."""
    await store.add_to_record_count(call.work, dataset_id, more)


async def mark_indexed(call: Call, dataset_id: int) -> None:
    """Mark a dataset as fully indexed."""
    await store.update_dataset_row(call.work, dataset_id, {"unready": []})


async def remove_dataset(call: Call, dataset_id: int) -> None:
    """Remove a deleted, empty dataset."""
    await store.remove_dataset_rows(call.work, dataset_id)


async def begin_indexing(call: Call, dataset_id: int, version: int, fields: Sequence[str]) -> None:
    """Start indexing records again; these fields are unavailable until then."""
    await store.update_dataset_row(call.work, dataset_id, {"unready": list(fields)})
    await call.enqueue(INDEX_RECORDS_JOB, IndexRecords(dataset_id, version))
