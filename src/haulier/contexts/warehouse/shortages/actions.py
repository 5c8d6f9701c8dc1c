"""Record shortages for reservations that lost their stock."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct

from haulier.contexts.orders.public import (
    OrderGoods,
    find_order_ids_by_reference,
    lock_order_goods,
    set_stock_short,
)
from haulier.contexts.warehouse.events import StockShortageOpened
from haulier.contexts.warehouse.products.queries import get_product_rows
from haulier.contexts.warehouse.shortages import store
from haulier.contexts.warehouse.shortages.store import StockShortageRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


class LostPieces(Struct, frozen=True, kw_only=True):
    """Items released from a reservation."""

    warehouse_id: int
    reference: str
    product_id: int
    quantity: int
    owner_id: int | None = None
    """User who handles the shortage. Default: the caller."""
    note: str | None = None


async def record_shortages(call: Call, lost: Sequence[LostPieces], source: str) -> Sequence[StockShortageRow]:
    """Open a shortage for each loss, and announce it."""
    if not lost:
        return []
    orders = await find_order_ids_by_reference(call, {each.reference for each in lost})
    rows = await store.insert_shortages(
        call.work,
        [
            {
                "warehouse_id": each.warehouse_id,
                "reference": each.reference,
                "order_id": orders.get(each.reference),
                "product_id": each.product_id,
                "quantity": each.quantity,
                "source": source,
                "owner_id": each.owner_id or call.actor,
                "note": each.note,
                "created_at": call.now,
                "resolved_at": None,
                "resolved_by": None,
            }
            for each in lost
        ],
    )
    products = await get_product_rows(call, {row.product_id for row in rows})
    for row in rows:
        await call.publish(
            StockShortageOpened(
                shortage_id=row.id,
                warehouse_id=row.warehouse_id,
                reference=row.reference,
                order_id=row.order_id,
                sku=products[row.product_id].sku,
                quantity=row.quantity,
                source=source,
            )
        )
    call.add_audit_subjects("stock_shortage", *(row.id for row in rows))
    call.add_audit_subjects("order", *sorted({row.order_id for row in rows if row.order_id}))
    return rows


async def mark_order(call: Call, order_id: int) -> None:
    """Set or clear the exception of an order by its open shortages."""
    order = await lock_order_goods(call, order_id)
    short = bool(await store.list_open_shortages(call.work, [order_id]))
    if order.stock_short != short:
        await set_stock_short(call, order_id, short=short)


async def settle_shortages(
    call: Call,
    order: OrderGoods,
    short: Mapping[int, int],
    warehouse_id: int | None = None,
    owner_id: int | None = None,
) -> None:
    """Close shortages of a locked order whose units are found, and set its exception.

    `short` has the missing units by product. Open shortages keep their owner and source, oldest first. The rest is
    opened in `warehouse_id`, if given, for `owner_id`. Shortages of reservations with another reference are left alone.
    """
    rows = await store.list_open_shortages(call.work, [order.id])
    mine: defaultdict[int, list[StockShortageRow]] = defaultdict(list)
    for row in rows:
        if row.reference == order.tracking_number:
            mine[row.product_id].append(row)
    left = {product: units for product, units in short.items() if units > 0}
    over: list[StockShortageRow] = []
    carried: list[tuple[StockShortageRow, int]] = []
    for product, of_product in mine.items():
        for row in of_product:
            units = left.get(product, 0)
            if row.quantity > units:
                over.append(row)
                carried += [(row, units)] if units else []
            left[product] = max(0, units - row.quantity)
    await store.close_shortages(call.work, [row.id for row in over], call.now, call.actor)
    for row, units in carried:
        await record_shortages(call, [record(LostPieces, row, quantity=units)], row.source)
    if warehouse_id is not None:
        lost = [
            LostPieces(
                warehouse_id=warehouse_id,
                reference=order.tracking_number,
                product_id=id,
                quantity=units,
                owner_id=owner_id,
            )
            for id, units in sorted(left.items())
            if units
        ]
        await record_shortages(call, lost, f"ORDER-{order.id}")
    is_short = any(short.values()) or any(row.reference != order.tracking_number for row in rows)
    if order.stock_short != is_short:
        await set_stock_short(call, order.id, short=is_short)
