"""Records: created, changed, deleted."""

from haulier.contexts.datasets.datasets.actions import count_records
from haulier.contexts.datasets.datasets.queries import get_dataset_to_write
from haulier.contexts.datasets.events import DatasetRecordChanged
from haulier.contexts.datasets.records.actions import change_record, create_record
from haulier.contexts.datasets.records.contract import (
    CreateDatasetRecord,
    DatasetEntryAnswer,
    RecordRef,
    UpdateDatasetRecord,
)
from haulier.contexts.datasets.records.errors import (
    DATASET_FULL,
    DATASET_KEY_TAKEN,
    DATASET_RECORD_CHANGED,
)
from haulier.contexts.datasets.records.operations.search import RECORDS_PATH
from haulier.contexts.datasets.records.rules.shapes import RecordDraft
from haulier.contexts.datasets.records.serializers import dataset_entry
from haulier.contexts.datasets.records.store import records as store
from haulier.contexts.datasets.records.store.records import RecordRow
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

ONE_RECORD = f"{RECORDS_PATH}/{{record_id}}"


@writes(
    "create_dataset_record",
    audience=OFFICE,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.LOW,
    doors=(Rest("POST", RECORDS_PATH), GraphQL("createDatasetRecord")),
    errors=(NOT_FOUND, DATASET_KEY_TAKEN, DATASET_FULL),
)
async def create_dataset_record(call: Call, request: CreateDatasetRecord) -> DatasetEntryAnswer:
    """Add a record to a dataset."""
    dataset = await get_dataset_to_write(call, request.dataset_id)
    record_id = await create_record(call, dataset, RecordDraft(request.values, request.lat, request.lng))
    call.add_audit_subjects("dataset_record", record_id)
    await call.publish(DatasetRecordChanged(dataset_id=dataset.id, record_id=record_id, change="created"))
    return await _record_answer(call, dataset.id, record_id)


@writes(
    "update_dataset_record",
    audience=OFFICE,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.LOW,
    doors=(Rest("PATCH", ONE_RECORD), GraphQL("updateDatasetRecord")),
    errors=(NOT_FOUND, DATASET_KEY_TAKEN, DATASET_RECORD_CHANGED),
)
async def update_dataset_record(call: Call, request: UpdateDatasetRecord) -> DatasetEntryAnswer:
    """Change what is named of a record; the rest stays. What it was is kept."""
    dataset = await get_dataset_to_write(call, request.dataset_id)
    row = await _locked_record(call, dataset.id, request.record_id)
    if request.version is not None and request.version != row.version:
        raise DATASET_RECORD_CHANGED(version=row.version)
    values = {name: value for name, value in (row.values | request.values).items() if value is not None}
    await change_record(call, dataset, row, RecordDraft(values, request.lat, request.lng))
    call.add_audit_subjects("dataset_record", row.id)
    await call.publish(DatasetRecordChanged(dataset_id=dataset.id, record_id=row.id, change="changed"))
    return await _record_answer(call, dataset.id, row.id)


@writes(
    "delete_dataset_record",
    audience=OFFICE,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("DELETE", ONE_RECORD), GraphQL("deleteDatasetRecord")),
    errors=(NOT_FOUND,),
)
async def delete_dataset_record(call: Call, request: RecordRef) -> Done:
    """Delete a record. Its versions stay until the dataset is deleted."""
    dataset = await get_dataset_to_write(call, request.dataset_id)
    row = await _locked_record(call, dataset.id, request.record_id)
    await store.keep_versions(call.work, [row])
    await store.delete_record_rows(call.work, [row.id])
    await count_records(call, dataset.id, -1)
    call.add_audit_subjects("dataset_record", row.id)
    await call.publish(DatasetRecordChanged(dataset_id=dataset.id, record_id=row.id, change="removed"))
    return Done(message=call.translate("dataset_record_deleted"))


async def _locked_record(call: Call, dataset_id: int, record_id: int) -> RecordRow:
    row = await store.get_record_row(call.work, dataset_id, record_id, lock=True)
    if row is None:
        raise record_not_found(record_id=record_id)
    return row


async def _record_answer(call: Call, dataset_id: int, record_id: int) -> DatasetEntryAnswer:
    row = await store.get_record_row(call.work, dataset_id, record_id)
    if row is None:
        raise record_not_found(record_id=record_id)
    return DatasetEntryAnswer(record=dataset_entry(call, row))
