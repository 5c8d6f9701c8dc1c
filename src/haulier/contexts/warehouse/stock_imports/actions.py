"""Writes of stock imports for other families."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from msgspec import Struct

from haulier.contexts.custom_fields.public import ResourceKind, get_field_set
from haulier.contexts.warehouse.events import StockCame, StockReceived
from haulier.contexts.warehouse.products.actions import add_product, change_product, product_columns
from haulier.contexts.warehouse.products.contract import CreateProduct
from haulier.contexts.warehouse.products.queries import ProductRow, find_products_by_sku
from haulier.contexts.warehouse.products.rules import barcode_key
from haulier.contexts.warehouse.stock.actions import (
    post_corrections,
    publish_shortages,
    require_distinguishable,
    write_movements,
)
from haulier.contexts.warehouse.stock.contract import AdjustReason, MovementKind, StockPieces
from haulier.contexts.warehouse.stock.errors import LOCATION_NOT_USABLE, UNKNOWN_SKU
from haulier.contexts.warehouse.stock.queries import lock_level
from haulier.contexts.warehouse.stock.rules import NewMovement
from haulier.contexts.warehouse.stock_imports.contract import (
    MAX_STOCK_IMPORT_ROWS,
    ImportTable,
    StockFileRow,
    StockImportAnswer,
    StockImportKind,
)
from haulier.contexts.warehouse.stock_imports.rules import (
    NAMED_TWICE,
    PRODUCT_CODES,
    STOCK_CODES,
    mark_places_named_twice,
    product_document,
    read_file_rows,
    stock_document,
)
from haulier.contexts.warehouse.stock_imports.serializers import load_import
from haulier.contexts.warehouse.stock_imports.store import (
    StockImportHeader,
    find_import_of_reference,
    free_reference,
    stock_imports,
)
from haulier.contexts.warehouse.warehouses.queries import LocationRow, find_location_rows, get_warehouse_rows
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.file_reading import UnreadableFile
from haulier.kernel.foreign_files import read_foreign_file, text_hints, unpack_upload
from haulier.kernel.operations.client_keys import require_same_content
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError
from haulier.kernel.operations.rows import MalformedRow, read_row, with_row_errors
from haulier.kernel.operations.table_cells import lost_digit_errors
from haulier.kernel.request_context import RequestContext
from haulier.kernel.row_imports import KEPT, RowOutcome
from haulier.kernel.values.batch_states import ImportRowState
from haulier.kernel.values.spreadsheet_cells import repair_codes
from haulier.kernel.values.table_files import FormatQuestion

WRITTEN = (ImportRowState.CREATED, ImportRowState.UPDATED)
IMPORT_JOB = "warehouse.import"


class RunStockImport(Struct, frozen=True):
    """The job of an import."""

    import_id: int


class ReadStockFile(NamedTuple):
    """Rows, encoding and digest of a file, and the request's `check_only`."""

    rows: list[dict[str, str]]
    encoding: str | None
    sha256: str
    check_only: bool


async def read_table_rows(context: RequestContext, request: ImportTable) -> ReadStockFile:
    """Read the rows of a file in a thread, before the transaction.

    A large file takes half a second.
    """
    file = await unpack_upload(request)
    try:
        question = FormatQuestion(request.format, text_hints(context, file.encoding))
        read = await read_foreign_file(context.app, read_file_rows, file.content, question, field=request.file_field)
    except UnreadableFile:
        raise INVALID_REQUEST.for_fields(FieldError("content", "field.file_no_table")) from None
    if not 1 <= len(read.rows) <= MAX_STOCK_IMPORT_ROWS:
        raise INVALID_REQUEST.for_fields(FieldError("content", "field.file_rows", {"most": MAX_STOCK_IMPORT_ROWS}))
    return ReadStockFile(read.rows, read.encoding, sha256(file.content).hexdigest(), request.check_only)


