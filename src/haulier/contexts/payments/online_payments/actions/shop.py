"""What a card paid in the shop goes back to the card when the purchase is refunded."""

from collections.abc import Sequence

from haulier.contexts.lockers.events import ShopPurchaseChanged
from haulier.contexts.payments.online_payments import store
from haulier.contexts.payments.online_payments.actions.facts import give_back_unspent
from haulier.contexts.payments.online_payments.rules import PaymentPurpose
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call

REFUNDED = "refunded"


@before_commit
async def follow_refunded_purchases(call: Call, events: Sequence[DomainEvent]) -> None:
    """Give the money of refunded purchases back to the cards of buyers who have no credit, in the same transaction."""
    for event in events:
        if isinstance(event, ShopPurchaseChanged) and event.by_card and event.status == REFUNDED:
            row = await store.lock_paid_payment(call.work, PaymentPurpose.SHOP_PURCHASE.value, event.purchase_id)
            if row is not None:
                await give_back_unspent(call, row)
