"""Stock moves: movements are written, and levels follow in the same call."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from haulier.contexts.warehouse.events import StockCame, StockRanLow, StockReceived
from haulier.contexts.warehouse.products.contract import Tracking
from haulier.contexts.warehouse.products.queries import ProductRow, find_products_by_sku
from haulier.contexts.warehouse.stock.contract import MovementKind, ReceivedPieces, StockPieces
from haulier.contexts.warehouse.stock.errors import (
    INSUFFICIENT_STOCK,
    LOCATION_ELSEWHERE,
    LOCATION_FULL,
    LOCATION_NOT_USABLE,
    PIECES_NOT_TOLD_APART,
    SERIAL_IN_STOCK,
    UNKNOWN_SKU,
)
from haulier.contexts.warehouse.stock.rules.allocation import FreeLevel, allocate
from haulier.contexts.warehouse.stock.rules.movements import LevelKey, NewMovement, expiry_of, level_changes
from haulier.contexts.warehouse.stock.store import levels as level_store
from haulier.contexts.warehouse.stock.store import movements as store
from haulier.contexts.warehouse.stock.store import reservations as reservation_store
from haulier.contexts.warehouse.stock.store.tables import LevelRow, MovementRow, StockReservationRow
from haulier.contexts.warehouse.warehouses.queries import LocationRow, get_location_rows, get_warehouse_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found

Locations = Mapping[int, LocationRow]


async def write_movements(
    call: Call,
    movements: Sequence[NewMovement],
    locations: Locations,
    *,
    must_be_there: bool = True,
    check_room: bool = True,
) -> Sequence[MovementRow]:
    """Write movements between these locations, and change levels with them. Those whose key was written before are left out.

    `must_be_there` refuses what takes more than stands there and is not reserved. Scans that were made offline come in any
    order, so what they take may be written before what brought it: levels are then negative for a while. `check_room`
    refuses what makes a location hold more than its capacity.
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
        if check_room:
            await _check_room(call, changes, locations)
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
    serials = {key.serial for key, change in changes.items() if change > 0 and key.serial}
    if twice := await level_store.serials_twice(call.work, {key.product_id for key in changes}, serials):
        raise SERIAL_IN_STOCK(serial=twice[0])


async def _check_room(call: Call, changes: Mapping[LevelKey, int], locations: Locations) -> None:
    filled = [key.location_id for key, change in changes.items() if change > 0]
    limited = {id for id in filled if locations[id].capacity is not None}
    for id, pieces in (await level_store.pieces_on_locations(call.work, limited)).items():
        if pieces > (locations[id].capacity or 0):
            raise LOCATION_FULL(location=locations[id].code, count=locations[id].capacity)


async def receive_pieces(
    call: Call, lines: Sequence[ReceivedPieces], *, kind: MovementKind, reference: str | None
) -> Sequence[MovementRow]:
    """Write what came from outside: all lines, or none."""
    filled = {line.location_id for line in lines}
    locations = await load_locations(call, filled, filled=filled)
    products = await load_products(call, lines)
    _require_days(lines, {sku for sku, product in products.items() if product.expires})
    movements = [
        NewMovement(
            kind=kind,
            product_id=products[line.sku].id,
            from_location_id=None,
            to_location_id=line.location_id,
            expires_on=line.expires_on,
            reference=reference,
            occurred_at=call.now,
            **pieces_of(line),
        )
        for line in lines
    ]
    rows = await write_movements(call, movements, locations)
    by_warehouse: defaultdict[int, list[StockCame]] = defaultdict(list)
    for line in lines:
        came = StockCame(sku=line.sku, quantity=line.quantity, condition=line.condition)
        by_warehouse[locations[line.location_id].warehouse_id].append(came)
    for warehouse_id, came in by_warehouse.items():
        await call.publish(StockReceived(warehouse_id=warehouse_id, reference=reference, lines=came))
    return rows


def _require_days(lines: Sequence[ReceivedPieces], expiring: Collection[str]) -> None:
    missing = [at for at, line in enumerate(lines) if line.sku in expiring and line.expires_on is None]
    if missing:
        raise INVALID_REQUEST.for_fields(*(FieldError(f"lines.{at}.expires_on", "field.missing") for at in missing))


def pieces_of(line: StockPieces, quantity: int | None = None) -> dict[str, Any]:
    """What a movement says of the pieces of a line, or of some of them."""
    return {
        "quantity": line.quantity if quantity is None else quantity,
        "lot": line.lot or "",
        "serial": line.serial or "",
        "condition": line.condition,
    }


async def load_products(call: Call, lines: Sequence[StockPieces], path: str = "lines.{at}.") -> dict[str, ProductRow]:
    """The products of lines, by SKU. Raises for those that nobody knows, and for lines that do not tell pieces apart.

    `path` is where a line's fields are in the request.
    """
    products = await load_known_products(call, [line.sku for line in lines], path)
    require_told_apart(lines, products, path)
    return products


def require_told_apart(
    lines: Sequence[StockPieces], products: Mapping[str, ProductRow], path: str = "lines.{at}."
) -> None:
    """Raises `PIECES_NOT_TOLD_APART` for a line that does not name its pieces as closely as their product asks for."""
    for at, line in enumerate(lines):
        if field := untold_field(products[line.sku].tracking, line):
            fault = FieldError(path.format(at=at) + field, "pieces_not_told_apart", {"sku": line.sku})
            raise PIECES_NOT_TOLD_APART.for_fields(fault, sku=line.sku)


