"""Events of datasets. They have ids only: readers request the record."""

from typing import Literal

from haulier.kernel.background.events import DomainEvent

Change = Literal["created", "changed", "removed"]
"""Kind of change of a dataset or a record."""


class DatasetChanged(DomainEvent, frozen=True, kw_only=True):
    """A dataset was created, changed, or deleted with all its records."""

    dataset_id: int
    change: Change


class DatasetRecordChanged(DomainEvent, frozen=True, kw_only=True):
    """A record was added, changed or deleted. Imports publish one event instead."""

    dataset_id: int
    record_id: int
    change: Change


class DatasetImported(DomainEvent, frozen=True, kw_only=True):
    """An import was finished; with `check_only` nothing was written."""

    import_id: int
    dataset_id: int
    created: int
    updated: int
    refused: int
    check_only: bool