async def begin_import(
    call: Call, kind: StockImportKind, file: ReadStockFile, reference: str | None = None
) -> StockImportAnswer:
    """Store and enqueue the rows of a file. Delete expired imports.

    Received stock with a reference counts once: the same file returns its import. Raises `CLIENT_KEY_REUSED` for
    another. A check does not use up the reference.
    """
    await stock_imports.delete_old_imports(call.work, call.now - KEPT)
    once = reference if kind is StockImportKind.RECEIVED_STOCK else None
    if once and (repeated := await _find_repeated(call, once, file.sha256)):
        return await load_import(call, repeated)
    header = {
        "once": None if file.check_only else once,
        "check_only": file.check_only,
        "encoding": file.encoding,
        "content_sha256": file.sha256,
        "kind": kind.value,
        "account": call.principal.account.value,
        "reference": reference,
        "created_by": call.actor,
        "created_at": call.now,
    }
    rows = mark_places_named_twice(file.rows) if kind is StockImportKind.COUNTED_STOCK else file.rows
    try:
        async with call.work.savepoint():
            import_id = await stock_imports.insert_import(call.work, header, rows)
    except UniqueConflict:
        if once and (repeated := await _find_repeated(call, once, file.sha256)):
            return await load_import(call, repeated)
        raise
    await call.enqueue(IMPORT_JOB, RunStockImport(import_id))
    call.add_audit_subjects("stock_import", import_id)
    return await load_import(call, import_id)


async def _find_repeated(call: Call, reference: str, digest: str) -> int | None:
    """Return the import that a file repeats.

    The reference of an import without written rows can be reused.
    """
    before = await find_import_of_reference(call.work, reference)
    if before is None:
        return None
    if before.content_sha256 != digest:
        counts = (await stock_imports.count_rows_by_state(call.work, [before.id]))[before.id]
        if before.finished_at and not any(counts.get(state) for state in WRITTEN):
            await free_reference(call.work, before.id)
            return None
        require_same_content("reference", reference, {"content": digest}, {"content": before.content_sha256})
    return before.id


async def write_product_rows(call: Call, rows: Sequence[Mapping[str, Any]]) -> list[RowOutcome]:
    """Update products with a known SKU and insert the others, row by row."""
    fields = await get_field_set(call, ResourceKind.PRODUCT)
    schemas = {name: field.value_schema for name, field in fields.active.items()}
    repaired = [repair_codes(row, PRODUCT_CODES) for row in rows]
    found = await find_products_by_sku(call, {row.cells["sku"] for row in repaired if "sku" in row.cells})
    known = {sku: (product.id, product.name) for sku, product in found.items()}
    return [
        await _write_product_row(call, product_document(row.cells, schemas), lost_digit_errors(row.rounded), known)
        for row in repaired
    ]


async def find_product_row_keys(call: Call, rows: Sequence[Mapping[str, Any]]) -> list[set[str]]:
    """Return the SKU, barcodes and former barcodes of each row."""
    cells = [repair_codes(row, PRODUCT_CODES).cells for row in rows]
    known = await find_products_by_sku(call, {each["sku"] for each in cells if "sku" in each})
    return [_row_keys_product_rows(each, known) for each in cells]


def _row_keys_product_rows(cells: Mapping[str, str], known: Mapping[str, ProductRow]) -> set[str]:
    sku = cells.get("sku", "")
    barcodes = {*product_document(cells, {}).get("barcodes", ()), *(known[sku].barcodes if sku in known else ())}
    return {f"sku:{sku.strip()}", *(f"barcode:{barcode_key(barcode)}" for barcode in barcodes)}


