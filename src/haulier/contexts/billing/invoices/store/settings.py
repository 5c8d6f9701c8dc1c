"""Statements on how a business bills, and how each customer is billed."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import bindparam, select, update

from haulier.contexts.billing.invoices.rules.invoices import InvoiceKind
from haulier.contexts.billing.invoices.store.tables import settings, terms
from haulier.kernel.data.statements import Row
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


class SettingsRow(Row):
    """How a business bills."""

    invoice_prefix: str
    credit_note_prefix: str
    issuer_lines: list[str]
    tax_name: str
    tax_rate_bp: int
    payment_terms_days: int
    payment_instructions: str
    dunning: list[dict[str, int]]
    invoices: int
    credit_notes: int


class TermsRow(Row):
    """How a customer is billed."""

    customer_id: int
    period: str | None
    currency: str
    payment_terms_days: int | None
    tax_rate_bp: int | None
    billing_name: str
    address_lines: list[str]
    email: str | None
    dunning: bool
    next_invoice_on: date | None


async def get_settings_row(work: UnitOfWork) -> SettingsRow | None:
    """How the client bills; None where it never said."""
    return await work.first(_settings, SettingsRow)


async def lock_settings(work: UnitOfWork, first: Mapping[str, Any]) -> SettingsRow:
    """How the client bills, locked; `first` is written where it never said."""
    await work.insert_new(settings, [first], SettingsRow)
    row = await work.first(_settings_locked, SettingsRow)
    assert row is not None  # it was written above
    return row


async def update_settings(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Change how the client bills."""
    await work.run(update(settings).values(**values))


async def get_terms_row(work: UnitOfWork, customer_id: int) -> TermsRow | None:
    """How a customer is billed; None where nobody said."""
    return await work.first(_terms_of, TermsRow, customer=customer_id)


async def lock_terms(work: UnitOfWork, customer_id: int, *, currency: str, now: datetime) -> TermsRow:
    """How a customer is billed, locked: whatever changes their invoices waits for each other here."""
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
    assert row is not None  # it was written above
    return row


async def update_terms(work: UnitOfWork, customer_id: int, values: Mapping[str, Any]) -> None:
    """Change how a customer is billed."""
    await work.run(update(terms).where(_t.customer_id == bindparam("customer")).values(**values), customer=customer_id)


async def list_customers_to_bill(work: UnitOfWork, today: date, most: int) -> Sequence[int]:
    """Customers whose day has come, the longest due first."""
    return [row.customer_id for row in await work.all(_due, today=today, most=most)]
