"""Reserve, release and fetch stock."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from haulier.contexts.warehouse.events import StockRanLow
from haulier.contexts.warehouse.products.queries import ProductRow
from haulier.contexts.warehouse.stock.actions.lines import load_locations
from haulier.contexts.warehouse.stock.actions.movements import write_movements
from haulier.contexts.warehouse.stock.contract import MovementKind
from haulier.contexts.warehouse.stock.rules.allocation import FreeLevel, allocate
from haulier.contexts.warehouse.stock.rules.movements import NewMovement
from haulier.contexts.warehouse.stock.store import levels as level_store
from haulier.contexts.warehouse.stock.store import reservations as reservation_store
from haulier.contexts.warehouse.stock.store.tables import LevelRow, MovementRow, StockReservationRow
from haulier.kernel.call import Call


async def announce_shortages(call: Call, lost: Iterable[tuple[ProductRow, int]]) -> None:
    """Tell who listens of products that fell below their `reorder_below` by these pieces, which can no longer be reserved."""
    watched = {product.id: (product, pieces) for product, pieces in lost if product.reorder_below}
    available = dict.fromkeys(watched, 0)
    for row in await level_store.sum_levels(call.work, sorted(watched), None, call.today):
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
