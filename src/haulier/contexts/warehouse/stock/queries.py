"""Stock as other families read it."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from haulier.contexts.warehouse.stock.rules import LevelKey
from haulier.contexts.warehouse.stock.store import levels as levels_store
from haulier.contexts.warehouse.stock.store import reservations as reservations_store
from haulier.contexts.warehouse.stock.store.levels import ShelfRow
from haulier.contexts.warehouse.stock.store.tables import LevelRow, StockReservationRow
from haulier.contexts.warehouse.stock.store.tables import StockReservationRow as ReservedRow
from haulier.kernel.call import Call


async def list_shelves(
    call: Call, warehouse_id: int, kinds: Collection[str], homes: Collection[int]
) -> Sequence[ShelfRow]:
    """Locations of these kinds that have room: `homes` and those in their zones first, then in walking order."""
    return await levels_store.list_shelf_rows(call.work, warehouse_id, kinds, homes)


async def find_homes(call: Call, warehouse_id: int, product_ids: Collection[int]) -> dict[int, set[int]]:
    """The locations of a warehouse on which products stand, by product."""
    homes: defaultdict[int, set[int]] = defaultdict(set)
    for row in await levels_store.list_home_rows(call.work, warehouse_id, product_ids):
        homes[row.product_id].add(row.location_id)
    return dict(homes)


async def list_levels_on(
    call: Call, location_ids: Collection[int], product_ids: Collection[int] | None, *, limit: int
) -> Sequence[LevelRow]:
    """What stands on locations, of some products or of all, in the order of the walk."""
    return await levels_store.list_levels_on(call.work, location_ids, product_ids, limit=limit)


async def read_levels(call: Call, keys: Collection[LevelKey]) -> dict[LevelKey, int]:
    """How many pieces of levels there are, by what is counted together."""
    return {key: row.on_hand for key, row in (await levels_store.get_levels(call.work, keys)).items()}


async def read_level_ids(call: Call, keys: Collection[LevelKey]) -> dict[LevelKey, int]:
    """The ids of levels, by what is counted together."""
    return {key: row.id for key, row in (await levels_store.get_levels(call.work, keys)).items()}


async def lock_level(call: Call, key: LevelKey, warehouse_id: int) -> int:
    """How many pieces of a level there are; nobody changes that until the call ends."""
    return await levels_store.lock_level(call.work, key, warehouse_id)


async def get_stock_levels(call: Call, ids: Collection[int]) -> dict[int, LevelRow]:
    """Levels of this client by id."""
    return await LevelRow.get_many(call.work, ids)


async def list_reservations(call: Call, warehouse_id: int, references: Collection[str]) -> Sequence[ReservedRow]:
    """What is reserved for several things in a warehouse."""
    return await reservations_store.list_reservations_of(call.work, warehouse_id, references)


async def lock_reservations(call: Call, ids: Collection[int]) -> dict[int, ReservedRow]:
    """Reservations by id, locked until the call ends. Those that were set free are left out."""
    return await StockReservationRow.lock_many(call.work, ids)


async def lock_reservations_of(
    call: Call, warehouses: Collection[int], references: Collection[str]
) -> Sequence[ReservedRow]:
    """What is reserved for several things in several warehouses, the oldest first, locked until the call ends."""
    return await reservations_store.lock_reservations_of(call.work, warehouses, references)
