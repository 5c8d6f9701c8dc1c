"""Records are written: one by one or many at once, found by their key, with what they were kept."""

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
"""The largest dataset."""
GEOCODE_JOB = "datasets.geocode"


class GeocodeRecords(Struct, frozen=True):
    """The job of placing a dataset's records by their addresses; one that was asked for has a row that says how far it is."""

    dataset_id: int
    geocoding_id: int | None = None


class OnExisting(StrEnum):
    """What becomes of a record whose key is there already."""

    UPDATE = "update"
    SKIP = "skip"
    REFUSE = "refuse"


class WriteOutcome(Struct, frozen=True):
    """What became of a record: `created`, `updated`, `unchanged` or `refused`, then with an error."""

    state: str
    record_id: int | None = None
    error: OperationError | None = None


async def write_records(
    call: Call, dataset: DatasetRow, drafts: Sequence[RecordDraft], on_existing: OnExisting, *, check_only: bool = False
) -> list[WriteOutcome]:
    """Write many records, whose keys all differ. One that is refused stops no other; `check_only` writes none.

    Records whose values are as they were stay untouched. Raises `UniqueConflict` where another call wrote one of the keys
    in the meantime.
    """
    shape = shape_of(dataset)
    outcomes = [_judged(shape, draft) for draft in drafts]
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


def _judged(shape: Shape, draft: RecordDraft) -> WriteOutcome | None:
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
    """What is stored of a record that changes. Without a place of its own it keeps the one it has while its address stays."""
    columns = {**shape.columns(draft), "updated_at": call.now, "updated_by": call.actor}
    if draft.lat is None and (
        row.place == PlaceStatus.GIVEN or shape.address(row.values) == shape.address(draft.values)
    ):
        columns |= place_columns(row.lat, row.lng, row.place)
        columns |= {name: getattr(row, name) for name in ("place", "place_quality", "place_fault")}
    return columns


async def create_record(call: Call, dataset: DatasetRow, draft: RecordDraft) -> int:
    """Write a new record. Returns its id. Raises what is wrong with it, or `DATASET_KEY_TAKEN`."""
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
    """Write a record anew. Raises what is wrong with it, or `DATASET_KEY_TAKEN`."""
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
    """Have the records without a place geocoded, where the dataset says what their address is."""
    if dataset.address_fields:
        await call.enqueue(GEOCODE_JOB, GeocodeRecords(dataset.id))
