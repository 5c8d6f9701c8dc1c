"""Stock moves: movements are written, and levels follow in the same call."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from haulier.contexts.warehouse.products.contract import Tracking
from haulier.contexts.warehouse.products.queries import ProductRow, find_products_by_sku
from haulier.contexts.warehouse.stock.contract import StockPieces
from haulier.contexts.warehouse.stock.errors import (
    INSUFFICIENT_STOCK,
    LOCATION_FULL,
    LOCATION_NOT_USABLE,
    PIECES_NOT_TOLD_APART,
    SERIAL_IN_STOCK,
    UNKNOWN_SKU,
)
from haulier.contexts.warehouse.stock.rules.movements import LevelKey, NewMovement, expiry_of, level_changes
from haulier.contexts.warehouse.stock.store import levels as level_store
from haulier.contexts.warehouse.stock.store import movements as store
from haulier.contexts.warehouse.stock.store.tables import LevelRow, MovementRow
from haulier.contexts.warehouse.warehouses.queries import LocationRow, get_location_rows, get_warehouse_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import FieldError, record_not_found

Locations = Mapping[int, LocationRow]


async def write_movements(
    call: Call, movements: Sequence[NewMovement], locations: Locations, *, must_be_there: bool = True
) -> Sequence[MovementRow]:
    """Write movements between these locations, and change levels with them. Those whose key was written before are left out.

    `must_be_there` refuses what takes more than stands there and is not reserved. Scans that were made offline come in any
    order, so what they take may be written before what brought it: levels are then negative for a while.
    """
    rows = await store.insert_movements(call.work, [_columns(call, movement, locations) for movement in movements])
    if len(rows) < len(movements):  # only those with a key are ever left out
        new = {row.key for row in rows}
        movements = [movement for movement in movements if movement.key is None or movement.key in new]
    if not movements:
        return rows
    changes = level_changes(movements)
    warehouses = {key.location_id: locations[key.location_id].warehouse_id for key in changes}
    levels = await level_store.change_levels(call.work, changes, warehouses, expiry_of(movements))
    if must_be_there:
        await _check_levels(call, changes, levels, locations)
    call.add_audit_subjects("product", *sorted({movement.product_id for movement in movements}))
    return rows


def _columns(call: Call, movement: NewMovement, locations: Locations) -> dict[str, object]:
    source, target = movement.from_location_id, movement.to_location_id
    return {
        "kind": movement.kind,
        "product_id": movement.product_id,
        "quantity": movement.quantity,
        "lot": movement.lot,
        "serial": movement.serial,
        "condition": movement.condition,
        "from_location_id": source,
        "to_location_id": target,
        "from_warehouse_id": None if source is None else locations[source].warehouse_id,
        "to_warehouse_id": None if target is None else locations[target].warehouse_id,
        "reference": movement.reference,
        "reason": movement.reason,
        "note": movement.note,
        "key": movement.key,
        "occurred_at": movement.occurred_at,
        "recorded_at": call.now,
        "user_id": call.actor,
    }


async def _check_levels(
    call: Call, changes: Mapping[LevelKey, int], levels: Mapping[LevelKey, LevelRow], locations: Locations
) -> None:
    for key, change in changes.items():
        level = levels[key]
        if change < 0 and level.on_hand < level.reserved:
            free = level.on_hand - change - level.reserved
            raise INSUFFICIENT_STOCK(location=locations[key.location_id].code, count=max(0, free))
    filled = [key.location_id for key, change in changes.items() if change > 0]
    limited = {id for id in filled if locations[id].capacity is not None}
    for id, pieces in (await level_store.pieces_on_locations(call.work, limited)).items():
        if pieces > (locations[id].capacity or 0):
            raise LOCATION_FULL(location=locations[id].code, count=locations[id].capacity)
    serials = {key.serial for key, change in changes.items() if change > 0 and key.serial}
    if twice := await level_store.serials_twice(call.work, {key.product_id for key in changes}, serials):
        raise SERIAL_IN_STOCK(serial=twice[0])


async def load_products(call: Call, lines: Sequence[StockPieces], path: str = "lines.{at}.") -> dict[str, ProductRow]:
    """The products of lines, by SKU. Raises for those that nobody knows, and for lines that do not tell pieces apart.

    `path` is where a line's fields are in the request.
    """
    products = await find_products_by_sku(call, {line.sku for line in lines})
    if unknown := [at for at, line in enumerate(lines) if line.sku not in products]:
        faults = (FieldError(f"{path.format(at=at)}sku", "unknown_sku", {"sku": lines[at].sku}) for at in unknown)
        raise UNKNOWN_SKU.for_fields(*faults, sku=lines[unknown[0]].sku)
    for at, line in enumerate(lines):
        if field := untold_field(products[line.sku].tracking, line):
            fault = FieldError(path.format(at=at) + field, "pieces_not_told_apart", {"sku": line.sku})
            raise PIECES_NOT_TOLD_APART.for_fields(fault, sku=line.sku)
    return products


def untold_field(tracking: Tracking, pieces: StockPieces) -> str | None:
    """The field that a line lacks, or should not have, by how its product's pieces are told apart."""
    if (pieces.serial is None) == (tracking == Tracking.SERIAL):
        return "serial"
    if pieces.serial is not None and pieces.quantity != 1:
        return "quantity"
    if pieces.lot is None and tracking == Tracking.LOT:
        return "lot"
    return "lot" if pieces.lot is not None and tracking == Tracking.NONE else None


async def load_locations(call: Call, ids: Collection[int], *, filled: Collection[int] = ()) -> dict[int, LocationRow]:
    """Locations by id. Raises `NOT_FOUND`, and `LOCATION_NOT_USABLE` for those of `filled` that take nothing new."""
    locations = await get_location_rows(call, ids)
    for id in sorted(set(ids) - locations.keys()):
        raise record_not_found(location_id=id)
    into = Counter(locations[id].warehouse_id for id in filled)
    closed = {row.id for row in (await get_warehouse_rows(call, into)).values() if row.closed}
    for id in filled:
        if locations[id].blocked or locations[id].warehouse_id in closed:
            raise LOCATION_NOT_USABLE(location=locations[id].code)
    return locations
