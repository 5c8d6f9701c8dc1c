"""Event handlers that keep the giver's and the partner's order in sync."""

from haulier.contexts.marketplace.partners import store
from haulier.contexts.marketplace.partners.actions import (
    END_COPY_JOB,
    REFRESH_COPY_JOB,
    EndCopy,
    RefreshCopy,
    mirror_steps,
    schedule_copy_end,
    schedule_copy_refresh,
)
from haulier.contexts.marketplace.partners.queries import as_offering_client
from haulier.contexts.orders.events import OrderCancelled, OrderChanged, PartnerOrderMoved
from haulier.contexts.orders.public import cancel_partner_copy, get_order_for_partner, update_partner_copy
from haulier.kernel.background.events import subscriber
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

ORDER_CANCELLED_REASON = "order_cancelled"


@subscriber(OrderCancelled)
async def end_offers_of_cancelled_order(call: Call, event: OrderCancelled) -> None:
    """End all offers of a cancelled order, and the partner's order.

    Repeated events change nothing.
    """
    if held := await store.get_held_offer_of_order(call.work, event.order_id):
        await schedule_copy_end(call, held, ORDER_CANCELLED_REASON)
    await store.cancel_offers_of_order(call.work, event.order_id, call.now)


@subscriber(OrderChanged)
async def notify_partner_of_change(call: Call, event: OrderChanged) -> None:
    """Update the partner's own order. Repeated events change nothing."""
    if held := await store.get_held_offer_of_order(call.work, event.order_id):
        await schedule_copy_refresh(call, held)


@subscriber(PartnerOrderMoved)
async def report_steps_to_giver(call: Call, event: PartnerOrderMoved) -> None:
    """Report the steps of the partner's own order. Repeated events change nothing."""
    await mirror_steps(call, event.partner_offer_id)


@job(END_COPY_JOB, EndCopy)
async def end_copy(run: JobRun, args: EndCopy) -> None:
    """Cancel the partner's own order of one that they no longer have."""
    async with run.call() as call:
        await cancel_partner_copy(call, args.order_id, args.reason)


@job(REFRESH_COPY_JOB, RefreshCopy)
async def refresh_copy(run: JobRun, args: RefreshCopy) -> None:
    """Update the partner's own order to the giver's current state."""
    async with run.call() as call:
        offer = await store.get_received_offer(call.work, args.offer_id, call.client_id)
        if offer is None or not offer.held or offer.partner_order_id is None:
            return
        original = await get_order_for_partner(await as_offering_client(call, offer), offer.order_id)
        if original is not None:
            await update_partner_copy(call, offer.partner_order_id, original)
