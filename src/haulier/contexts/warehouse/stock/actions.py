"""Writes of stock for other families."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from msgspec.structs import replace

from haulier.contexts.warehouse.events import StockCame, StockFreed, StockRanLow, StockReceived
from haulier.contexts.warehouse.products.contract import Tracking
from haulier.contexts.warehouse.products.queries import ProductRow, find_products_by_sku, get_product_rows
from haulier.contexts.warehouse.shortages.actions import LostPieces, record_shortages
from haulier.contexts.warehouse.stock.contract import MovementKind, ReceivedPieces, ReleasedReservation, StockPieces
from haulier.contexts.warehouse.stock.errors import (
    INSUFFICIENT_STOCK,
    LOCATION_ELSEWHERE,
    LOCATION_FULL,
    LOCATION_NOT_USABLE,
    LOT_EXPIRY_DIFFERS,
    PIECES_NOT_TOLD_APART,
    SERIAL_IN_STOCK,
    UNKNOWN_SKU,
)
from haulier.contexts.warehouse.stock.rules import FreeLevel, LevelKey, NewMovement, allocate, level_changes
from haulier.contexts.warehouse.stock.store import levels as levels_store
from haulier.contexts.warehouse.stock.store import reservations as reservations_store
from haulier.contexts.warehouse.stock.store.reservations import LotKey
from haulier.contexts.warehouse.stock.store.tables import LevelRow, MovementRow, StockReservationRow
from haulier.contexts.warehouse.warehouses.queries import LocationRow, get_location_rows, get_warehouse_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found
from haulier.kernel.operations.records import record

STAYS_RESERVED = frozenset({MovementKind.PICK, MovementKind.PACK})


def pieces_of(line: StockPieces, quantity: int | None = None) -> dict[str, Any]:
    """Return the movement columns of the items of a line."""
    return {
        "quantity": line.quantity if quantity is None else quantity,
        "lot": line.lot or "",
        "serial": line.serial or "",
        "condition": line.condition,
    }


async def load_products(call: Call, lines: Sequence[StockPieces], path: str = "lines.{at}.") -> dict[str, ProductRow]:
    """Return the products of lines by SKU.

    Raises for unknown products and for lines without a required lot or serial number. `path` is the position of a
    line's fields in the request.
    """
    products = await load_known_products(call, [line.sku for line in lines], path)
    require_distinguishable(lines, products, path)
    return products


def require_distinguishable(
    lines: Sequence[StockPieces], products: Mapping[str, ProductRow], path: str = "lines.{at}."
) -> None:
    """Raise `PIECES_NOT_TOLD_APART` if a line lacks a lot or serial number."""
    for at, line in enumerate(lines):
        if field := missing_field(products[line.sku].tracking, line):
            fault = FieldError(path.format(at=at) + field, "pieces_not_told_apart", {"sku": line.sku})
            raise PIECES_NOT_TOLD_APART.for_fields(fault, sku=line.sku)


async def load_known_products(call: Call, skus: Sequence[str], path: str = "lines.{at}.") -> dict[str, ProductRow]:
    """Return the products of lines by SKU.

    Raises `UNKNOWN_SKU`, which names the lines of unknown products.
    """
    products = await find_products_by_sku(call, set(skus))
    if unknown := [at for at, sku in enumerate(skus) if sku not in products]:
        faults = (FieldError(f"{path.format(at=at)}sku", "unknown_sku", {"sku": skus[at]}) for at in unknown)
        raise UNKNOWN_SKU.for_fields(*faults, sku=skus[unknown[0]])
    return products


def missing_field(tracking: Tracking, pieces: StockPieces) -> str | None:
    """Return the missing or superfluous tracking field of a line, or None."""
    if (pieces.serial is None) == (tracking == Tracking.SERIAL):
        return "serial"
    if pieces.serial is not None and pieces.quantity != 1:
        return "quantity"
    if pieces.lot is None and tracking == Tracking.LOT:
        return "lot"
    return "lot" if pieces.lot is not None and tracking == Tracking.NONE else None


async def load_locations(call: Call, ids: Collection[int], *, filled: Collection[int] = ()) -> dict[int, LocationRow]:
    """Return locations by id.

    Raises `NOT_FOUND`, and `LOCATION_NOT_USABLE` for those of `filled` that accept no stock.
    """
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
    """Raise `LOCATION_ELSEWHERE` for a location of another warehouse."""
    for row in (await get_location_rows(call, location_ids)).values():
        if row.warehouse_id != warehouse_id:
            raise LOCATION_ELSEWHERE(location=row.code)


async def apply_expiry_dates(call: Call, movements: Sequence[NewMovement], path: str | None) -> dict[LevelKey, date]:
    """Record the expiry days of new lots, and return the day of each receiving level.

    Raises `LOT_EXPIRY_DIFFERS` for another day than recorded; `path` is the position of a movement in the request.
    Without a path nothing is rejected, and the earlier day counts: offline scans have happened.
    """
    coming = [each for each in movements if each.to_location_id is not None]
    of_lots = await _check_lots(call, coming, path)
    sources = await _source_days(call, [each for each in coming if not each.lot and each.expires_on is None])
    days: dict[LevelKey, date] = {}
    for each in coming:
        day = of_lots.get((each.product_id, each.lot)) if each.lot else each.expires_on or sources.get(_source(each))
        if day is not None:
            target = each.level(each.to_location_id or 0)
            days[target] = min(day, days.get(target, day))
    return days


async def _check_lots(call: Call, coming: Sequence[NewMovement], path: str | None) -> dict[LotKey, date]:
    named = sorted({(each.product_id, each.lot) for each in coming if each.lot})
    given: dict[LotKey, date] = {}
    for each in coming:
        if each.lot and each.expires_on:
            key = (each.product_id, each.lot)
            given[key] = (
                given.get(key, each.expires_on)
                if path is not None
                else min(each.expires_on, given.get(key, each.expires_on))
            )
    if given:
        await reservations_store.insert_lots(call.work, given)
    recorded = await reservations_store.lock_lots(call.work, named)
    if path is not None:
        await _require_recorded_days(
            call, [(each.product_id, each.lot, each.expires_on) for each in coming], recorded, path
        )
        return recorded
    earlier = {key: day for key, day in given.items() if day < recorded[key]}
    await reservations_store.set_lot_days(call.work, earlier)
    return recorded | earlier


async def check_lot_days(call: Call, lines: Sequence[tuple[int, str, date | None]], path: str) -> None:
    """Raise `LOT_EXPIRY_DIFFERS` if a line has another day than its lot."""
    named = sorted({(product, lot) for product, lot, day in lines if lot and day})
    await _require_recorded_days(call, lines, await reservations_store.lock_lots(call.work, named), path)


async def _require_recorded_days(
    call: Call, lines: Sequence[tuple[int, str, date | None]], recorded: dict[LotKey, date], path: str
) -> None:
    for at, (product, lot, day) in enumerate(lines):
        known = recorded.get((product, lot))
        if day is not None and known is not None and day != known:
            sku = (await get_product_rows(call, {product}))[product].sku
            told = {"lot": lot, "sku": sku, "day": known.isoformat()}
            fault = FieldError(f"{path.format(at=at)}expires_on", "lot_expiry_differs", told)
            raise LOT_EXPIRY_DIFFERS.for_fields(fault, **told)


async def _source_days(call: Call, moved: Sequence[NewMovement]) -> dict[LevelKey | None, date]:
    keys = {key for each in moved if (key := _source(each))}
    rows = await levels_store.get_levels(call.work, keys)
    return {key: row.expires_on for key, row in rows.items() if row.expires_on}


def _source(movement: NewMovement) -> LevelKey | None:
    return None if movement.from_location_id is None else movement.level(movement.from_location_id)


Locations = Mapping[int, LocationRow]


async def write_movements(
    call: Call,
    movements: Sequence[NewMovement],
    locations: Locations,
    *,
    must_be_there: bool = True,
    check_room: bool = True,
    from_reserved: bool = False,
    path: str | None = None,
) -> Sequence[MovementRow]:
    """Record movements and update levels; known keys are skipped.

    `must_be_there` rejects taking more than the unreserved stock. Offline scans arrive in any order, so levels can be
    negative for a while. `check_room` rejects exceeding a location's capacity. `from_reserved` also takes reserved
    items; the caller then releases their reservations. With `path`, the position of a movement in the request, another
    expiry day than that of its lot is rejected.
    """
    rows = await reservations_store.insert_movements(
        call.work, [_columns(call, movement, locations) for movement in movements]
    )
    if len(rows) < len(movements):  # only those with a key are ever left out
        new = {row.key for row in rows}
        movements = [movement for movement in movements if movement.key is None or movement.key in new]
    if not movements:
        return rows
    changes = level_changes(movements)
    warehouses = {key.location_id: locations[key.location_id].warehouse_id for key in changes}
    expiry = await apply_expiry_dates(call, movements, path)
    levels = await levels_store.change_levels(call.work, changes, warehouses, expiry)
    if must_be_there:
        await _check_levels(call, changes, levels, locations, from_reserved=from_reserved)
        if check_room:
            await _check_room(call, changes, locations)
    call.add_audit_subjects("product", *sorted({movement.product_id for movement in movements}))
    for warehouse_id in sorted({warehouses[id] for movement in movements if (id := _arrival(movement)) is not None}):
        await call.publish(StockFreed(warehouse_id=warehouse_id))
    return rows


def _arrival(movement: NewMovement) -> int | None:
    """Return the location at which units can become available, or None."""
    return movement.to_location_id if movement.kind not in STAYS_RESERVED else None


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
    call: Call,
    changes: Mapping[LevelKey, int],
    levels: Mapping[LevelKey, LevelRow],
    locations: Locations,
    *,
    from_reserved: bool,
) -> None:
    for key, change in changes.items():
        level = levels[key]
        least = 0 if from_reserved else level.reserved
        if change < 0 and level.on_hand < least:
            free = level.on_hand - change - least
            raise INSUFFICIENT_STOCK(location=locations[key.location_id].code, count=max(0, free))
    serials = {key.serial for key, change in changes.items() if change > 0 and key.serial}
    if twice := await levels_store.serials_twice(call.work, {key.product_id for key in changes}, serials):
        raise SERIAL_IN_STOCK(serial=twice[0])


async def _check_room(call: Call, changes: Mapping[LevelKey, int], locations: Locations) -> None:
    filled = [key.location_id for key, change in changes.items() if change > 0]
    limited = {id for id in filled if locations[id].capacity is not None}
    for id, pieces in (await levels_store.pieces_on_locations(call.work, limited)).items():
        if pieces > (locations[id].capacity or 0):
            raise LOCATION_FULL(location=locations[id].code, count=locations[id].capacity)


async def receive_pieces(
    call: Call, lines: Sequence[ReceivedPieces], *, kind: MovementKind, reference: str | None
) -> Sequence[MovementRow]:
    """Record received pieces: all lines, or none."""
    filled = {line.location_id for line in lines}
    locations = await load_locations(call, filled, filled=filled)
    products = await load_products(call, lines)
    _require_expiry_days(lines, {sku for sku, product in products.items() if product.expires})
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
    rows = await write_movements(call, movements, locations, path="lines.{at}.")
    by_warehouse: defaultdict[int, list[StockCame]] = defaultdict(list)
    for line in lines:
        came = StockCame(sku=line.sku, quantity=line.quantity, condition=line.condition)
        by_warehouse[locations[line.location_id].warehouse_id].append(came)
    for warehouse_id, came in by_warehouse.items():
        await call.publish(StockReceived(warehouse_id=warehouse_id, reference=reference, lines=came))
    return rows


def _require_expiry_days(lines: Sequence[ReceivedPieces], expiring: Collection[str]) -> None:
    missing = [at for at, line in enumerate(lines) if line.sku in expiring and line.expires_on is None]
    if missing:
        raise INVALID_REQUEST.for_fields(*(FieldError(f"lines.{at}.expires_on", "field.missing") for at in missing))


async def publish_shortages(call: Call, lost: Iterable[tuple[ProductRow, int]]) -> None:
    """Publish products that fell below `reorder_below` by these items."""
    watched = {product.id: (product, pieces) for product, pieces in lost if product.reorder_below}
    available = dict.fromkeys(watched, 0)
    for row in await levels_store.sum_levels(call.work, sorted(watched), None, call.today):
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
    """Choose levels to reserve from, by product, and return the missing items.

    The levels are locked until the transaction ends; `without` names levels to skip.
    """
    free: defaultdict[int, list[FreeLevel]] = defaultdict(list)
    for row in await levels_store.lock_free_levels(call.work, list(wanted), warehouse_id, call.today):
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
    """Release items of reservations, by reservation id."""
    changes: Counter[int] = Counter()
    for row in rows:
        changes[row.level_id] -= freed[row.id]
    await levels_store.change_reserved(call.work, changes)
    await reservations_store.reduce_reservations(call.work, rows, freed)


async def consume_reserved(
    call: Call, rows: Sequence[StockReservationRow], taken: Mapping[int, int], *, kind: MovementKind, to: int | None
) -> Sequence[MovementRow]:
    """Take reserved items to a location, where they stay reserved, or out."""
    levels = await LevelRow.get_many(call.work, [row.level_id for row in rows])
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
    levels = await levels_store.get_levels(call.work, {movement.level(location_id) for movement in movements})
    more: Counter[tuple[str, int]] = Counter()
    for movement in movements:
        more[movement.reference or "", levels[movement.level(location_id)].id] += movement.quantity
    await reserve_levels(call, warehouse_id, more)


async def reserve_levels(call: Call, warehouse_id: int, more: Mapping[tuple[str, int], int]) -> None:
    """Reserve more items of available levels, by reference and level."""
    changes: Counter[int] = Counter()
    for (_, level), pieces in more.items():
        changes[level] += pieces
    await levels_store.change_reserved(call.work, changes)
    await reservations_store.add_to_reservations(call.work, warehouse_id, more, call.now)


async def post_corrections(
    call: Call,
    movements: Sequence[NewMovement],
    locations: Locations,
    *,
    source: str,
    counted: bool = False,
    path: str | None = None,
) -> tuple[Sequence[MovementRow], list[ReleasedReservation]]:
    """Record corrections and release reservations without stock, newest first.

    Opens a shortage for each. `counted` never rejects: it ignores capacity, and takes at most the items in the books.
    """
    taken = [each.level(each.from_location_id) for each in movements if each.from_location_id is not None]
    levels = await levels_store.get_levels(call.work, taken)
    # Lock in the order of picks, which lock reservations before levels.
    await reservations_store.lock_reservations_on(call.work, [level.id for level in levels.values()])
    levels = await levels_store.get_levels(call.work, taken, lock=True)
    if counted:
        movements = _limit_to_books(movements, {key: level.on_hand for key, level in levels.items()})
    rows = await write_movements(call, movements, locations, check_room=not counted, from_reserved=True, path=path)
    released = await _release_excess(call, await levels_store.get_levels(call.work, taken), source)
    return rows, released


def _limit_to_books(movements: Sequence[NewMovement], on_hand: Mapping[LevelKey, int]) -> list[NewMovement]:
    limited: list[NewMovement] = []
    for each in movements:
        if each.from_location_id is None:
            limited.append(each)
        elif (left := min(each.quantity, on_hand.get(each.level(each.from_location_id), 0))) > 0:
            limited.append(replace(each, quantity=left))
    return limited


async def _release_excess(call: Call, levels: Mapping[LevelKey, LevelRow], source: str) -> list[ReleasedReservation]:
    excess = {row.id: row.reserved - max(0, row.on_hand) for row in levels.values() if row.reserved > row.on_hand}
    products = {row.id: row.product_id for row in levels.values()}
    rows = await reservations_store.lock_reservations_on(call.work, list(excess))
    freed: dict[int, int] = {}
    lost: Counter[tuple[int, str, int]] = Counter()
    for row in rows:
        if pieces := min(row.quantity, excess[row.level_id]):
            freed[row.id] = pieces
            excess[row.level_id] -= pieces
            lost[row.warehouse_id, row.reference, products[row.level_id]] += pieces
    await free_reserved(call, [row for row in rows if row.id in freed], freed)
    shortages = await record_shortages(
        call,
        [
            LostPieces(warehouse_id=warehouse, reference=reference, product_id=product, quantity=pieces)
            for (warehouse, reference, product), pieces in lost.items()
        ],
        source,
    )
    known = await get_product_rows(call, {row.product_id for row in shortages})
    return [record(ReleasedReservation, row, shortage_id=row.id, sku=known[row.product_id].sku) for row in shortages]
