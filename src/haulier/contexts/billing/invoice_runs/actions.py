"""Billing of one customer: pending charges first, then invoices."""

from collections.abc import Sequence
from datetime import date, timedelta

from haulier.contexts.billing.invoice_runs.queries import charges_pending
from haulier.contexts.billing.invoices.actions.new_invoices import (
    IssuedBy,
    issue_invoice,
    lock_settings,
    lock_terms,
    update_terms,
)
from haulier.contexts.billing.invoices.queries import InvoiceRow
from haulier.contexts.billing.invoices.rules import NOTHING_TO_INVOICE, InvoicePeriod, following_billing_day
from haulier.contexts.billing.ledger.queries import list_credits
from haulier.contexts.billing.ports import PendingCharges
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError


async def bill_customer(
    call: Call, customer_id: int, until: date, *, currency: str | None = None, run: IssuedBy | None = None
) -> Sequence[InvoiceRow]:
    """Charge pending services and invoice a customer up to a day.

    Without a currency, in all. Repeating it issues nothing twice.
    Records are locked before terms, numbers and accounts, as by refunds.
    """
    pending = call.adapter(PendingCharges)
    records = await pending.lock(call, customer_id, until) if await charges_pending(call) else ()
    terms = await lock_terms(call, customer_id)
    charged: Sequence[int] = ()
    if records:
        await lock_settings(call)
        charged = await pending.charge(call, records)
    currencies = [currency] if currency else [each.balance.currency for each in await list_credits(call, customer_id)]
    issued: list[InvoiceRow] = []
    for each in currencies:
        while invoice := await _issue(call, customer_id, each, until, charged, run):
            issued.append(invoice)
    due = terms.next_invoice_on
    if terms.period and due and until >= due - timedelta(days=1):
        following = following_billing_day(InvoicePeriod(terms.period), due, call.today, terms.billing_day)
        await update_terms(call, customer_id, {"next_invoice_on": following})
    return issued


async def _issue(
    call: Call, customer_id: int, currency: str, until: date, charged: Sequence[int], run: IssuedBy | None
) -> InvoiceRow | None:
    """Issue the next invoice, or return None if nothing is left."""
    try:
        return await issue_invoice(call, customer_id, currency, until, charged=charged, run=run)
    except OperationError as error:
        if error.error_type is not NOTHING_TO_INVOICE:
            raise
        return None
