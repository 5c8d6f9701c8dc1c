"""Exceptions of orders that lost reserved stock."""

from haulier.contexts.warehouse.events import StockShortageOpened
from haulier.contexts.warehouse.shortages.actions import mark_order
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(StockShortageOpened)
async def mark_short_order(call: Call, event: StockShortageOpened) -> None:
    """Mark the order of a shortage as an exception, if the shortage is still open.

    A transaction of its own: orders are locked before stock, and a count locks stock.
    """
    if event.order_id is not None:
        await mark_order(call, event.order_id)
