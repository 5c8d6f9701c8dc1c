"""Billing: charges, invoices, payments, pay, taxes and exports on one page."""

from tests.contexts.billing.invoices.makers import charged, issued, make_billing_business
from tests.contexts.billing.ledger.makers import some_credit
from tests.support.app import App
from tests.web.page_client import get_page


async def test_the_page_links_charges_invoices_and_exports(app: App) -> None:
    await make_billing_business(app)
    await charged(app, 1130)
    page = (await get_page(app, "/desk/billing", "admin")).text
    assert all(text in page for text in ("Start invoice run", "$11.30", "$10.00", "$1.30", "No billing address"))
    invoice = await issued(app)
    await some_credit(app, 5000)
    page = (await get_page(app, "/desk/billing", "admin")).text
    assert all(text in page for text in (invoice.number, "$50.00", "HST 13 %", "format=fec", "get_invoice_ubl"))
    assert "Nothing to invoice" in page


async def test_the_section_links_to_the_page_and_customers_have_none(app: App) -> None:
    assert 'href="/desk/billing"' in (await get_page(app, "/desk", "admin")).text
    assert (await get_page(app, "/desk/uncharged-orders", "admin")).text.count('href="/desk/invoice-run"') == 1


async def test_the_journal_shows_both_accounts_of_an_entry(app: App) -> None:
    await make_billing_business(app)
    await charged(app, 1130)
    page = (await get_page(app, "/desk/journal-entries", "admin")).text
    assert all(text in page for text in ("Debit account", "Credit account", "1200", "4090", "$11.30"))
