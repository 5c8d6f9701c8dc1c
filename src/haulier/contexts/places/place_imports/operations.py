"""Imports: how far they are, what became of each row, and ending one early."""

from haulier.contexts.places.place_imports.contract import (
    GetPlaceImport,
    ListPlaceImports,
    PlaceImportAnswer,
    PlaceImportList,
    PlaceImportRef,
)
from haulier.contexts.places.place_imports.rules import PLACE_IMPORT_IS_OVER
from haulier.contexts.places.place_imports.serializers import import_detail, import_outcome
from haulier.contexts.places.place_imports.store import ImportHeader, place_imports
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found


@reads(
    "list_place_imports",
    audience=OFFICE,
    scopes={Scope.ADDRESS_READ},
    interfaces=(Rest("GET", "/v1/place-imports"), GraphQL("placeImports")),
)
async def list_place_imports(call: Call, request: ListPlaceImports) -> PlaceImportList:
    """List imports of points and zones, newest first.

    Outcomes are stored for 30 days.
    """
    headers, total = await place_imports.list_import_headers(
        call.work, request.kind, limit=request.per_page, offset=request.offset
    )
    counts = await place_imports.count_rows_by_state(call.work, [header.id for header in headers])
    return PlaceImportList(
        total=total,
        page=request.page,
        per_page=request.per_page,
        imports=[import_detail(call, header, counts[header.id]) for header in headers],
    )


@reads(
    "get_place_import",
    audience=OFFICE,
    scopes={Scope.ADDRESS_READ},
    interfaces=(Rest("GET", "/v1/place-imports/{place_import_id}"), GraphQL("placeImport")),
    errors=(NOT_FOUND,),
)
async def get_place_import(call: Call, request: GetPlaceImport) -> PlaceImportAnswer:
    """Get the progress of a place import.

    Row outcomes are paged.
    """
    header = await _get_header(call, request.place_import_id)
    counts = (await place_imports.count_rows_by_state(call.work, [header.id]))[header.id]
    state = request.state
    rows = await place_imports.list_import_rows(
        call.work, header.id, state, limit=request.per_page, offset=request.offset
    )
    return PlaceImportAnswer(
        total=counts.get(state, 0) if state else header.rows,
        page=request.page,
        per_page=request.per_page,
        place_import=import_detail(call, header, counts),
        outcomes=[import_outcome(call, row) for row in rows],
    )


@writes(
    "cancel_place_import",
    available_when={"finished_at": None},
    audience=OFFICE,
    scopes={Scope.ADDRESS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/place-imports/{place_import_id}/cancel"), GraphQL("cancelPlaceImport")),
    errors=(NOT_FOUND, PLACE_IMPORT_IS_OVER),
)
async def cancel_place_import(call: Call, request: PlaceImportRef) -> Done:
    """Cancel a place import.

    Imported rows remain; the others are skipped.
    """
    header = await _get_header(call, request.place_import_id, lock=True)
    if header.finished_at:
        raise PLACE_IMPORT_IS_OVER()
    await place_imports.cancel_import(call.work, header.id, call.now)
    call.add_audit_subjects("place_import", header.id)
    return Done(message=call.translate("place_import_cancelled"))


async def _get_header(call: Call, import_id: int, *, lock: bool = False) -> ImportHeader:
    header = await place_imports.get_import_header(call.work, import_id, lock=lock)
    if header is None:
        raise record_not_found(place_import_id=import_id)
    return header
