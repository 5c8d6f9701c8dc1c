"""Events that datasets publish. They carry ids alone: what a record holds is asked for by whoever may read it."""

from typing import Literal

from haulier.kernel.background.events import DomainEvent

Change = Literal["created", "changed", "removed"]
"""What became of a dataset or a record."""


class DatasetChanged(DomainEvent, frozen=True, kw_only=True):
    """A dataset was made, changed in what it says of itself or its records, or deleted with all its records."""

    dataset_id: int
    change: Change


class DatasetRecordChanged(DomainEvent, frozen=True, kw_only=True):
    """A record was added, changed or deleted. An import announces itself instead, once."""

    dataset_id: int
    record_id: int
    change: Change


class DatasetImported(DomainEvent, frozen=True, kw_only=True):
    """All rows of a file were tried for a dataset; with `check_only` nothing was written."""

    import_id: int
    dataset_id: int
    created: int
    updated: int
    refused: int
    check_only: bool
