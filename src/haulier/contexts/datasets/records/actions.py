"""Writes of records, single or batched, found by key, with versions."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct

from haulier.contexts.datasets.datasets.actions import count_records
from haulier.contexts.datasets.datasets.queries import DatasetRow
from haulier.contexts.datasets.records.errors import DATASET_FULL, DATASET_KEY_TAKEN
from haulier.contexts.datasets.records.queries import shape_of
from haulier.contexts.datasets.records.rules import PlaceStatus, RecordDraft, Shape, place_columns
from haulier.contexts.datasets.records.store import records as records_store
from haulier.contexts.datasets.records.store.records import RecordRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.errors import INVALID_REQUEST, OperationError

MAX_RECORDS = 5_000_000
"""Maximum number of records in a dataset."""
GEOCODE_JOB = "datasets.geocode"


class GeocodeRecords(Struct, frozen=True):
    """Job arguments: a dataset to geocode; a requested one has a progress row."""

    dataset_id: int
    geocoding_id: int | None = None


class OnExisting(StrEnum):
    """Handling of records with an existing key."""

    UPDATE = "update"
    SKIP = "skip"
    REFUSE = "refuse"


class WriteOutcome(Struct, frozen=True):
    """Result of a record: `created`, `updated`, `unchanged`, or `refused`.

    A refused one has an error.
    """

    state: str
    record_id: int | None = None
    error: OperationError | None = None


async def write_records(
    call: Call, dataset: DatasetRow, drafts: Sequence[RecordDraft], on_existing: OnExisting, *, check_only: bool = False
) -> list[WriteOutcome]:
    """Write records with distinct keys. A rejected one does not stop the others.

    `check_only` writes none. Unchanged records stay untouched. Raises `UniqueConflict` if a concurrent call wrote one
    of the keys.
    """
    shape = shape_of(dataset)
    outcomes = [_check_draft(shape, draft) for draft in drafts]
    good = [index for index, outcome in enumerate(outcomes) if outcome is None]
    keys = {index: shape.key(drafts[index].values) for index in good}
    known = await records_store.lock_records_by_key(call.work, dataset.id, [key for key in keys.values() if key])
    new: list[int] = []
    changed: list[tuple[int, RecordRow]] = []
    for index in good:
        row = known.get(keys[index] or "")
        outcomes[index] = _outcome_of_existing(dataset, row, drafts[index], on_existing)
        if row is None:
            new.append(index)
        elif outcomes[index] == WriteOutcome("updated", row.id):
            changed.append((index, row))
    if dataset.record_count + len(new) > MAX_RECORDS:
        for index in new:
            outcomes[index] = WriteOutcome("refused", error=DATASET_FULL(most=MAX_RECORDS))
        new = []
    if not check_only:
        await _update(call, shape, [(row, drafts[index]) for index, row in changed])
        ids = await _insert(call, shape, [drafts[index] for index in new])
        for index, id in zip(new, ids, strict=True):
            outcomes[index] = WriteOutcome("created", id)
    return [outcome or WriteOutcome("created") for outcome in outcomes]


def _check_draft(shape: Shape, draft: RecordDraft) -> WriteOutcome | None:
    faults = shape.faults(draft)
    return WriteOutcome("refused", error=INVALID_REQUEST.for_fields(*faults)) if faults else None


def _outcome_of_existing(
    dataset: DatasetRow, row: RecordRow | None, draft: RecordDraft, on_existing: OnExisting
) -> WriteOutcome:
    if row is None:
        return WriteOutcome("created")
    if on_existing is OnExisting.REFUSE:
        error = DATASET_KEY_TAKEN(key=str(draft.values.get(dataset.key_field or "")))
        return WriteOutcome("refused", row.id, error)
    same = row.values == draft.values and (draft.lat is None or (row.lat, row.lng) == (draft.lat, draft.lng))
    unchanged = on_existing is OnExisting.SKIP or (same and row.schema_version == dataset.version)
    return WriteOutcome("unchanged" if unchanged else "updated", row.id)


async def _insert(call: Call, shape: Shape, drafts: Sequence[RecordDraft]) -> list[int]:
    written = {"created_at": call.now, "updated_at": call.now, "updated_by": call.actor, "version": 1}
    rows = [{"dataset_id": shape.dataset_id, **shape.columns(draft), **written} for draft in drafts]
    ids = await records_store.insert_records(call.work, rows, [shape.words(draft.values) for draft in drafts])
    await count_records(call, shape.dataset_id, len(ids))
    return ids


async def _update(call: Call, shape: Shape, changed: Sequence[tuple[RecordRow, RecordDraft]]) -> None:
    if not changed:
        return
    rows = [(row, _changed_columns(call, shape, row, draft)) for row, draft in changed]
    await records_store.update_records(call.work, rows, [shape.words(draft.values) for _, draft in changed])


def _changed_columns(call: Call, shape: Shape, row: RecordRow, draft: RecordDraft) -> dict[str, Any]:
    """Return the stored columns of a changed record.

    Without a place of its own it keeps the current one while its address is unchanged.
    """
    columns = {**shape.columns(draft), "updated_at": call.now, "updated_by": call.actor}
    if draft.lat is None and (
        row.place == PlaceStatus.GIVEN or shape.address(row.values) == shape.address(draft.values)
    ):
        columns |= place_columns(row.lat, row.lng, row.place)
        columns |= {name: getattr(row, name) for name in ("place", "place_quality", "place_fault")}
    return columns


async def create_record(call: Call, dataset: DatasetRow, draft: RecordDraft) -> int:
    """Insert a record. Return its id. Raises its faults, or `DATASET_KEY_TAKEN`."""
    try:
        async with call.work.savepoint():
            (outcome,) = await write_records(call, dataset, [draft], OnExisting.REFUSE)
    except UniqueConflict:
        raise DATASET_KEY_TAKEN(key=str(draft.values.get(dataset.key_field or ""))) from None
    if outcome.error:
        raise outcome.error
    await request_geocoding(call, dataset)
    return outcome.record_id or 0


async def change_record(call: Call, dataset: DatasetRow, row: RecordRow, draft: RecordDraft) -> None:
    """Replace a record. Raises its faults, or `DATASET_KEY_TAKEN`."""
    shape = shape_of(dataset)
    if faults := shape.faults(draft):
        raise INVALID_REQUEST.for_fields(*faults)
    try:
        async with call.work.savepoint():
            await _update(call, shape, [(row, draft)])
    except UniqueConflict:
        raise DATASET_KEY_TAKEN(key=str(draft.values.get(dataset.key_field or ""))) from None
    await request_geocoding(call, dataset)


async def request_geocoding(call: Call, dataset: DatasetRow) -> None:
    """Enqueue geocoding of records without a place, if the dataset has address fields."""
    if dataset.address_fields:
        await call.enqueue(GEOCODE_JOB, GeocodeRecords(dataset.id))
