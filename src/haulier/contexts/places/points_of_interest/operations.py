"""Operations on points of interest."""

from haulier.contexts.places.events import PointOfInterestChanged
from haulier.contexts.places.place_imports.actions import read_import_document, start_import
from haulier.contexts.places.place_imports.contract import ImportKind, PlaceImportStarted
from haulier.contexts.places.place_imports.rules import BODY_LIMIT_BYTES, IMPORT_TOO_LONG, IMPORT_UNREADABLE
from haulier.contexts.places.points_of_interest import store
from haulier.contexts.places.points_of_interest.actions import (
    REFERENCE_TAKEN,
    create_point,
    point_values,
    replace_point,
)
from haulier.contexts.places.points_of_interest.contract import (
    CategoryList,
    CreatePointOfInterest,
    FindNearbyPointsOfInterest,
    ImportPointsOfInterest,
    ListPointsOfInterest,
    NearbyPointsOfInterest,
    PlaceFeatureCollection,
    PointOfInterestAnswer,
    PointOfInterestList,
    PointOfInterestRef,
    UpdatePointOfInterest,
)
from haulier.contexts.places.points_of_interest.jobs import IMPORT_JOB
from haulier.contexts.places.points_of_interest.queries import PointRow, find_nearest_points
from haulier.contexts.places.points_of_interest.serializers import nearby_record, point_feature, point_record
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, STAFF, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.values.pagination import make_cursor, parse_cursor
from haulier.kernel.values.table_files import NamedRows


@writes(
    "import_points_of_interest",
    audience=OFFICE,
    scopes={Scope.ADDRESS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", "/v1/points-of-interest/imports", query=("category", "source", "encoding", "check_only")),
    ),
    prepare=read_import_document,
    body_limit_bytes=BODY_LIMIT_BYTES,
    errors=(IMPORT_UNREADABLE, IMPORT_TOO_LONG),
)
async def import_points_of_interest(call: Call, request: ImportPointsOfInterest) -> PlaceImportStarted:
    """Import points of interest from a file.

    Takes GeoJSON, CSV, XLSX or KML with up to 20,000 points and runs in the background. A row with the `reference` of
    an existing point updates it; any other row creates one. Invalid rows do not affect the others. Columns and
    properties have the names of fields; `opening_hours` also accepts the OpenStreetMap format.
    """
    given = {"category": request.category, "source": request.source}
    defaults = {name: value for name, value in given.items() if value is not None}
    read: NamedRows = call.prepared
    file = NamedRows([{**defaults, **row} for row in read.rows], read.encoding)
    return await start_import(call, ImportKind.POINTS_OF_INTEREST, IMPORT_JOB, file, check_only=request.check_only)


@reads(
    "list_points_of_interest",
    audience=STAFF,
    scopes={Scope.ADDRESS_READ},
    interfaces=(Rest("GET", "/v1/points-of-interest"), GraphQL("pointsOfInterest")),
)
async def list_points_of_interest(call: Call, request: ListPointsOfInterest) -> PointOfInterestList:
    """List points of interest, by name."""
    rows, next_cursor = await _load_page(call, request)
    return PointOfInterestList(points_of_interest=[point_record(call, row) for row in rows], next_cursor=next_cursor)


@reads(
    "export_points_of_interest",
    audience=OFFICE,
    scopes={Scope.ADDRESS_READ},
    interfaces=(Rest("GET", "/v1/points-of-interest.geojson"), GraphQL("pointsOfInterestAsGeoJson")),
)
async def export_points_of_interest(call: Call, request: ListPointsOfInterest) -> PlaceFeatureCollection:
    """Export points of interest as GeoJSON.

    The format is RFC 7946 with pages, and can be imported again.
    """
    rows, next_cursor = await _load_page(call, request)
    return PlaceFeatureCollection(features=[point_feature(call, row) for row in rows], next_cursor=next_cursor)


async def _load_page(call: Call, request: ListPointsOfInterest) -> tuple[list[PointRow], str | None]:
    after = parse_cursor(request.cursor, tuple[str, int]) if request.cursor else ("", 0)
    rows = await store.list_point_rows(
        call.work,
        category=request.category,
        source=request.source,
        search=request.search,
        after=after,
        limit=request.per_page + 1,
    )
    page = list(rows[: request.per_page])
    more = len(rows) > request.per_page
    return page, make_cursor(page[-1].name_key, page[-1].id) if more else None


