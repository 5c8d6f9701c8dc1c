"""Invoicing settings and billing terms, with their defaults."""

from collections.abc import Sequence

import msgspec

from haulier.contexts.billing.invoices.contract import BillingTerms, DunningStepRecord, InvoicingSettings
from haulier.contexts.billing.invoices.rules.invoices import DunningLevel, InvoicePeriod
from haulier.contexts.billing.invoices.store import settings as store
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


async def load_settings(call: Call) -> InvoicingSettings:
    """Return the invoicing settings, or the defaults if none are set."""
    row = await store.get_settings_row(call.work)
    if row is None:
        return InvoicingSettings(
            invoice_prefix="INV-",
            credit_note_prefix="CN-",
            issuer_lines=[],
            tax_name="",
            tax_rate_bp=0,
            payment_terms_days=30,
            payment_instructions="",
            dunning=[],
        )
    return record(InvoicingSettings, row, dunning=msgspec.convert(row.dunning, list[DunningStepRecord]))


def dunning_levels(settings: InvoicingSettings) -> Sequence[DunningLevel]:
    """Return the reminder levels in order."""
    return [DunningLevel(days_overdue=each.days_overdue, fee_minor=each.fee_minor) for each in settings.dunning]


async def load_terms(call: Call, customer_id: int) -> BillingTerms:
    """Return a customer's billing terms, or the defaults if none are set."""
    row = await store.get_terms_row(call.work, customer_id)
    if row is None:
        return BillingTerms(
            customer_id=customer_id,
            period=None,
            credit_currency=call.business.currency,
            payment_terms_days=None,
            tax_rate_bp=None,
            billing_name="",
            address_lines=[],
            email=None,
            dunning=True,
            next_invoice_on=None,
        )
    period = InvoicePeriod(row.period) if row.period else None
    return record(BillingTerms, row, period=period, credit_currency=row.currency)
