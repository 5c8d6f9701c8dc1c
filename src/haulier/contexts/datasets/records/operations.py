"""Records: searched, shown, compared with what they were, exported."""

from typing import Any

from msgspec import UNSET

from haulier.contexts.datasets.datasets.queries import DatasetRow, get_readable_dataset
from haulier.contexts.datasets.records.contract import (
    DatasetEntries,
    DatasetEntry,
    DatasetEntryAnswer,
    DatasetExport,
    ExportDatasetRecords,
    NearPlace,
    RecordRef,
    RecordVersions,
    SearchDatasetRecords,
)
from haulier.contexts.datasets.records.errors import DATASET_INDEXING
from haulier.contexts.datasets.records.queries import shape_of
from haulier.contexts.datasets.records.rules.cells import circle_cells
from haulier.contexts.datasets.records.rules.exports import MEDIA_TYPES, export_document
from haulier.contexts.datasets.records.rules.queries import filter_fields, search_faults
from haulier.contexts.datasets.records.rules.shapes import Shape
from haulier.contexts.datasets.records.serializers import dataset_entry, metres_of_chord, record_versions
from haulier.contexts.datasets.records.store import records as store
from haulier.contexts.datasets.records.store.search import (
    DISTANCE,
    Circle,
    FoundRow,
    KeyFilter,
    RecordQuery,
    count_record_rows,
    search_record_rows,
)
from haulier.kernel.call import Call
from haulier.kernel.data.full_text import owner_prefix, spelled
from haulier.kernel.operations.declaration import GraphQL, Mcp, Representation, Representations, Rest, reads
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.values.pagination import make_cursor, parse_cursor, total_fields
from haulier.kernel.values.words import fold_words

RECORDS_PATH = "/v1/datasets/{dataset_id}/records"
MAX_QUERY_WORDS = 12
FORMS = Representations(
    tuple(Representation(media_type, name) for name, media_type in MEDIA_TYPES.items() if name in ("csv", "geojson"))
)


@reads(
    "search_dataset_records",
    audience=SIGNED_IN,
    scopes={Scope.DATASETS_READ},
    doors=(
        Rest("POST", f"{RECORDS_PATH}/search"),
        GraphQL("searchDatasetRecords"),
        Mcp("search_dataset_records", title="Search a dataset"),
    ),
    errors=(NOT_FOUND, DATASET_INDEXING),
)
async def search_dataset_records(call: Call, request: SearchDatasetRecords) -> DatasetEntries:
    """Search the records of a dataset: by words, by indexed fields, around a place; sorted, and a part at a time."""
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
        words=_words(shape, request.text),
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
        raise INVALID_REQUEST.for_fields(FieldError("text", "field.no_words"))
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
    doors=(Rest("GET", f"{RECORDS_PATH}/{{record_id}}"), GraphQL("datasetRecord")),
    errors=(NOT_FOUND,),
)
async def get_dataset_record(call: Call, request: RecordRef) -> DatasetEntryAnswer:
    """Show one record of a dataset."""
    dataset = await get_readable_dataset(call, request.dataset_id)
    row = await store.get_record_row(call.work, dataset.id, request.record_id)
    if row is None:
        raise record_not_found(record_id=request.record_id)
    return DatasetEntryAnswer(record=dataset_entry(call, row))


@reads(
    "list_dataset_record_versions",
    audience=OFFICE,
    scopes={Scope.DATASETS_READ},
    doors=(Rest("GET", f"{RECORDS_PATH}/{{record_id}}/versions"), GraphQL("datasetRecordVersions")),
    errors=(NOT_FOUND,),
)
async def list_dataset_record_versions(call: Call, request: RecordRef) -> RecordVersions:
    """Show what a record was, who wrote it and what each version changed: the last hundred, also once it is deleted."""
    dataset = await get_readable_dataset(call, request.dataset_id)
    row = await store.get_record_row(call.work, dataset.id, request.record_id)
    earlier = await store.list_record_version_rows(call.work, dataset.id, request.record_id)
    if row is None and not earlier:
        raise record_not_found(record_id=request.record_id)
    return RecordVersions(deleted=row is None, versions=record_versions(call, row, earlier))


@reads(
    "export_dataset_records",
    audience=SIGNED_IN,
    scopes={Scope.DATASETS_READ},
    doors=(
        Rest("GET", "/v1/datasets/{dataset_id}/export", representations=FORMS),
        GraphQL("exportDatasetRecords"),
    ),
    errors=(NOT_FOUND,),
)
async def export_dataset_records(call: Call, request: ExportDatasetRecords) -> DatasetExport:
    """Hand out a dataset as CSV, XLSX, JSON or GeoJSON, up to 5,000 records at a time, in the order in which they were made."""
    dataset = await get_readable_dataset(call, request.dataset_id)
    rows = await store.list_records_after(call.work, dataset.id, request.after_id, request.limit)
    return DatasetExport(
        data=export_document(request.format, list(dataset.record_schema["properties"]), rows),
        media_type=MEDIA_TYPES[request.format],
        count=len(rows),
        next_after_id=rows[-1].id if len(rows) == request.limit else None,
    )
