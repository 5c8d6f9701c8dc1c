"""Stock as other families read it."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement

from haulier.contexts.warehouse.products.queries import product_filter
from haulier.contexts.warehouse.stock.rules import LevelKey
from haulier.contexts.warehouse.stock.store import levels as levels_store
from haulier.contexts.warehouse.stock.store import reservations as reservations_store
from haulier.contexts.warehouse.stock.store.levels import ShelfRow, ShownLevelRow, SumRow
from haulier.contexts.warehouse.stock.store.reservations import ReservationSumRow, UnpickedRow
from haulier.contexts.warehouse.stock.store.tables import LevelRow
from haulier.contexts.warehouse.stock.store.tables import StockReservationRow as ReservedRow
from haulier.kernel.call import Call


async def list_shelves(
    call: Call, warehouse_id: int, kinds: Collection[str], homes: Collection[int]
) -> Sequence[ShelfRow]:
    """Return locations with room: `homes` and their zones first, then walking order."""
    return await levels_store.list_shelf_rows(call.work, warehouse_id, kinds, homes)


async def find_homes(call: Call, warehouse_id: int, product_ids: Collection[int]) -> dict[int, set[int]]:
    """Return the locations of a warehouse on which products stand, by product."""
    homes: defaultdict[int, set[int]] = defaultdict(set)
    for row in await levels_store.list_home_rows(call.work, warehouse_id, product_ids):
        homes[row.product_id].add(row.location_id)
    return dict(homes)


async def list_levels_on(
    call: Call, location_ids: Collection[int], product_ids: Collection[int] | None, *, limit: int
) -> Sequence[LevelRow]:
    """Return levels on locations, optionally of some products, in walking order."""
    return await levels_store.list_levels_on(call.work, location_ids, product_ids, limit=limit)


async def sum_available(call: Call, product_ids: Collection[int]) -> dict[int, dict[int, int]]:
    """Return the items that can be reserved, by warehouse and product. One statement."""
    available: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for row in await levels_store.sum_levels(call.work, product_ids, None, call.today):
        available[row.warehouse_id][row.product_id] = max(0, int(row.available))
    return available


async def search_levels(
    call: Call,
    *,
    product_ids: Collection[int],
    location_ids: Collection[int],
    code: str | None,
    warehouse_id: int | None,
    limit: int,
) -> Sequence[ShownLevelRow]:
    """Return levels of products, locations, or a lot or serial number."""
    return await levels_store.search_level_rows(
        call.work,
        product_ids=product_ids,
        location_ids=location_ids,
        code=code,
        warehouse_id=warehouse_id,
        today=call.today,
        limit=limit,
    )


async def sum_inventory(call: Call, product_ids: Collection[int], warehouse_id: int | None) -> Sequence[SumRow]:
    """Return the quantity of products by warehouse."""
    return await levels_store.sum_levels(call.work, product_ids, warehouse_id, call.today)


async def read_levels(call: Call, keys: Collection[LevelKey]) -> dict[LevelKey, int]:
    """Return the items of levels by key."""
    return {key: row.on_hand for key, row in (await levels_store.get_levels(call.work, keys)).items()}


async def read_level_ids(call: Call, keys: Collection[LevelKey]) -> dict[LevelKey, int]:
    """Return the ids of levels by key."""
    return {key: row.id for key, row in (await levels_store.get_levels(call.work, keys)).items()}


async def lock_level(call: Call, key: LevelKey, warehouse_id: int) -> int:
    """Lock a level and return its items."""
    return await levels_store.lock_level(call.work, key, warehouse_id)


async def get_stock_levels(call: Call, ids: Collection[int]) -> dict[int, LevelRow]:
    """Return levels of this client by id."""
    return await LevelRow.get_many(call.work, ids)


async def list_reservation_sums(
    call: Call,
    *,
    warehouse_id: int | None,
    sku: str | None,
    picked: bool | None,
    condition: ColumnElement[bool] | None,
    limit: int,
    offset: int,
) -> tuple[Sequence[ReservationSumRow], int]:
    """Return a page of reservations by reference, oldest first, and the total."""
    product = await product_filter(call, sku)
    return await reservations_store.list_reservation_sums(
        call.work,
        warehouse_id=warehouse_id,
        product_id=0 if product is None else product.get("product_id"),
        picked=picked,
        condition=condition,
        limit=limit,
        offset=offset,
    )


async def list_reservations(call: Call, warehouse_id: int, references: Collection[str]) -> Sequence[ReservedRow]:
    """Return the reservations of references in a warehouse."""
    return await reservations_store.list_reservations_of(call.work, warehouse_id, references)


async def lock_reservations(call: Call, ids: Collection[int]) -> dict[int, ReservedRow]:
    """Lock and return reservations by id. Released ones are left out."""
    return await ReservedRow.lock_many(call.work, ids)


async def lock_reservations_everywhere(call: Call, reference: str) -> Sequence[ReservedRow]:
    """Lock and return the reservations of a reference in all warehouses, oldest first."""
    return await reservations_store.lock_reservations_everywhere(call.work, reference)


async def lock_unpicked_reservations(call: Call, reference: str) -> Sequence[UnpickedRow]:
    """Lock and return the reservations of a reference on shelves, newest first."""
    return await reservations_store.lock_unpicked_reservations(call.work, reference)


async def lock_reservations_of(
    call: Call, warehouses: Collection[int], references: Collection[str]
) -> Sequence[ReservedRow]:
    """Lock and return the reservations of references in warehouses, oldest first."""
    return await reservations_store.lock_reservations_of(call.work, warehouses, references)