async def _write_product_row(
    call: Call, document: dict[str, Any], errors: Sequence[FieldError], known: dict[str, tuple[int, str]]
) -> RowOutcome:
    id, name = known.get(document.get("sku", ""), (None, None))
    # A row can omit what its product already has, including the name.
    request = with_row_errors(read_row(CreateProduct, document if name is None else {"name": name, **document}), errors)
    if isinstance(request, MalformedRow):
        return RowOutcome(ImportRowState.REFUSED, error=INVALID_REQUEST.for_fields(*request.field_errors))
    try:
        async with call.work.savepoint():
            if id is None:
                id = await add_product(call, request)
                known[request.sku] = (id, request.name)
                return RowOutcome(ImportRowState.CREATED, str(id))
            columns = {column: value for column, value in product_columns(request).items() if column in document}
            await change_product(call, id, request, columns, request.custom_fields)
            return RowOutcome(ImportRowState.UPDATED, str(id))
    except OperationError as error:
        known.pop(request.sku, None) if name is None else None
        return RowOutcome(ImportRowState.REFUSED, error=error)


class _ImportContext(Struct):
    """Records that rows name, and results of written rows."""

    products: Mapping[str, ProductRow]
    locations: Mapping[str, LocationRow]
    closed: frozenset[int]
    """Warehouses that accept no stock."""
    came: defaultdict[int, list[StockCame]]
    lost: Counter[str]


async def write_stock_rows(
    call: Call, header: StockImportHeader, rows: Sequence[Mapping[str, Any]]
) -> list[RowOutcome]:
    """Add received stock or correct the books, row by row."""
    requests = [_read_row(row) for row in rows]
    scene = await _load_import_context(call, [request for request in requests if isinstance(request, StockFileRow)])
    outcomes = [
        _named_twice(row[NAMED_TWICE]) if NAMED_TWICE in row else await _write_stock_row(call, header, scene, request)
        for row, request in zip(rows, requests, strict=True)
    ]
    await publish_shortages(call, [(scene.products[sku], pieces) for sku, pieces in scene.lost.items()])
    for warehouse_id, came in scene.came.items():
        await call.publish(StockReceived(warehouse_id=warehouse_id, reference=header.reference, lines=came))
    return outcomes


async def find_stock_row_keys(call: Call, rows: Sequence[Mapping[str, Any]]) -> list[set[str]]:
    """Return the keys of each row: level, lot, serial number, and limited location."""
    cells = [repair_codes(_cells(row), STOCK_CODES).cells for row in rows]
    locations = await find_location_rows(call, {each["location"] for each in cells if "location" in each})
    limited = {barcode for barcode, location in locations.items() if location.capacity is not None}
    return [_row_keys_stock_rows(each, limited) for each in cells]


def _row_keys_stock_rows(cells: Mapping[str, str], limited: set[str]) -> set[str]:
    sku, location = cells.get("sku", "").strip(), cells.get("location", "").strip()
    within = {f"{name}:{sku}:{cells[name].strip()}" for name in ("location", "lot", "serial") if name in cells}
    return within | ({f"room:{location}"} if location in limited else set())


def _cells(row: Mapping[str, Any]) -> dict[str, str]:
    return {name: cell for name, cell in row.items() if name != NAMED_TWICE}


def _read_row(row: Mapping[str, Any]) -> StockFileRow | MalformedRow:
    repaired = repair_codes(_cells(row), STOCK_CODES)
    return with_row_errors(read_row(StockFileRow, stock_document(repaired.cells)), lost_digit_errors(repaired.rounded))


def _named_twice(other: int) -> RowOutcome:
    fault = FieldError("location", "field.place_named_twice", {"row": other})
    return RowOutcome(ImportRowState.REFUSED, error=INVALID_REQUEST.for_fields(fault))


async def _load_import_context(call: Call, requests: Sequence[StockFileRow]) -> _ImportContext:
    locations = await find_location_rows(call, {request.location for request in requests})
    warehouses = await get_warehouse_rows(call, {location.warehouse_id for location in locations.values()})
    return _ImportContext(
        products=await find_products_by_sku(call, {request.sku for request in requests}),
        locations=locations,
        closed=frozenset(row.id for row in warehouses.values() if row.closed),
        came=defaultdict(list),
        lost=Counter(),
    )


