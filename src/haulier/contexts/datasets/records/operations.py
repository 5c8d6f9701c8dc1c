"""Operations on records."""

from typing import Any

from msgspec import UNSET

from haulier.contexts.datasets.datasets.actions import count_records
from haulier.contexts.datasets.datasets.queries import DatasetRow, get_dataset_to_write, get_readable_dataset
from haulier.contexts.datasets.events import DatasetRecordChanged
from haulier.contexts.datasets.records.actions import GEOCODE_JOB, GeocodeRecords, change_record, create_record
from haulier.contexts.datasets.records.contract import (
    CreateDatasetRecord,
    DatasetEntries,
    DatasetEntry,
    DatasetEntryAnswer,
    DatasetExport,
    DatasetGeocodingAnswer,
    ExportDatasetRecords,
    GeocodeDataset,
    GeocodingRef,
    GeocodingStarted,
    NearPlace,
    RecordRef,
    RecordVersions,
    SearchDatasetRecords,
    UpdateDatasetRecord,
)
from haulier.contexts.datasets.records.errors import (
    DATASET_FULL,
    DATASET_INDEXING,
    DATASET_KEY_TAKEN,
    DATASET_RECORD_CHANGED,
    GEOCODING_IS_OVER,
    NO_ADDRESS_FIELDS,
)
from haulier.contexts.datasets.records.queries import shape_of
from haulier.contexts.datasets.records.rules import (
    MEDIA_TYPES,
    PlaceStatus,
    RecordDraft,
    Shape,
    circle_cells,
    export_document,
    filter_fields,
    search_faults,
)
from haulier.contexts.datasets.records.serializers import (
    dataset_entry,
    dataset_geocoding,
    metres_of_chord,
    record_versions,
)
from haulier.contexts.datasets.records.store import records as records_store
from haulier.contexts.datasets.records.store import search as search_store
from haulier.contexts.datasets.records.store.records import RecordRow
from haulier.contexts.datasets.records.store.search import (
    DISTANCE,
    Circle,
    FoundRow,
    GeocodingRow,
    KeyFilter,
    RecordQuery,
    count_record_rows,
    search_record_rows,
)
from haulier.kernel.call import Call
from haulier.kernel.data.full_text import owner_prefix, spelled
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Mcp, Representation, Representations, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.values.pagination import make_cursor, parse_cursor, total_fields
from haulier.kernel.values.words import fold_words

GEOCODING_PATH = "/v1/dataset-geocodings/{geocoding_id}"


@writes(
    "geocode_dataset",
    audience=OFFICE,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/datasets/{dataset_id}/geocode"), GraphQL("geocodeDataset")),
    errors=(NOT_FOUND, NO_ADDRESS_FIELDS),
)
async def geocode_dataset(call: Call, request: GeocodeDataset) -> GeocodingStarted:
    """Start geocoding a dataset's records.

    Runs in the background. `place` of each record has the result.
    """
    dataset = await get_dataset_to_write(call, request.dataset_id)
    if not dataset.address_fields:
        raise NO_ADDRESS_FIELDS()
    states = [*([PlaceStatus.NOT_FOUND] if request.again else []), PlaceStatus.NONE]
    waiting = await search_store.count_records_by_place(call.work, dataset.id, states)
    begun = {"dataset_id": dataset.id, "again": request.again, "place": states[0], "total": waiting}
    geocoding_id = await search_store.insert_geocoding(
        call.work, {**begun, "created_by": call.actor, "created_at": call.now}
    )
    await call.enqueue(GEOCODE_JOB, GeocodeRecords(dataset.id, geocoding_id))
    call.add_audit_subjects("dataset", dataset.id)
    return GeocodingStarted(geocoding_id=geocoding_id, waiting=waiting)


@reads(
    "get_dataset_geocoding",
    audience=OFFICE,
    scopes={Scope.DATASETS_READ},
    interfaces=(Rest("GET", GEOCODING_PATH), GraphQL("datasetGeocoding")),
    errors=(NOT_FOUND,),
)
async def get_dataset_geocoding(call: Call, request: GeocodingRef) -> DatasetGeocodingAnswer:
    """Get the progress of a geocoding.

    Search by `place` for the records that were not found.
    """
    return DatasetGeocodingAnswer(geocoding=dataset_geocoding(call, await _readable(call, request.geocoding_id)))


