"""The journal has the transfers of the ledger and the taxes of invoices."""

import csv
import io
from base64 import b64decode
from datetime import date, timedelta
from typing import Any

import pytest
from tests.contexts.billing.invoices.makers import charged, issued, make_billing_business
from tests.contexts.billing.journal.makers import YEARS, balances, journal
from tests.contexts.billing.ledger.makers import some_credit
from tests.support.app import App

from haulier.contexts.billing.journal.contract import JournalPeriod
from haulier.kernel.operations.enums import PriceFamily


@pytest.fixture
async def business(app: App) -> App:
    """A business that bills with a default tax of 13 %."""
    await make_billing_business(app)
    return app


async def test_an_invoice_posts_its_tax_from_revenue_to_the_tax_account(business: App) -> None:
    await charged(business, 11_300, family=PriceFamily.LABEL_SERVICE)
    assert balances(await journal(business)) == {"receivables": 11_300, "revenue_label_service": -11_300}
    invoice = await issued(business)
    entries = await journal(business)
    assert balances(entries) == {"receivables": 11_300, "revenue_label_service": -10_000, "tax": -1_300}
    tax = next(entry for entry in entries if entry.kind == "tax")
    assert (tax.number, tax.document_number) == (f"I{invoice.id}", invoice.number)
    assert [line.tax_rate_bp for line in tax.lines if line.account == "tax"] == [1300]


async def test_a_void_invoice_reverses_its_tax(business: App) -> None:
    await charged(business, 11_300)
    invoice = await issued(business)
    await business.answer("admin", "void_invoice", {"invoice_id": invoice.id, "reason": "Wrong"})
    entries = await journal(business)
    assert balances(entries) == {"receivables": 11_300, "revenue_other": -11_300}
    assert [entry.number for entry in entries if entry.kind != "transfer"] == [f"I{invoice.id}", f"V{invoice.id}"]


async def test_a_credit_note_reduces_refunds_and_tax(business: App) -> None:
    await charged(business, 11_300)
    invoice = await issued(business)
    credited = {"invoice_id": invoice.id, "amount_minor": 1_130, "reason": "Late."}
    await business.answer("admin", "credit_invoice", credited)
    assert balances(await journal(business)) == {
        "receivables": 10_170,
        "revenue_other": -10_000,
        "refunds": 1_000,
        "tax": -1_170,
    }


async def test_payments_refunds_and_adjustments_post_to_their_accounts(business: App) -> None:
    customer = {"customer_id": business.ids["customer"]}
    (charge,) = await charged(business, 5_000)
    await business.answer("admin", "top_up_credit", {**customer, "amount_minor": 7_000, "reference": "T1"})
    refund = {"transfer_id": charge, "amount_minor": 500, "reference": "R1", "reason": "Late."}
    await business.answer("admin", "refund_charge", refund)
    adjusted = {**customer, "amount_minor": 200, "reference": "A1", "reason": "Goodwill."}
    await business.answer("admin", "adjust_credit", adjusted)
    assert balances(await journal(business)) == {
        "bank": 7_000,
        "receivables": -2_700,
        "revenue_other": -5_000,
        "refunds": 500,
        "write_offs": 200,
    }


async def test_paging_returns_the_whole_journal(business: App) -> None:
    await charged(business, *range(100, 700, 100))
    await issued(business)
    await charged(business, 700)
    await issued(business)
    whole = await journal(business)
    assert [entry.number for entry in await journal(business, per_page=1)] == [entry.number for entry in whole]
    assert len(whole) == 9


async def test_account_numbers_come_from_the_business(business: App) -> None:
    await charged(business, 11_300)
    await issued(business)
    numbers = {
        "accounts": [{"account": "receivables", "number": "1400"}],
        "tax_accounts": [{"name": "HST", "rate_bp": 1300, "number": "1776"}],
    }
    settings = await business.answer("admin", "set_journal_settings", numbers)
    assert [each.number for each in settings.accounts if each.account == "receivables"] == ["1400"]
    found = {line.account.value: line.account_number for entry in await journal(business) for line in entry.lines}
    assert found == {"receivables": "1400", "revenue_other": "4090", "tax": "1776"}


