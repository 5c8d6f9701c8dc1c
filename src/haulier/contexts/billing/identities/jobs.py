"""Identities of invoices, stored as they are issued."""

from collections.abc import Sequence

import msgspec

from haulier.contexts.billing.events import InvoiceIssued
from haulier.contexts.billing.identities import store
from haulier.contexts.billing.identities.store import InvoicePartyRow
from haulier.contexts.billing.ledger.rules import NOBODY
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call


@before_commit(InvoiceIssued)
async def store_parties_of_invoices(call: Call, events: Sequence[DomainEvent]) -> None:
    """Store the identities of seller and buyer with each issued invoice."""
    issued = [event for event in events if isinstance(event, InvoiceIssued)]
    seller = store.identity_of(await store.get_identity_row(call.work, NOBODY))
    for event in issued:
        buyer = store.identity_of(await store.get_identity_row(call.work, event.customer_id))
        await InvoicePartyRow.insert(
            call.work,
            invoice_id=event.invoice_id,
            customer_id=event.customer_id,
            seller=_stated(seller),
            buyer=_stated(buyer),
        )


def _stated(identity: store.BillingIdentity) -> dict[str, str]:
    return {name: value for name, value in msgspec.structs.asdict(identity).items() if value is not None}