@reads(
    "list_point_of_interest_categories",
    audience=STAFF,
    scopes={Scope.ADDRESS_READ},
    interfaces=(Rest("GET", "/v1/points-of-interest/categories"), GraphQL("pointOfInterestCategories")),
)
async def list_point_of_interest_categories(call: Call, request: EmptyRequest) -> CategoryList:
    """List the categories of points of interest."""
    return CategoryList(categories=await store.list_categories(call.work))


@reads(
    "find_nearby_points_of_interest",
    audience=STAFF,
    scopes={Scope.ADDRESS_READ},
    interfaces=(Rest("GET", "/v1/points-of-interest/nearby"), GraphQL("nearbyPointsOfInterest")),
)
async def find_nearby_points_of_interest(call: Call, request: FindNearbyPointsOfInterest) -> NearbyPointsOfInterest:
    """Find the nearest points of interest.

    Nearest first, with or without a maximum radius.
    """
    found = await find_nearest_points(
        call,
        (request.lat, request.lng),
        radius_m=request.radius_m,
        category=request.category,
        limit=request.limit,
    )
    return NearbyPointsOfInterest(points_of_interest=[nearby_record(call, row, distance) for distance, row in found])


@reads(
    "get_point_of_interest",
    audience=STAFF,
    scopes={Scope.ADDRESS_READ},
    interfaces=(Rest("GET", "/v1/points-of-interest/{point_of_interest_id}"), GraphQL("pointOfInterest")),
    errors=(NOT_FOUND,),
)
async def get_point_of_interest(call: Call, request: PointOfInterestRef) -> PointOfInterestAnswer:
    """Get a point of interest."""
    return await _load_answer(call, request.point_of_interest_id)


@writes(
    "create_point_of_interest",
    audience=OFFICE,
    scopes={Scope.ADDRESS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/points-of-interest"), GraphQL("createPointOfInterest")),
    errors=(REFERENCE_TAKEN,),
)
async def create_point_of_interest(call: Call, request: CreatePointOfInterest) -> PointOfInterestAnswer:
    """Create a point of interest."""
    id = await create_point(call, point_values(request))
    call.add_audit_subjects("point_of_interest", id)
    await call.publish(PointOfInterestChanged(point_of_interest_id=id, change="created"))
    return await _load_answer(call, id)


@writes(
    "update_point_of_interest",
    audience=OFFICE,
    scopes={Scope.ADDRESS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", "/v1/points-of-interest/{point_of_interest_id}"), GraphQL("updatePointOfInterest")),
    errors=(NOT_FOUND, REFERENCE_TAKEN),
)
async def update_point_of_interest(call: Call, request: UpdatePointOfInterest) -> PointOfInterestAnswer:
    """Replace a point of interest.

    Omitted fields are reset to their defaults.
    """
    if not await replace_point(call, request.point_of_interest_id, point_values(request)):
        raise record_not_found(point_of_interest_id=request.point_of_interest_id)
    call.add_audit_subjects("point_of_interest", request.point_of_interest_id)
    await call.publish(PointOfInterestChanged(point_of_interest_id=request.point_of_interest_id, change="changed"))
    return await _load_answer(call, request.point_of_interest_id)


@writes(
    "delete_point_of_interest",
    audience=OFFICE,
    scopes={Scope.ADDRESS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", "/v1/points-of-interest/{point_of_interest_id}"), GraphQL("deletePointOfInterest")),
    errors=(NOT_FOUND,),
)
async def delete_point_of_interest(call: Call, request: PointOfInterestRef) -> Done:
    """Delete a point of interest.

    Existing orders keep their address.
    """
    if not await store.delete_point(call.work, request.point_of_interest_id):
        raise record_not_found(point_of_interest_id=request.point_of_interest_id)
    call.add_audit_subjects("point_of_interest", request.point_of_interest_id)
    await call.publish(PointOfInterestChanged(point_of_interest_id=request.point_of_interest_id, change="removed"))
    return Done(message=call.translate("point_of_interest_deleted"))


async def _load_answer(call: Call, id: int) -> PointOfInterestAnswer:
    row = await store.get_point_row(call.work, id)
    if row is None:
        raise record_not_found(point_of_interest_id=id)
    return PointOfInterestAnswer(point_of_interest=point_record(call, row))
