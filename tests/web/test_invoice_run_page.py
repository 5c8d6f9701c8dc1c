"""Billing → Invoice run: preview, issue, progress and links to the invoices."""

from tests.contexts.billing.invoices.makers import charged, make_billing_business
from tests.support.app import App
from tests.web.page_client import get_page, send_form


async def test_a_run_can_be_previewed_issued_and_followed(app: App) -> None:
    await make_billing_business(app)
    await charged(app, 1130)
    day = app.clock().date().isoformat()
    preview = (await get_page(app, f"/desk/invoice-run?until={day}", "admin")).text
    assert all(text in preview for text in ("$11.30", "$10.00", "$1.30", "No billing address"))
    started = await send_form(app, "/desk/invoice-run", "admin", until=day, cycle="", send="true", once="a")
    address = started.headers["location"]
    assert 'http-equiv="refresh"' in (await get_page(app, address, "admin")).text
    await app.work_off()
    done = (await get_page(app, address, "admin")).text
    assert 'http-equiv="refresh"' not in done
    assert all(text in done for text in ("INV-000001", "$11.30", "1 of 1 customers processed"))
    assert "Nothing to invoice" in (await get_page(app, f"/desk/invoice-run?until={day}", "admin")).text


async def test_a_run_without_charges_says_so(app: App) -> None:
    refused = await send_form(app, "/desk/invoice-run", "admin", until="2026-06-01", cycle="month", once="b")
    assert refused.status_code == 409
    assert "notice bad" in refused.text


async def test_customers_have_no_invoice_runs(app: App) -> None:
    for address in ("/desk/invoice-run", "/desk/invoice-run/1"):
        assert (await get_page(app, address, "customer")).status_code == 404
