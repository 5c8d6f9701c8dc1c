"""The partner's own copy of an accepted order: created, refreshed and ended."""

from msgspec import Struct

from haulier.contexts.marketplace.partners import store
from haulier.contexts.marketplace.partners.queries.cross_tenant import as_taking_client
from haulier.contexts.marketplace.partners.store import PartnerOfferRow
from haulier.contexts.orders.public import AgreedPrice, create_partner_copy, get_order_facts, get_order_for_partner
from haulier.kernel.call import Call

END_COPY_JOB = "partners.end_copy"
REFRESH_COPY_JOB = "partners.refresh_copy"


class EndCopy(Struct, frozen=True, kw_only=True):
    """Partner's order to cancel, and the reason."""

    order_id: int
    reason: str | None


class RefreshCopy(Struct, frozen=True, kw_only=True):
    """Offer through which the partner has the changed order."""

    offer_id: int


async def make_own_order(call: Call, giver: Call, offer: PartnerOfferRow, reference: str | None) -> None:
    """Create the partner's own order of an accepted offer in the partner's tenant.

    Each order records the other. Raises `ORDER_REF_TAKEN` if another order of the partner has the reference.
    """
    original = await get_order_for_partner(giver, offer.order_id)
    assert original is not None  # locked by the caller
    theirs = (await get_order_facts(giver, [offer.order_id]))[offer.order_id].tracking_number
    order_id = await create_partner_copy(
        call,
        original,
        offer_id=offer.id,
        order_ref=reference,
        references={"partner": offer.giver_code, "partner_tracking_number": theirs},
        price=AgreedPrice(offer.quote_minor, offer.currency),
    )
    number = (await get_order_facts(call, [order_id]))[order_id].tracking_number
    await store.update_held_offer(
        call.work, offer.id, call.client_id, partner_order_id=order_id, reference=reference or number
    )


async def schedule_copy_end(call: Call, offer: PartnerOfferRow, reason: str | None) -> None:
    """Schedule the cancellation of the partner's own order in its own transaction."""
    if offer.partner_order_id is not None:
        taker = await as_taking_client(call, offer)
        await taker.enqueue(END_COPY_JOB, EndCopy(order_id=offer.partner_order_id, reason=reason))


async def schedule_copy_refresh(call: Call, offer: PartnerOfferRow) -> None:
    """Schedule an update of the partner's own order in its own transaction."""
    if offer.partner_order_id is not None:
        taker = await as_taking_client(call, offer)
        await taker.enqueue(REFRESH_COPY_JOB, RefreshCopy(offer_id=offer.id))