@writes(
    "cancel_dataset_geocoding",
    audience=OFFICE,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{GEOCODING_PATH}/cancel"), GraphQL("cancelDatasetGeocoding")),
    errors=(NOT_FOUND, GEOCODING_IS_OVER),
)
async def cancel_dataset_geocoding(call: Call, request: GeocodingRef) -> Done:
    """Cancel a geocoding.

    Places that were found are kept.
    """
    row = await _readable(call, request.geocoding_id, lock=True)
    if row.finished_at:
        raise GEOCODING_IS_OVER()
    await search_store.finish_geocoding(call.work, row.id, call.now, cancelled=True)
    call.add_audit_subjects("dataset", row.dataset_id)
    return Done(message=call.translate("dataset_geocoding_cancelled"))


async def _readable(call: Call, geocoding_id: int, *, lock: bool = False) -> GeocodingRow:
    row = await search_store.get_geocoding_row(call.work, geocoding_id, lock=lock)
    if row is None:
        raise record_not_found(geocoding_id=geocoding_id)
    await get_dataset_to_write(call, row.dataset_id)
    return row


RECORDS_PATH = "/v1/datasets/{dataset_id}/records"
MAX_QUERY_WORDS = 12
FORMS = Representations(
    tuple(Representation(media_type, name) for name, media_type in MEDIA_TYPES.items() if name in ("csv", "geojson"))
)


@reads(
    "search_dataset_records",
    audience=SIGNED_IN,
    scopes={Scope.DATASETS_READ},
    interfaces=(
        Rest("POST", f"{RECORDS_PATH}/search"),
        GraphQL("searchDatasetRecords"),
        Mcp("search_dataset_records", title="Search a dataset"),
    ),
    errors=(NOT_FOUND, DATASET_INDEXING),
)
async def search_dataset_records(call: Call, request: SearchDatasetRecords) -> DatasetEntries:
    """Search the records of a dataset.

    By words, indexed fields, or around a place; sorted and paged.
    """
    dataset = await get_readable_dataset(call, request.dataset_id)
    query = _record_query(dataset, request)
    rows = await search_record_rows(call.work, query, request.per_page + 1)
    page = rows[: request.per_page]
    total: dict[str, Any] = {"total": UNSET}
    if request.with_total:
        total = total_fields(await count_record_rows(call.work, query))
    return DatasetEntries(
        records=[_entry(call, row, query) for row in page],
        next_cursor=_cursor(page[-1], query) if len(rows) > len(page) else None,
        **total,
    )


def _record_query(dataset: DatasetRow, request: SearchDatasetRecords) -> RecordQuery:
    shape = shape_of(dataset)
    if faults := search_faults(shape, request):
        raise INVALID_REQUEST.for_fields(*faults)
    used = {request.sort, *(each.field for each in request.filters)}
    if unready := [name for name in dataset.unready if name in used]:
        raise DATASET_INDEXING(name=unready[0])
    sort = shape.column_of(request.sort) if request.sort else DISTANCE if request.near else None
    return RecordQuery(
        dataset_id=dataset.id,
        words=_words(shape, request.search),
        filters=tuple(KeyFilter(**filter_fields(shape, each)) for each in request.filters),
        circle=_circle(request.near),
        place=request.place,
        sort=sort,
        descending=request.descending,
        after=_after(request.cursor, sort),
    )


def _words(shape: Shape, text: str | None) -> list[list[str]] | None:
    if text is None:
        return None
    found = fold_words(text)[:MAX_QUERY_WORDS]
    if not found:
        raise INVALID_REQUEST.for_fields(FieldError("search", "field.no_words"))
    return spelled(found, owner_prefix(shape.dataset_id), whole=0)


def _circle(near: NearPlace | None) -> Circle | None:
    if near is None:
        return None
    return Circle(near.lat, near.lng, near.radius_m, tuple(circle_cells(near.lat, near.lng, near.radius_m)))


def _after(cursor: str | None, sort: str | None) -> tuple[Any, int] | None:
    if cursor is None:
        return None
    key, id = parse_cursor(cursor, tuple[str, int])
    if sort != DISTANCE:
        return key, id
    try:
        return float.fromhex(key), id
    except ValueError:
        raise INVALID_REQUEST.for_fields(FieldError("cursor", "field.cursor_invalid")) from None


def _cursor(row: FoundRow, query: RecordQuery) -> str:
    key = row.sorted_by
    return make_cursor(float(key).hex() if query.sort == DISTANCE else str(key), row.id)


def _entry(call: Call, row: FoundRow, query: RecordQuery) -> DatasetEntry:
    if query.sort != DISTANCE:
        return dataset_entry(call, row)
    return dataset_entry(call, row, distance_m=metres_of_chord(row.sorted_by))


