"""The migration records earlier payments and allocates what they paid."""

import asyncio
from typing import Any

from tests.contexts.billing.invoices.makers import charged, issued, make_billing_business, shown
from tests.support.app import App
from tests.support.separate_database import separate as separate

from haulier.adapters.migrations import downgrade_schema, upgrade_schema

BEFORE = "0148"


async def paid(app: App, reference: str, minor: int) -> None:
    asked = {"customer_id": app.ids["customer"], "amount_minor": minor, "reference": reference}
    await app.answer("admin", "top_up_credit", asked)


async def pictured(app: App, invoices: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return payments and allocations as the office sees them."""
    payments = (await app.answer("admin", "list_received_payments")).received_payments
    shown_now = [await shown(app, each.id) for each in invoices]
    return (
        [(each.reference, each.amount_minor, each.allocated_minor, each.status, each.paid_by) for each in payments],
        [[(part.reference, part.amount_minor) for part in each.allocations] for each in shown_now],
    )


async def test_earlier_payments_get_records_and_allocations(separate: App) -> None:
    app = separate
    await make_billing_business(app)
    await paid(app, "In advance: May", 300)
    invoices = []
    for minor in (1000, 500):
        await charged(app, minor)
        invoices.append(await issued(app))
    one = {"invoice_id": invoices[1].id, "amount_minor": 200, "reference": "Till: 3", "paid_by": "cash"}
    await app.answer("admin", "record_invoice_payment", one)
    await paid(app, "Later", 1200)
    await app.work_off()
    before = await pictured(app, invoices)
    await asyncio.to_thread(downgrade_schema, app.database_url, BEFORE)
    await asyncio.to_thread(upgrade_schema, app.database_url)
    assert await pictured(app, invoices) == before
    await app.answer("admin", "record_invoice_payment", one)
    assert [sum(minor for _, minor in each) for each in before[1]] == [1000, 500]
    listed = (await app.answer("admin", "list_received_payments", {"status": "unallocated"})).received_payments
    assert [(each.reference, each.unallocated_minor) for each in listed] == [("Later", 200)]
