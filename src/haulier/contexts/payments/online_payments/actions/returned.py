"""What a link paid goes back to the card when the money of the purchase, booking, lease or fee is given back."""

from collections.abc import Sequence

from haulier.contexts.billing.events import PaymentReturned
from haulier.contexts.payments.online_payments import store
from haulier.contexts.payments.online_payments.actions.facts import give_back_to_card
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call


@before_commit(PaymentReturned)
async def follow_returned_money(call: Call, events: Sequence[DomainEvent]) -> None:
    """Give money that came by a link back to its card, in the transaction in which it came back into the credit."""
    for event in events:
        if isinstance(event, PaymentReturned):
            row = await store.lock_paid_payment(call.work, event.purpose, event.subject_id)
            if row is not None and row.by_link:
                await give_back_to_card(call, row, event.amount_minor, event.occasion)
