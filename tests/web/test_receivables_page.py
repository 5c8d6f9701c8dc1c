"""Receivables on the desk, with the invoices behind each amount."""

import re

from tests.contexts.billing.invoices.makers import charged, days_later, issued, make_billing_business
from tests.support.app import App
from tests.web.page_client import get_page, page_text

PAGE = "/desk/receivables"


async def make_overdue(app: App) -> int:
    await make_billing_business(app, dunning=[])
    await charged(app, 1_250)
    invoice = await issued(app)
    await days_later(app, 20)
    return invoice.id


async def test_an_amount_leads_to_its_invoices(app: App) -> None:
    await make_overdue(app)
    page = await get_page(app, PAGE, "admin")
    (address,) = re.findall(r'href="(/desk/invoices\?kind=[^"]+)"', page.text)
    listed = await get_page(app, address.replace("&amp;", "&"), "admin")
    assert "INV-000001" in page_text(listed)


async def test_the_billing_page_shows_receivables(app: App) -> None:
    await make_overdue(app)
    assert f'href="{PAGE}"' in (await get_page(app, "/desk/billing", "admin")).text


async def test_a_business_without_open_invoices_reads_so(app: App) -> None:
    assert "All invoices are paid." in page_text(await get_page(app, PAGE, "admin"))


async def test_customers_have_no_page_of_receivables(app: App) -> None:
    assert (await get_page(app, PAGE, "customer")).status_code == 404


async def test_an_overdue_invoice_offers_a_reminder(app: App) -> None:
    invoice = await make_overdue(app)
    assert "Send payment reminder" in page_text(await get_page(app, f"/desk/invoices/{invoice}", "admin"))


async def test_headings_stand_over_their_amounts(app: App) -> None:
    await make_overdue(app)
    assert re.search(r'<th scope="col"[^>]* class="num">', (await get_page(app, "/desk/invoices", "admin")).text)


async def test_lines_of_an_invoice_name_the_charged_service(app: App) -> None:
    invoice = await make_overdue(app)
    told = page_text(await get_page(app, f"/desk/invoices/{invoice}", "admin"))
    assert all(name in told for name in ("Service date", "Item", "Recipient", "Refundable"))
    assert "Transfer 1" not in told