@reads(
    "get_dataset_record",
    audience=SIGNED_IN,
    scopes={Scope.DATASETS_READ},
    interfaces=(Rest("GET", f"{RECORDS_PATH}/{{record_id}}"), GraphQL("datasetRecord")),
    errors=(NOT_FOUND,),
)
async def get_dataset_record(call: Call, request: RecordRef) -> DatasetEntryAnswer:
    """Get a record of a dataset."""
    dataset = await get_readable_dataset(call, request.dataset_id)
    row = await records_store.get_record_row(call.work, dataset.id, request.record_id)
    if row is None:
        raise record_not_found(record_id=request.record_id)
    return DatasetEntryAnswer(record=dataset_entry(call, row))


@reads(
    "list_dataset_record_versions",
    audience=OFFICE,
    scopes={Scope.DATASETS_READ},
    interfaces=(Rest("GET", f"{RECORDS_PATH}/{{record_id}}/versions"), GraphQL("datasetRecordVersions")),
    errors=(NOT_FOUND,),
)
async def list_dataset_record_versions(call: Call, request: RecordRef) -> RecordVersions:
    """List versions of a record, newest first.

    The last hundred, with author and changes, also after deletion.
    """
    dataset = await get_readable_dataset(call, request.dataset_id)
    row = await records_store.get_record_row(call.work, dataset.id, request.record_id)
    earlier = await records_store.list_record_version_rows(call.work, dataset.id, request.record_id)
    if row is None and not earlier:
        raise record_not_found(record_id=request.record_id)
    return RecordVersions(deleted=row is None, versions=record_versions(call, row, earlier))


@reads(
    "export_dataset_records",
    audience=SIGNED_IN,
    scopes={Scope.DATASETS_READ},
    interfaces=(
        Rest("GET", "/v1/datasets/{dataset_id}/export", representations=FORMS),
        GraphQL("exportDatasetRecords"),
    ),
    errors=(NOT_FOUND,),
)
async def export_dataset_records(call: Call, request: ExportDatasetRecords) -> DatasetExport:
    """Export a dataset's records.

    As CSV, XLSX, JSON or GeoJSON, in order of creation, up to 5,000 records per response.
    """
    dataset = await get_readable_dataset(call, request.dataset_id)
    rows = await records_store.list_records_after(call.work, dataset.id, request.after_id, request.limit)
    return DatasetExport(
        data=export_document(request.format, list(dataset.record_schema["properties"]), rows),
        media_type=MEDIA_TYPES[request.format],
        count=len(rows),
        next_after_id=rows[-1].id if len(rows) == request.limit else None,
    )


ONE_RECORD = f"{RECORDS_PATH}/{{record_id}}"


@writes(
    "create_dataset_record",
    audience=OFFICE,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", RECORDS_PATH), GraphQL("createDatasetRecord")),
    errors=(NOT_FOUND, DATASET_KEY_TAKEN, DATASET_FULL),
)
async def create_dataset_record(call: Call, request: CreateDatasetRecord) -> DatasetEntryAnswer:
    """Create a record in a dataset."""
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
    interfaces=(Rest("PATCH", ONE_RECORD), GraphQL("updateDatasetRecord")),
    errors=(NOT_FOUND, DATASET_KEY_TAKEN, DATASET_RECORD_CHANGED),
)
async def update_dataset_record(call: Call, request: UpdateDatasetRecord) -> DatasetEntryAnswer:
    """Update a record.

    Omitted values are kept. The previous version is stored.
    """
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
    interfaces=(Rest("DELETE", ONE_RECORD), GraphQL("deleteDatasetRecord")),
    errors=(NOT_FOUND,),
)
async def delete_dataset_record(call: Call, request: RecordRef) -> Done:
    """Delete a record.

    Its versions are stored until the dataset is deleted.
    """
    dataset = await get_dataset_to_write(call, request.dataset_id)
    row = await _locked_record(call, dataset.id, request.record_id)
    await records_store.insert_versions(call.work, [row])
    await records_store.delete_record_rows(call.work, [row.id])
    await count_records(call, dataset.id, -1)
    call.add_audit_subjects("dataset_record", row.id)
    await call.publish(DatasetRecordChanged(dataset_id=dataset.id, record_id=row.id, change="removed"))
    return Done(message=call.translate("dataset_record_deleted"))


async def _locked_record(call: Call, dataset_id: int, record_id: int) -> RecordRow:
    row = await records_store.get_record_row(call.work, dataset_id, record_id, lock=True)
    if row is None:
        raise record_not_found(record_id=record_id)
    return row


async def _record_answer(call: Call, dataset_id: int, record_id: int) -> DatasetEntryAnswer:
    row = await records_store.get_record_row(call.work, dataset_id, record_id)
    if row is None:
        raise record_not_found(record_id=record_id)
    return DatasetEntryAnswer(record=dataset_entry(call, row))
