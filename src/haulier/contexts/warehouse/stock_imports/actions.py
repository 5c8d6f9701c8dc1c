"""Rows of stock are written: as what came, or as what there is."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.warehouse.events import StockCame, StockReceived
from haulier.contexts.warehouse.products.queries import ProductRow, find_products_by_sku
from haulier.contexts.warehouse.stock.actions.corrections import post_corrections
from haulier.contexts.warehouse.stock.actions.lines import require_told_apart
from haulier.contexts.warehouse.stock.actions.movements import write_movements
from haulier.contexts.warehouse.stock.actions.reserved import announce_shortages
from haulier.contexts.warehouse.stock.contract import AdjustReason, MovementKind, StockPieces
from haulier.contexts.warehouse.stock.errors import LOCATION_NOT_USABLE, UNKNOWN_SKU
from haulier.contexts.warehouse.stock.queries import lock_level
from haulier.contexts.warehouse.stock.rules.movements import NewMovement
from haulier.contexts.warehouse.stock_imports.contract import StockFileRow, StockImportKind
from haulier.contexts.warehouse.stock_imports.rules import NAMED_TWICE, STOCK_CODES, stock_document
from haulier.contexts.warehouse.stock_imports.store import StockImportHeader
from haulier.contexts.warehouse.warehouses.queries import LocationRow, find_location_rows, get_warehouse_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError
from haulier.kernel.operations.rows import MalformedRow, read_row, with_row_errors
from haulier.kernel.operations.table_cells import lost_digit_errors
from haulier.kernel.row_imports import RowOutcome
from haulier.kernel.values.batch_states import ImportRowState
from haulier.kernel.values.spreadsheet_cells import repair_codes


class _Scene(Struct):
    """What rows name, and what came of those that were written."""

    products: Mapping[str, ProductRow]
    locations: Mapping[str, LocationRow]
    closed: frozenset[int]
    """Warehouses that take nothing new."""
    came: defaultdict[int, list[StockCame]]
    lost: Counter[str]


async def write_stock_rows(
    call: Call, header: StockImportHeader, rows: Sequence[Mapping[str, Any]]
) -> list[RowOutcome]:
    """Add what came, or correct the books to what there is, each row by itself."""
    requests = [_read_row(row) for row in rows]
    scene = await _load_scene(call, [request for request in requests if isinstance(request, StockFileRow)])
    outcomes = [
        _named_twice(row[NAMED_TWICE]) if NAMED_TWICE in row else await _write_row(call, header, scene, request)
        for row, request in zip(rows, requests, strict=True)
    ]
    await announce_shortages(call, [(scene.products[sku], pieces) for sku, pieces in scene.lost.items()])
    for warehouse_id, came in scene.came.items():
        await call.publish(StockReceived(warehouse_id=warehouse_id, reference=header.reference, lines=came))
    return outcomes


async def find_stock_row_keys(call: Call, rows: Sequence[Mapping[str, Any]]) -> list[set[str]]:
    """Return the keys of each row: level, lot, serial number, and limited location."""
    cells = [repair_codes(_cells(row), STOCK_CODES).cells for row in rows]
    locations = await find_location_rows(call, {each["location"] for each in cells if "location" in each})
    limited = {barcode for barcode, location in locations.items() if location.capacity is not None}
    return [_row_keys(each, limited) for each in cells]


def _row_keys(cells: Mapping[str, str], limited: set[str]) -> set[str]:
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


async def _load_scene(call: Call, requests: Sequence[StockFileRow]) -> _Scene:
    locations = await find_location_rows(call, {request.location for request in requests})
    warehouses = await get_warehouse_rows(call, {location.warehouse_id for location in locations.values()})
    return _Scene(
        products=await find_products_by_sku(call, {request.sku for request in requests}),
        locations=locations,
        closed=frozenset(row.id for row in warehouses.values() if row.closed),
        came=defaultdict(list),
        lost=Counter(),
    )


async def _write_row(
    call: Call, header: StockImportHeader, scene: _Scene, request: StockFileRow | MalformedRow
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


def _named(scene: _Scene, request: StockFileRow) -> tuple[ProductRow, LocationRow]:
    """The product and the location of a row. Raises for what nobody knows, and for pieces that are not told apart."""
    if request.sku not in scene.products:
        raise UNKNOWN_SKU.for_fields(FieldError("sku", "unknown_sku", {"sku": request.sku}), sku=request.sku)
    if request.location not in scene.locations:
        raise INVALID_REQUEST.for_fields(FieldError("location", "field.location_unknown"))
    named = request.model_dump(include={"sku", "lot", "serial", "condition"})
    pieces = StockPieces.model_validate({**named, "quantity": max(1, request.quantity)})
    require_told_apart([pieces], scene.products, path="")
    return scene.products[request.sku], scene.locations[request.location]


async def _add(
    call: Call,
    header: StockImportHeader,
    scene: _Scene,
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
    scene: _Scene,
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


def _require_usable(scene: _Scene, location: LocationRow) -> None:
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
