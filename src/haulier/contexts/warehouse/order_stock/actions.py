"""Reservation of stock for the items of orders."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping

from msgspec import Struct

from haulier.contexts.orders.public import (
    OrderGoods,
    WaitingBackorder,
    find_backorder_owner,
    load_order_goods,
    lock_order_goods,
    lock_waiting_backorder,
    release_backorder,
)
from haulier.contexts.warehouse.events import StockFreed
from haulier.contexts.warehouse.order_stock import store
from haulier.contexts.warehouse.order_stock.rules import StockPlan, WarehousePlace, by_distance, plan_order_stock
from haulier.contexts.warehouse.products.queries import get_product_rows
from haulier.contexts.warehouse.shortages.actions import settle_shortages
from haulier.contexts.warehouse.stock.actions import (
    choose_levels,
    free_reserved,
    publish_shortages,
    reserve_levels,
)
from haulier.contexts.warehouse.stock.queries import (
    UnpickedRow,
    lock_reservations_everywhere,
    lock_unpicked_reservations,
    sum_available,
)
from haulier.contexts.warehouse.warehouses.queries import list_open_warehouses
from haulier.kernel.call import Call

MAX_ROUNDS = 3
"""Attempts to find stock elsewhere if parallel calls reserve it first."""


class HeldStock(Struct, frozen=True):
    """Stock of an order: units by product."""

    ordered: Counter[int]
    reserved: Counter[int]
    shipped: Mapping[int, int]

    def missing(self) -> dict[int, int]:
        """Return the units that are neither reserved nor shipped."""
        left = {id: units - self.reserved[id] - self.shipped.get(id, 0) for id, units in self.ordered.items()}
        return {id: units for id, units in left.items() if units > 0}


async def load_held_stock(call: Call, order: OrderGoods) -> HeldStock:
    """Return the stock of an order. Two statements."""
    ordered: Counter[int] = Counter()
    for line in order.lines:
        if line.product_id is not None:
            ordered[line.product_id] += line.quantity
    reserved: Counter[int] = Counter()
    for row in await store.sum_reserved(call.work, order.tracking_number):
        reserved[row.product_id] += row.units
    return HeldStock(ordered, reserved, await store.sum_shipped(call.work, order.tracking_number))


async def reserve_for_order(call: Call, order_id: int, owner_id: int | None = None) -> OrderGoods:
    """Reserve the missing stock of an order.

    Opens a shortage for units that no warehouse has, for the owner of its backorder, or `owner_id`. Safe to repeat. A
    finished order is left as it is. Raises `NOT_FOUND`.
    """
    order = await lock_order_goods(call, order_id)
    missing = (await load_held_stock(call, order)).missing() if not order.is_over else {}
    short, nearest = await _reserve_units(call, order, missing) if missing else ({}, None)
    owner_id = (await find_backorder_owner(call, order.id) if short else None) or owner_id
    await settle_shortages(call, order, short, nearest, owner_id)
    return order


async def _reserve_units(
    call: Call, order: OrderGoods, missing: Mapping[int, int]
) -> tuple[dict[int, int], int | None]:
    """Reserve units for an order. Return the short units, and the nearest warehouse."""
    rows = await list_open_warehouses(call)
    places = [
        WarehousePlace(row.id, None if row.lat is None or row.lng is None else (row.lat, row.lng)) for row in rows
    ]
    nearest = by_distance(places, order.place)
    short = dict(missing)
    for _ in range(MAX_ROUNDS):
        plan = plan_order_stock(short, await sum_available(call, list(short)), nearest)
        lacking = await _allocate(call, order, plan)
        short = dict(Counter(plan.short) + lacking)
        if not lacking:
            break
    await store.record_order_stock(call.work, order.id, order.tracking_number, call.now)
    products = await get_product_rows(call, list(missing))
    reserved = {id: units - short.get(id, 0) for id, units in missing.items()}
    await publish_shortages(call, [(products[id], units) for id, units in reserved.items() if units])
    call.add_audit_subjects("order", order.id)
    return {id: units for id, units in short.items() if units}, nearest[0].id if nearest else None


async def _allocate(call: Call, order: OrderGoods, plan: StockPlan) -> Counter[int]:
    """Reserve planned units; return those that other calls reserved first."""
    lacking: Counter[int] = Counter()
    for warehouse_id, units in sorted(plan.reserve.items()):
        chosen, gone = await choose_levels(call, warehouse_id, units)
        taken = {
            (order.tracking_number, level): pieces for levels in chosen.values() for level, pieces in levels.items()
        }
        await reserve_levels(call, warehouse_id, taken)
        lacking.update(gone)
        call.add_audit_subjects("warehouse", warehouse_id)
    return lacking


async def release_for_order(call: Call, order_id: int) -> OrderGoods:
    """Release the reserved stock of an order. Safe to repeat. Raises `NOT_FOUND`."""
    order = await lock_order_goods(call, order_id)
    by_warehouse = defaultdict(list)
    for row in await lock_reservations_everywhere(call, order.tracking_number):
        by_warehouse[row.warehouse_id].append(row)
    for warehouse_id, rows in sorted(by_warehouse.items()):
        await free_reserved(call, rows, {row.id: row.quantity for row in rows})
        await call.publish(StockFreed(warehouse_id=warehouse_id))
        call.add_audit_subjects("warehouse", warehouse_id)
    await settle_shortages(call, order, {})
    call.add_audit_subjects("order", order.id)
    return order


async def fill_backorder(call: Call, backorder: WaitingBackorder, starved: Collection[int]) -> Collection[int]:
    """Reserve available stock for a backorder, and release its order once complete.

    `starved` are products that older backorders still wait for. Returns the products that this one still misses. Safe
    to repeat.
    """
    order = await lock_order_goods(call, backorder.order_id)
    if not await lock_waiting_backorder(call, backorder.id):
        return ()
    missing = (await load_held_stock(call, order)).missing()
    free = {id: units for id, units in missing.items() if id not in starved}
    short, _ = await _reserve_units(call, order, free) if free else ({}, None)
    left = short | {id: units for id, units in missing.items() if id not in free}
    await settle_shortages(call, order, left)
    if not left:
        await release_backorder(call, order.id)
    return left.keys()


async def find_short_units(call: Call, order_id: int) -> dict[int, int]:
    """Return the units of an order that no warehouse has, by product."""
    missing = (await load_held_stock(call, await load_order_goods(call, order_id))).missing()
    available: Counter[int] = Counter()
    for stock in (await sum_available(call, list(missing))).values() if missing else ():
        available.update(stock)
    return {id: units - available[id] for id, units in missing.items() if units > available[id]}


async def move_order_stock(call: Call, source_id: int, target_id: int) -> None:
    """Move reserved units that an order no longer needs to another order.

    The units freed are locked until the transaction ends, so that no other order takes them. Picked units stay.
    """
    source, target = await lock_order_goods(call, source_id), await lock_order_goods(call, target_id)
    freed = await _free_surplus(call, source)
    missing = (await load_held_stock(call, target)).missing()
    wanted = {id: min(units, missing.get(id, 0)) for id, units in freed.items() if missing.get(id)}
    if wanted:
        await _reserve_units(call, target, wanted)
    for order in (source, target):
        left = {} if order.is_over else (await load_held_stock(call, order)).missing()
        await settle_shortages(call, order, left)


async def _free_surplus(call: Call, order: OrderGoods) -> Counter[int]:
    """Free units that an order no longer needs, newest first. Return them by product."""
    held = await load_held_stock(call, order)
    needed = Counter() if order.is_over else held.ordered
    surplus = Counter({id: held.reserved[id] - max(0, needed[id] - held.shipped.get(id, 0)) for id in held.reserved})
    freed: Counter[int] = Counter()
    by_warehouse: defaultdict[int, list[UnpickedRow]] = defaultdict(list)
    taken: dict[int, int] = {}
    for row in await lock_unpicked_reservations(call, order.tracking_number):
        if units := min(row.quantity, max(0, surplus[row.product_id])):
            by_warehouse[row.warehouse_id].append(row)
            taken[row.id] = units
            surplus[row.product_id] -= units
            freed[row.product_id] += units
    for warehouse_id, rows in sorted(by_warehouse.items()):
        await free_reserved(call, rows, taken)
        call.add_audit_subjects("warehouse", warehouse_id)
    return freed
