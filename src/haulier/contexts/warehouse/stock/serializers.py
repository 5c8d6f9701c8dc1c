"""Rows of stock to answers."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from haulier.contexts.custom_fields.public import ResourceKind, show_custom_fields
from haulier.contexts.warehouse.products.queries import ProductRow, get_product_rows
from haulier.contexts.warehouse.stock.contract import (
    InventoryItem,
    ReservedLevel,
    StockLevel,
    StockMoved,
    StockMovement,
    WarehouseInventory,
)
from haulier.contexts.warehouse.stock.store.levels import ShownLevelRow, SumRow
from haulier.contexts.warehouse.stock.store.tables import LevelRow, MovementRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def movement_record(call: Call, row: MovementRow, products: Mapping[int, ProductRow]) -> StockMovement:
    """Return a movement as callers see it."""
    return record(
        StockMovement,
        row,
        sku=products[row.product_id].sku,
        lot=row.lot or None,
        serial=row.serial or None,
        occurred_at=call.local_time(row.occurred_at),
        recorded_at=call.local_time(row.recorded_at),
    )


async def moved(call: Call, rows: Sequence[MovementRow]) -> StockMoved:
    """Return movements that were written, as callers see them."""
    products = await get_product_rows(call, {row.product_id for row in rows})
    return StockMoved(movements=[movement_record(call, row, products) for row in rows])


def level_record(row: ShownLevelRow, products: Mapping[int, ProductRow]) -> StockLevel:
    """Return a level as callers see it."""
    product = products[row.product_id]
    named = {"sku": product.sku, "name": product.name}
    return record(StockLevel, row, **named, lot=row.lot or None, serial=row.serial or None)


def reserved_record(row: LevelRow, quantity: int) -> ReservedLevel:
    """Return a reserved level as callers see it."""
    return record(ReservedLevel, row, quantity=quantity, lot=row.lot or None, serial=row.serial or None)


async def inventory_records(call: Call, products: Sequence[ProductRow], sums: Sequence[SumRow]) -> list[InventoryItem]:
    """Return quantities of products, in order. `sums` are grouped by product."""
    by_product = {id: list(rows) for id, rows in groupby(sums, key=lambda row: row.product_id)}
    shown = await show_custom_fields(call, ResourceKind.PRODUCT, [product.custom_fields for product in products])
    return [
        _inventory_item(product, by_product.get(product.id, []), values)
        for product, values in zip(products, shown, strict=True)
    ]


def _inventory_item(product: ProductRow, sums: Sequence[SumRow], custom_fields: dict[str, Any]) -> InventoryItem:
    held = [
        WarehouseInventory(
            warehouse_id=row.warehouse_id,
            on_hand=int(row.on_hand),
            reserved=int(row.reserved),
            available=max(0, int(row.available)),
        )
        for row in sums
    ]
    available = sum(one.available for one in held)
    return InventoryItem(
        product_id=product.id,
        sku=product.sku,
        name=product.name,
        on_hand=sum(one.on_hand for one in held),
        reserved=sum(one.reserved for one in held),
        available=available,
        short=available < product.reorder_below,
        custom_fields=custom_fields,
        warehouses=held,
    )