async def test_a_closed_period_keeps_its_account_numbers(business: App) -> None:
    await charged(business, 11_300)
    day = str(business.clock().date())
    result = await business.call("admin", "close_journal_period", {"closed_until": day})
    assert result.error
    assert result.error["code"] == "JOURNAL_PERIOD_NOT_OVER"
    business.clock.forward(hours=30)
    settings = await business.answer("admin", "close_journal_period", {"closed_until": day})
    assert str(settings.closed_until) == day
    result = await business.call("admin", "close_journal_period", {"closed_until": day})
    assert result.error
    assert result.error["code"] == "JOURNAL_PERIOD_CLOSED"
    await business.answer("admin", "set_journal_settings", {"accounts": [{"account": "receivables", "number": "1400"}]})
    await charged(business, 100)
    numbers = [line.account_number for entry in await journal(business) for line in entry.lines]
    assert numbers == ["1200", "4090", "1400", "4090"]


async def exported(app: App, format: str) -> str:
    """Return the journal as a file."""
    page = await app.answer("admin", "list_journal_entries", {**YEARS, "format": format})
    return b64decode(page.document).decode()


async def test_a_csv_has_one_line_per_account(business: App) -> None:
    await charged(business, 11_300)
    await issued(business)
    rows = list(csv.DictReader(io.StringIO(await exported(business, "csv"))))
    assert [(row["account"], row["debit"], row["credit"], row["tax_rate"]) for row in rows] == [
        ("1200", "113.00", "0.00", ""),
        ("4090", "0.00", "113.00", ""),
        ("4090", "13.00", "0.00", ""),
        ("2200", "0.00", "13.00", "13"),
    ]


async def test_an_fec_file_has_its_eighteen_columns_and_balances(business: App) -> None:
    await charged(business, 11_300)
    await issued(business)
    lines = [line.split("\t") for line in (await exported(business, "fec")).splitlines()]
    assert {len(line) for line in lines} == {18}
    header, *rows = lines
    assert header[:4] == ["JournalCode", "JournalLib", "EcritureNum", "EcritureDate"]
    debit, credit = (sum(round(float(row[place].replace(",", ".")) * 100) for row in rows) for place in (11, 12))
    assert debit == credit == 12_600


async def test_a_journal_is_visible_only_to_its_business(business: App) -> None:
    await some_credit(business, 1_000)
    assert (await business.answer("rival", "list_journal_entries", YEARS)).entries == []


async def test_customers_cannot_read_the_journal(business: App) -> None:
    asked: dict[str, Any] = {**YEARS}
    assert (await business.call("customer", "list_journal_entries", asked)).status == 403


async def test_the_default_period_is_the_current_month_in_the_business_time_zone(business: App) -> None:
    await charged(business, 11_300)
    assert (await business.answer("admin", "list_journal_entries", {})).entries
    business.clock.now += timedelta(days=62)
    assert not (await business.answer("admin", "list_journal_entries", {})).entries
    assert len(await journal(business)) == 1


def test_the_default_first_day_is_in_the_month_of_the_last_day() -> None:
    today = date(2026, 3, 20)
    assert JournalPeriod().days(today) == (date(2026, 3, 1), today)
    assert JournalPeriod(date_to=date(2026, 1, 31)).days(today) == (date(2026, 1, 1), date(2026, 1, 31))
    assert JournalPeriod(date_from=date(2026, 2, 3)).days(today) == (date(2026, 2, 3), today)
    assert JournalPeriod(date_from=date(2026, 4, 1)).days(today) == (date(2026, 4, 1), date(2026, 4, 1))