async def _write_stock_row(
    call: Call, header: StockImportHeader, scene: _ImportContext, request: StockFileRow | MalformedRow
) -> RowOutcome:
    if isinstance(request, MalformedRow):
        return RowOutcome(ImportRowState.REFUSED, error=INVALID_REQUEST.for_fields(*request.field_errors))
    try:
        product, location = _named(scene, request)
        async with call.work.savepoint():
            if header.kind == StockImportKind.RECEIVED_STOCK:
                await _add(call, header, scene, request, product, location)
                return RowOutcome(ImportRowState.CREATED, str(product.id))
            await _set(call, header, scene, request, product, location)
            return RowOutcome(ImportRowState.UPDATED, str(product.id))
    except OperationError as error:
        return RowOutcome(ImportRowState.REFUSED, error=error)


def _named(scene: _ImportContext, request: StockFileRow) -> tuple[ProductRow, LocationRow]:
    """Return the product and location of a row.

    Raises for unknown records and for a missing lot or serial number.
    """
    if request.sku not in scene.products:
        raise UNKNOWN_SKU.for_fields(FieldError("sku", "unknown_sku", {"sku": request.sku}), sku=request.sku)
    if request.location not in scene.locations:
        raise INVALID_REQUEST.for_fields(FieldError("location", "field.location_unknown"))
    named = request.model_dump(include={"sku", "lot", "serial", "condition"})
    pieces = StockPieces.model_validate({**named, "quantity": max(1, request.quantity)})
    require_distinguishable([pieces], scene.products, path="")
    return scene.products[request.sku], scene.locations[request.location]


async def _add(
    call: Call,
    header: StockImportHeader,
    scene: _ImportContext,
    request: StockFileRow,
    product: ProductRow,
    location: LocationRow,
) -> None:
    if request.quantity == 0:
        raise INVALID_REQUEST.for_fields(FieldError("quantity", "field.changes_nothing"))
    if product.expires and request.expires_on is None:
        raise INVALID_REQUEST.for_fields(FieldError("expires_on", "field.missing"))
    _require_usable(scene, location)
    movement = _movement(call, header, request, product, request.quantity, location, MovementKind.RECEIVE)
    await write_movements(call, [movement], {location.id: location}, path="")
    came = StockCame(sku=request.sku, quantity=request.quantity, condition=request.condition)
    scene.came[location.warehouse_id].append(came)


async def _set(
    call: Call,
    header: StockImportHeader,
    scene: _ImportContext,
    request: StockFileRow,
    product: ProductRow,
    location: LocationRow,
) -> None:
    level = _movement(call, header, request, product, 1, location, MovementKind.ADJUST).level(location.id)
    change = request.quantity - await lock_level(call, level, location.warehouse_id)
    if change == 0:
        return
    if change > 0:
        _require_usable(scene, location)
    movement = _movement(call, header, request, product, change, location, MovementKind.ADJUST)
    await post_corrections(call, [movement], {location.id: location}, source=f"IMPORT-{header.id}", path="")
    if change < 0:
        scene.lost[request.sku] -= change


def _require_usable(scene: _ImportContext, location: LocationRow) -> None:
    if location.blocked or location.warehouse_id in scene.closed:
        raise LOCATION_NOT_USABLE(location=location.code)


def _movement(
    call: Call,
    header: StockImportHeader,
    request: StockFileRow,
    product: ProductRow,
    change: int,
    location: LocationRow,
    kind: MovementKind,
) -> NewMovement:
    return NewMovement(
        kind=kind,
        product_id=product.id,
        quantity=abs(change),
        from_location_id=location.id if change < 0 else None,
        to_location_id=location.id if change > 0 else None,
        lot=request.lot or "",
        serial=request.serial or "",
        condition=request.condition,
        expires_on=request.expires_on if change > 0 else None,
        reference=header.reference,
        reason=AdjustReason.CORRECTION if kind is MovementKind.ADJUST else None,
        occurred_at=call.now,
    )
