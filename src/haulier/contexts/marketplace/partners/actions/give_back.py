"""Returns of partner orders to their giver."""

from haulier.contexts.marketplace.partners.rules import THIRD_PARTY
from haulier.contexts.marketplace.partners.store import PartnerOfferRow
from haulier.contexts.orders.public import (
    OrderFacts,
    OrderStatus,
    OrderStep,
    apply_order_transition,
    assign_orders_to_third_party,
)
from haulier.contexts.tracking.public import Source
from haulier.kernel.call import Call
from haulier.kernel.operations.fields import REASON_MAX

DEPARTED_STATUSES = frozenset({OrderStatus.PICKED_UP, OrderStatus.OUT_FOR_DELIVERY})
"""Statuses in which the goods are in a vehicle."""


def event_source(offer: PartnerOfferRow) -> Source:
    """Return the source of a partner's events on the giver's timeline.

    It has no reference, which would name one event.
    """
    return Source(type=THIRD_PARTY, name=offer.partner_code)


async def release_to_giver(giver: Call, offer: PartnerOfferRow, order: OrderFacts, reason: str | None = None) -> None:
    """Return an order to its giver's waiting orders.

    If the goods were in the partner's vehicle, the order waits after a failed attempt.
    """
    await assign_orders_to_third_party(giver, [order.id], held=False, fulfilment=offer.fulfilment)
    step = OrderStep.UNPLAN if order.status is OrderStatus.PLANNED else None
    step = OrderStep.FAIL if order.status in DEPARTED_STATUSES else step
    if step:
        note = (reason or offer.partner_code)[:REASON_MAX]
        await apply_order_transition(giver, step, [order.id], note=note, source=event_source(offer))
