"""Tax reports sum invoices and credit notes by jurisdiction, rate and category."""

from base64 import b64decode
from typing import Any

from tests.contexts.billing.invoices.examples import SETTINGS
from tests.contexts.billing.invoices.makers import issued
from tests.contexts.billing.journal.makers import YEARS
from tests.contexts.billing.ledger.makers import cad, make_call, some_credit
from tests.contexts.billing.taxes.examples import EXEMPTION, RATE
from tests.support.app import App

from haulier.contexts.billing import public as billing


async def charged(app: App, minor: int, number: int, **line: Any) -> None:
    """Charge the customer, by default with the taxes of the home jurisdiction."""
    async with make_call(app) as call:
        await billing.charge(
            call,
            app.ids["customer"],
            cad(minor),
            key=f"order:{number}",
            subject=billing.MoneySubject("order", number),
            line=billing.ChargeDetails(**line),
        )


async def make_ontario_business(app: App) -> None:
    """Set up a business in Ontario, and a customer with credit."""
    await app.answer("admin", "set_invoicing_settings", SETTINGS | {"tax_rate_bp": 0})
    await some_credit(app, 10**6)
    await app.answer("admin", "set_tax_settings", {"country": "CA", "region": "ON"})
    await app.answer("admin", "create_tax_rate", RATE)


def shown(report: Any) -> list[tuple[Any, ...]]:
    """Return the lines of a report."""
    return [
        (line.country, line.region, line.tax_name, line.rate_bp, line.treatment, line.net_minor, line.tax_minor)
        for line in report.lines
    ]


async def test_a_report_names_jurisdiction_rate_and_category(app: App) -> None:
    await make_ontario_business(app)
    await charged(app, 11_300, 1)
    await charged(app, 700, 2, taxes=())
    invoice = await issued(app)
    await app.answer("admin", "create_tax_exemption", {**EXEMPTION, "customer_id": app.ids["customer"]})
    await charged(app, 2_000, 3)
    await issued(app)
    credited = {"invoice_id": invoice.id, "amount_minor": 1_130, "reason": "Late."}
    await app.answer("admin", "credit_invoice", credited)
    report = await app.answer("admin", "get_tax_report", {**YEARS, "format": "csv"})
    assert sorted(shown(report), key=str) == sorted(
        [
            ("CA", "ON", "HST", 1300, "taxed", 9_000, 1_170),
            (None, None, "", 0, "untaxed", 700, 0),
            (None, None, "", 0, "certificate", 2_000, 0),
        ],
        key=str,
    )
    assert [(each.net_minor, each.tax_minor, each.gross_minor) for each in report.totals] == [(11_700, 1_170, 12_870)]
    assert "CA,ON,HST,13,taxed,CAD,90.00,11.70,101.70" in b64decode(report.document).decode()


async def test_a_report_includes_only_documents_of_its_period(app: App) -> None:
    await make_ontario_business(app)
    await charged(app, 11_300, 1)
    await issued(app)
    report = await app.answer("admin", "get_tax_report", {"date_from": "2020-01-01", "date_to": "2020-12-31"})
    assert (report.documents, report.lines, report.totals) == (0, [], [])


async def test_the_default_period_is_the_current_month(app: App) -> None:
    report = await app.answer("admin", "get_tax_report", {})
    assert report.date_from == report.date_to.replace(day=1)
    async with make_call(app) as call:
        assert report.date_to == call.today
