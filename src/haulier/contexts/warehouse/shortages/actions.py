"""Record shortages for reservations that lost their stock."""

from collections.abc import Sequence

from msgspec import Struct

from haulier.contexts.orders.public import find_order_ids_by_reference
from haulier.contexts.warehouse.events import StockShortageOpened
from haulier.contexts.warehouse.products.queries import get_product_rows
from haulier.contexts.warehouse.shortages import store
from haulier.contexts.warehouse.shortages.store import StockShortageRow
from haulier.kernel.call import Call


class LostPieces(Struct, frozen=True, kw_only=True):
    """Pieces released from a reservation."""

    warehouse_id: int
    reference: str
    product_id: int
    quantity: int


async def record_shortages(call: Call, lost: Sequence[LostPieces], source: str) -> Sequence[StockShortageRow]:
    """Open a shortage for each loss, owned by the caller, and announce it."""
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
                "owner_id": call.actor,
                "note": None,
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
