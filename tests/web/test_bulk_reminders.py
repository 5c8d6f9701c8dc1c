"""Reminders about several overdue invoices at once, with an outcome for each."""

import re
from typing import Any

from tests.contexts.billing.invoices.makers import charged, days_later, issued, make_billing_business, shown
from tests.contexts.billing.ledger.makers import faults
from tests.support.app import App
from tests.web.page_client import get_page, page_text, send_form

TERMS = 14


async def make_invoices(app: App) -> list[Any]:
    """Two overdue invoices, one paused, one reminded today, and one not due yet."""
    await make_billing_business(app, dunning=[{"days_overdue": 20, "fee_minor": 500}])
    made = []
    for _ in range(4):
        await charged(app, 1_000)
        made.append(await issued(app))
    await days_later(app, TERMS + 1)
    await charged(app, 1_000)
    made.append(await issued(app))
    await app.answer("admin", "set_invoice_reminders", {"invoice_id": made[2].id, "enabled": False})
    await app.answer("admin", "send_invoice_reminder", {"invoice_id": made[3].id})
    return made


async def remind(app: App, picked: list[Any]) -> Any:
    query = {"act": "send_invoice_reminder", "pick": [str(each.id) for each in picked]}
    address = (await get_page(app, "/desk/invoices/pick", "admin", params=query)).headers["location"]
    form = await get_page(app, address, "admin")
    assert re.search(r'name="skip_paused".*?<option value="true" selected>', form.text, re.S)
    return await send_form(
        app,
        "/desk/act/send_invoice_reminder",
        "admin",
        invoice_id=[str(each.id) for each in picked],
        skip_paused="true",
        once="a",
        step="do",
    )


async def test_each_invoice_has_its_outcome(app: App) -> None:
    invoices = await make_invoices(app)
    told = page_text(await remind(app, invoices))
    for text in (
        "INV-000001: reminder 1 sent, fee 5.00 CAD.",
        "INV-000002: reminder 1 sent, fee 5.00 CAD.",
        "Reminders about INV-000003 are paused.",
        "A reminder about INV-000004 was already sent today.",
        "INV-000005 is not overdue.",
    ):
        assert text in told, told
    assert [len((await shown(app, each.id)).letters) for each in invoices] == [1, 1, 0, 1, 0]
    assert await faults(app) == []


async def test_a_form_that_is_sent_twice_reminds_once(app: App) -> None:
    invoices = (await make_invoices(app))[:2]
    pages = [page_text(await remind(app, invoices)) for _ in range(2)]
    assert all("INV-000002: reminder 1 sent, fee 5.00 CAD." in page for page in pages)
    assert [len((await shown(app, each.id)).letters) for each in invoices] == [1, 1]


async def test_the_list_offers_reminders_first(app: App) -> None:
    await make_invoices(app)
    page = await get_page(app, "/desk/invoices?overdue=true&kind=invoice", "admin")
    assert re.findall(r'<option value="(\w+)">', page.text[page.text.index('id="act"') :])[0] == "send_invoice_reminder"
