"""Datasets as answers show them."""

from typing import Any, TypeVar

from haulier.contexts.datasets.datasets.contract import DatasetDetail, DatasetRecord, DatasetVersion
from haulier.contexts.datasets.datasets.store import DatasetRow, DatasetVersionRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record

R = TypeVar("R", DatasetRecord, DatasetDetail)


def dataset_record(call: Call, row: DatasetRow) -> DatasetRecord:
    """Return a dataset in a list."""
    return _record(call, row, DatasetRecord)


def dataset_detail(call: Call, row: DatasetRow) -> DatasetDetail:
    """Return a dataset with what it says of its records."""
    return _record(call, row, DatasetDetail, indexed_fields=[name for name in row.slots if name])


def _record(call: Call, row: DatasetRow, kind: type[R], **more: Any) -> R:
    times = {name: call.local_time(getattr(row, name)) for name in ("created_at", "updated_at")}
    return record(kind, row, indexing=bool(row.unready), **times, **more)


def dataset_version(call: Call, row: DatasetVersionRow) -> DatasetVersion:
    """Return a version of a dataset."""
    indexed = [name for name in row.slots if name]
    return record(DatasetVersion, row, indexed_fields=indexed, written_at=call.local_time(row.written_at))
