"""Movements change levels."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from haulier.contexts.warehouse.events import StockCame, StockReceived
from haulier.contexts.warehouse.stock.actions.lines import load_locations, load_products, pieces_of
from haulier.contexts.warehouse.stock.actions.lots import settle_expiry
from haulier.contexts.warehouse.stock.contract import MovementKind, ReceivedPieces
from haulier.contexts.warehouse.stock.errors import INSUFFICIENT_STOCK, LOCATION_FULL, SERIAL_IN_STOCK
from haulier.contexts.warehouse.stock.rules.movements import LevelKey, NewMovement, level_changes
from haulier.contexts.warehouse.stock.store import levels as level_store
from haulier.contexts.warehouse.stock.store import movements as store
from haulier.contexts.warehouse.stock.store.tables import LevelRow, MovementRow
from haulier.contexts.warehouse.warehouses.queries import LocationRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

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
    """Write movements between these locations, and change levels with them. Those whose key was written before are left out.

    `must_be_there` refuses what takes more than stands there and is not reserved. Scans that were made offline come in any
    order, so what they take may be written before what brought it: levels are then negative for a while. `check_room`
    refuses what makes a location hold more than its capacity. `from_reserved` also takes reserved pieces; the caller then
    releases their reservations. With `path`, where a movement stands in the request, another expiry day than that of its lot
    is refused.
    """
    rows = await store.insert_movements(call.work, [_columns(call, movement, locations) for movement in movements])
    if len(rows) < len(movements):  # only those with a key are ever left out
        new = {row.key for row in rows}
        movements = [movement for movement in movements if movement.key is None or movement.key in new]
    if not movements:
        return rows
    changes = level_changes(movements)
    warehouses = {key.location_id: locations[key.location_id].warehouse_id for key in changes}
    expiry = await settle_expiry(call, movements, path)
    levels = await level_store.change_levels(call.work, changes, warehouses, expiry)
    if must_be_there:
        await _check_levels(call, changes, levels, locations, from_reserved=from_reserved)
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
    rows = await write_movements(call, movements, locations, path="lines.{at}.")
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
