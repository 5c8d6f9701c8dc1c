"""Queries for invoicing settings and billing terms."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import bindparam, select, update

from haulier.contexts.billing.invoices.rules.invoices import InvoiceKind
from haulier.contexts.billing.invoices.store.tables import SettingsRow, TermsRow, settings, terms
from haulier.kernel.data.unit_of_work import UnitOfWork

_s, _t = settings.c, terms.c
_settings = select(settings)
_settings_locked = _settings.with_for_update()
_terms_of = select(terms).where(_t.customer_id == bindparam("customer"))
_terms_locked = _terms_of.with_for_update()
_due = (
    select(_t.customer_id)
    .where(_t.next_invoice_on <= bindparam("today", type_=_t.next_invoice_on.type))
    .order_by(_t.next_invoice_on, _t.customer_id)
    .limit(bindparam("most"))
)
COUNTERS = {InvoiceKind.INVOICE: _s.invoices, InvoiceKind.CREDIT_NOTE: _s.credit_notes}


async def get_settings_row(work: UnitOfWork) -> SettingsRow | None:
    """Return the invoicing settings, or None if none are set."""
    return await work.first(_settings, SettingsRow)


async def lock_settings(work: UnitOfWork, first: Mapping[str, Any]) -> SettingsRow:
    """Lock and return the invoicing settings. Insert `first` if none are set."""
    await work.insert_new(settings, [first], SettingsRow)
    row = await work.first(_settings_locked, SettingsRow)
    assert row is not None  # inserted above
    return row


async def update_settings(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Update the invoicing settings."""
    await work.run(update(settings).values(**values))


async def get_terms_row(work: UnitOfWork, customer_id: int) -> TermsRow | None:
    """Return a customer's billing terms, or None if none are set."""
    return await work.first(_terms_of, TermsRow, customer=customer_id)


async def lock_terms(work: UnitOfWork, customer_id: int, *, currency: str, now: datetime) -> TermsRow:
    """Lock and return a customer's billing terms.

    All changes to the customer's invoices wait for this lock.
    """
    first = {
        "customer_id": customer_id,
        "currency": currency,
        "billing_name": "",
        "address_lines": [],
        "dunning": True,
        "updated_at": now,
    }
    await work.insert_new(terms, [first], TermsRow)
    row = await work.first(_terms_locked, TermsRow, customer=customer_id)
    assert row is not None  # inserted above
    return row


async def update_terms(work: UnitOfWork, customer_id: int, values: Mapping[str, Any]) -> None:
    """Update a customer's billing terms."""
    await work.run(update(terms).where(_t.customer_id == bindparam("customer")).values(**values), customer=customer_id)


async def list_customers_to_bill(work: UnitOfWork, today: date, most: int) -> Sequence[int]:
    """Return customers to bill by today, longest due first."""
    return [row.customer_id for row in await work.all(_due, today=today, most=most)]
