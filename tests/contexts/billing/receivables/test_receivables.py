"""Receivables sum open invoices by customer, currency and age."""

import csv
import io
from base64 import b64decode
from datetime import date, timedelta
from typing import Any

import pytest
from tests.contexts.billing.invoices.makers import charged, days_later, issued, make_billing_business
from tests.contexts.billing.ledger.makers import cad, make_call
from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.contexts.billing.receivables.rules import AGES, age_brackets
from haulier.kernel.values.money import Money

AMOUNTS = [f"{name}_minor" for name in AGES]


async def receivables(app: App, **filters: Any) -> Any:
    return await app.answer("admin", "get_receivables", filters)


async def owes(app: App, minor: int, who: str = "customer") -> Any:
    await charged(app, minor, who=who)
    return await issued(app, who)


async def with_limit(app: App, who: str) -> None:
    async with make_call(app) as call:
        await billing.set_credit_limit(call, app.ids[who], cad(100_000))


async def make_business_with_ages(app: App) -> None:
    """Create a customer with an invoice of every age, and one with a new invoice."""
    await make_billing_business(app, dunning=[])
    for minor, wait in ((10_000, 40), (2_000, 30), (300, 30), (40, 20)):
        await owes(app, minor)
        await days_later(app, wait)
    await owes(app, 5)
    await with_limit(app, "customer2")
    await owes(app, 700, "customer2")


def test_brackets_hold_every_due_date_once() -> None:
    today = date(2026, 3, 1)
    brackets = age_brackets(today)
    for days in range(-400, 400):
        due = today + timedelta(days=days)
        holding = [
            each.name
            for each in brackets
            if (each.due_from is None or each.due_from <= due) and (each.due_to is None or due <= each.due_to)
        ]
        late = -days
        expected = AGES[0] if late <= 0 else AGES[min(4, (late - 1) // 30 + 1)]
        assert holding == [expected], due


async def test_open_amounts_are_summed_by_customer_and_age(app: App) -> None:
    await make_business_with_ages(app)
    first, second = (await receivables(app)).receivables
    assert (first.customer_id, [getattr(first, name) for name in AMOUNTS]) == (
        app.ids["customer"],
        [5, 40, 300, 2_000, 10_000],
    )
    assert (first.invoices, first.overdue_minor, first.due_minor) == (5, 12_340, 12_345)
    assert (second.customer_id, second.not_due_minor, second.overdue_minor) == (app.ids["customer2"], 700, 0)


async def test_amounts_lead_to_the_invoices_that_add_up_to_them(app: App) -> None:
    await make_business_with_ages(app)
    found = await receivables(app)
    for row in found.receivables:
        for age in found.ages:
            limits = {name: str(day) for name in ("due_from", "due_to") if (day := getattr(age, name))}
            asked = {"customer_id": row.customer_id, "status": "open", "currency": row.credit_currency, **limits}
            listed = (await app.answer("admin", "list_invoices", asked)).invoices
            assert sum(each.due_minor for each in listed) == getattr(row, f"{age.name}_minor"), age.name


async def test_payments_and_credit_notes_reduce_receivables(app: App) -> None:
    await make_billing_business(app)
    invoice = await owes(app, 1_000)
    part = {"invoice_id": invoice.id, "amount_minor": 300}
    await app.answer("admin", "record_invoice_payment", {**part, "reference": "T1"})
    await app.answer("admin", "credit_invoice", {**part, "amount_minor": 200, "reason": "Late."})
    (row,) = (await receivables(app)).receivables
    assert row.due_minor == 500
    await app.answer("admin", "record_invoice_payment", {"invoice_id": invoice.id, "reference": "T2"})
    assert (await receivables(app)).receivables == []


async def test_sums_of_a_currency_add_up_over_all_pages(app: App) -> None:
    await make_business_with_ages(app)
    (total,) = (await receivables(app, per_page=1)).sums
    pages = [(await receivables(app, per_page=1, page=page)).receivables for page in (1, 2)]
    rows = [row for page in pages for row in page]
    for name in (*AMOUNTS, "overdue_minor", "due_minor", "invoices"):
        assert sum(getattr(row, name) for row in rows) == getattr(total, name), name


async def test_currencies_are_never_added_together(app: App) -> None:
    await make_billing_business(app)
    await owes(app, 1_000)
    async with make_call(app) as call:
        await billing.set_credit_limit(call, app.ids["customer"], Money(5_000, "USD"))
        about = billing.MoneySubject("order", 9_999, None)
        await billing.charge(call, app.ids["customer"], Money(400, "USD"), key="order:9999", subject=about)
    await issued(app, currency="USD")
    found = await receivables(app)
    assert {(row.credit_currency, row.due_minor) for row in found.receivables} == {("CAD", 1_000), ("USD", 400)}
    assert {(row.credit_currency, row.due_minor) for row in found.sums} == {("CAD", 1_000), ("USD", 400)}


async def test_the_csv_has_all_rows(app: App) -> None:
    await make_business_with_ages(app)
    found = await receivables(app, format="csv", per_page=1)
    rows = list(csv.DictReader(io.StringIO(b64decode(found.document).decode())))
    assert [row["due_minor"] for row in rows] == ["12345", "700"]


@pytest.mark.parametrize("who", ["customer", "contractor", "driver"])
async def test_only_staff_see_receivables(app: App, who: str) -> None:
    assert (await app.call(who, "get_receivables")).status == 403


async def test_another_business_sees_none(app: App) -> None:
    await make_billing_business(app)
    await owes(app, 1_000)
    assert (await app.answer("rival", "get_receivables")).receivables == []
