"""Reads of order charges for other families."""

from collections.abc import Collection, Sequence
from datetime import date

from haulier.contexts.billing.public import PendingCharge, PendingSum
from haulier.contexts.orders.order_charges.rules import price_taxes
from haulier.contexts.orders.order_charges.store import list_pending_rows, sum_pending
from haulier.contexts.orders.quotes.queries import get_current_rate_card
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.values.taxes import scale_taxes


async def list_pending_charges(call: Call, customer_ids: Collection[int], until: date) -> Sequence[PendingCharge]:
    """Return uncharged orders of customers with their taxes, up to a day."""
    card = await get_current_rate_card(call)
    return [
        PendingCharge(
            customer_id=row.customer_id,
            currency=row.currency,
            amount_minor=row.left_minor,
            taxes=scale_taxes(price_taxes(row.price, card), row.left_minor, row.price["total"]),
        )
        for row in await list_pending_rows(call.work, customer_ids, until)
        if row.price
    ]


async def sum_pending_charges(call: Call, until: date) -> Sequence[PendingSum]:
    """Return sums of uncharged orders by customer and currency, up to a day."""
    return [record(PendingSum, row) for row in await sum_pending(call.work, until)]