async def load_known_products(call: Call, skus: Sequence[str], path: str = "lines.{at}.") -> dict[str, ProductRow]:
    """The products of lines, by SKU. Raises `UNKNOWN_SKU` that names the lines whose product nobody knows."""
    products = await find_products_by_sku(call, set(skus))
    if unknown := [at for at, sku in enumerate(skus) if sku not in products]:
        faults = (FieldError(f"{path.format(at=at)}sku", "unknown_sku", {"sku": skus[at]}) for at in unknown)
        raise UNKNOWN_SKU.for_fields(*faults, sku=skus[unknown[0]])
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


async def require_within(call: Call, warehouse_id: int, location_ids: Collection[int]) -> None:
    """Raises `LOCATION_ELSEWHERE` for a location of another warehouse."""
    for row in (await get_location_rows(call, location_ids)).values():
        if row.warehouse_id != warehouse_id:
            raise LOCATION_ELSEWHERE(location=row.code)


async def announce_shortages(call: Call, lost: Iterable[tuple[ProductRow, int]]) -> None:
    """Tell who listens of products that fell below their `reorder_below` by these pieces, which can no longer be reserved."""
    watched = {product.id: (product, pieces) for product, pieces in lost if product.reorder_below}
    available = dict.fromkeys(watched, 0)
    for row in await level_store.sum_levels(call.work, sorted(watched), None):
        available[row.product_id] += max(0, int(row.available))
    for id, (product, pieces) in sorted(watched.items()):
        if available[id] < product.reorder_below <= available[id] + pieces:
            await call.publish(
                StockRanLow(
                    product_id=id, sku=product.sku, available=available[id], reorder_below=product.reorder_below
                )
            )


async def choose_levels(
    call: Call, warehouse_id: int, wanted: Mapping[int, int], without: Collection[int] = ()
) -> tuple[dict[int, dict[int, int]], dict[int, int]]:
    """Of which levels pieces of products can be reserved: by product, how many of which level; and how many are missing.

    The levels are locked until the call ends; `without` names levels that are left out.
    """
    free: defaultdict[int, list[FreeLevel]] = defaultdict(list)
    for row in await level_store.lock_free_levels(call.work, list(wanted), warehouse_id, call.today):
        if row.id not in without:
            free[row.product_id].append(FreeLevel(row.id, row.on_hand - row.reserved, row.expires_on, row.walk_order))
    chosen: dict[int, dict[int, int]] = {}
    missing: dict[int, int] = {}
    for product_id, quantity in wanted.items():
        levels, short = allocate(free[product_id], quantity)
        chosen[product_id] = dict(levels)
        if short:
            missing[product_id] = short
    return chosen, missing


async def free_reserved(call: Call, rows: Sequence[StockReservationRow], freed: Mapping[int, int]) -> None:
    """Set pieces of reservations free, by the reservations' ids."""
    changes: Counter[int] = Counter()
    for row in rows:
        changes[row.level_id] -= freed[row.id]
    await level_store.change_reserved(call.work, changes)
    await reservation_store.take_from_reservations(call.work, rows, freed)


async def take_reserved(
    call: Call, rows: Sequence[StockReservationRow], taken: Mapping[int, int], *, kind: MovementKind, to: int | None
) -> Sequence[MovementRow]:
    """Fetch reserved pieces: to a location, where they stay reserved, or out of the warehouse, and then they are gone."""
    levels = await level_store.get_level_rows(call.work, [row.level_id for row in rows])
    await free_reserved(call, rows, taken)
    movements = [
        NewMovement(
            kind=kind,
            product_id=levels[row.level_id].product_id,
            quantity=taken[row.id],
            from_location_id=levels[row.level_id].location_id,
            to_location_id=to,
            lot=levels[row.level_id].lot,
            serial=levels[row.level_id].serial,
            condition=levels[row.level_id].condition,
            expires_on=levels[row.level_id].expires_on,
            reference=row.reference,
            occurred_at=call.now,
        )
        for row in rows
    ]
    filled = () if to is None else (to,)
    sources = {levels[row.level_id].location_id for row in rows}
    written = await write_movements(call, movements, await load_locations(call, {*sources, *filled}, filled=filled))
    if to is not None and rows:
        await _reserve_at(call, rows[0].warehouse_id, to, movements)
    return written


async def _reserve_at(call: Call, warehouse_id: int, location_id: int, movements: Sequence[NewMovement]) -> None:
    levels = await level_store.get_levels(call.work, {movement.level(location_id) for movement in movements})
    more: Counter[tuple[str, int]] = Counter()
    for movement in movements:
        more[movement.reference or "", levels[movement.level(location_id)].id] += movement.quantity
    await reserve_levels(call, warehouse_id, more)


async def reserve_levels(call: Call, warehouse_id: int, more: Mapping[tuple[str, int], int]) -> None:
    """Reserve more pieces of levels that have them, by whom they are for and the level."""
    changes: Counter[int] = Counter()
    for (_, level), pieces in more.items():
        changes[level] += pieces
    await level_store.change_reserved(call.work, changes)
    await reservation_store.add_to_reservations(call.work, warehouse_id, more, call.now)
