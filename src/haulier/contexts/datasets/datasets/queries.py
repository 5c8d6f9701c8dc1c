"""Datasets for other families."""

from haulier.contexts.datasets.datasets import store
from haulier.contexts.datasets.datasets.rules import may_read, may_write
from haulier.contexts.datasets.datasets.store import DatasetRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found

__all__ = ["DatasetRow", "find_dataset", "get_dataset_to_write", "get_readable_dataset"]


async def get_readable_dataset(call: Call, id: int) -> DatasetRow:
    """Return a dataset that the caller may read. Raises `NOT_FOUND`."""
    row = await store.get_dataset_row(call.work, id)
    if row is None or not may_read(call.principal.account, row.readers):
        raise record_not_found(dataset_id=id)
    return row


async def get_dataset_to_write(call: Call, id: int, *, lock: bool = False) -> DatasetRow:
    """Return a dataset whose records the caller may change. Raises `NOT_FOUND`."""
    row = await store.get_dataset_row(call.work, id, lock=lock)
    if row is None or not may_write(call.principal.account, row.readers):
        raise record_not_found(dataset_id=id)
    return row


async def find_dataset(call: Call, id: int) -> DatasetRow | None:
    """Return a dataset for background work, or None once it is deleted."""
    return await store.get_dataset_row(call.work, id)
