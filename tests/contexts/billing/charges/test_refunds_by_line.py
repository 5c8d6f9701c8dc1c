"""Refunds of single lines of an invoice, each with a credit note of its own."""

import asyncio
from typing import Any

from tests.contexts.billing.invoices.makers import charged, issued, make_billing_business, shown
from tests.contexts.billing.ledger.makers import credit, faults
from tests.stories.people import People
from tests.support.app import App

AT_ONCE = 3


async def make_invoice_of_three(app: App) -> Any:
    """An invoice with three charges; as staff see it."""
    await make_billing_business(app, dunning=[])
    await charged(app, 1130, 2260, 565)
    return await shown(app, (await issued(app)).id)


async def credit_notes(app: App) -> list[Any]:
    rows = (await app.answer("admin", "list_invoices", {"kind": "credit_note"})).invoices
    return [await shown(app, row.id) for row in rows]


async def test_each_line_of_an_invoice_shows_its_remaining_amount(app: App) -> None:
    invoice = await make_invoice_of_three(app)
    first, second, _ = invoice.lines
    assert [line.refundable_minor for line in invoice.lines] == [1130, 2260, 565]
    part = {"transfer_id": first.transfer_id, "amount_minor": 130, "reference": "R-1", "reason": "Late"}
    await app.answer("admin", "refund_charge", part)
    named = {"invoice_id": invoice.id, "transfer_id": second.transfer_id, "reason": "Lost"}
    note = (await app.answer("admin", "credit_invoice", named)).invoice
    assert [(line.charge_id, line.amount_minor, line.refundable_minor) for line in note.lines] == [
        (second.transfer_id, 2260, None)
    ]
    for who in ("admin", "customer"):
        assert [line.refundable_minor for line in (await shown(app, invoice.id, who)).lines] == [1000, 0, 565]
    found = (await app.answer("admin", "list_ledger_transfers", {"kind": "charge"})).transfers
    assert {each.id: each.refundable_minor for each in found}[first.transfer_id] == 1000
    found = (await app.answer("admin", "list_ledger_transfers", {"kind": "refund"})).transfers
    assert [each.refundable_minor for each in found] == [None]


async def test_a_refund_of_a_line_creates_the_credit_note_of_that_line(app: App) -> None:
    invoice = await make_invoice_of_three(app)
    line = invoice.lines[1]
    people = People(app)
    asked = {"reference": "R-1", "reason": "Lost"}
    await people.does("admin", f"POST /v1/billing/transfers/{line.transfer_id}/refund", **asked)
    (note,) = await credit_notes(app)
    assert (note.refers_to, note.total_minor, note.tax_minor) == (invoice.id, 2260, 260)
    assert [(each.charge_id, each.amount_minor) for each in note.lines] == [(line.transfer_id, 2260)]
    assert (await shown(app, invoice.id)).due_minor == 1130 + 565


async def test_a_line_is_refunded_once_by_parallel_refunds_and_credit_notes(app: App) -> None:
    invoice = await make_invoice_of_three(app)
    line = invoice.lines[0]
    refund = f"/v1/billing/transfers/{line.transfer_id}/refund"
    note = {"transfer_id": line.transfer_id, "reason": "Lost"}
    asked = [
        call
        for n in range(AT_ONCE)
        for call in (
            app.rest("admin", "POST", refund, {"reference": f"R-{n}", "reason": "Lost"}),
            app.rest("admin", "POST", f"/v1/billing/invoices/{invoice.id}/credit-notes", note),
        )
    ]
    replies = await asyncio.gather(*asked)
    assert sorted(reply.status_code // 100 for reply in replies) == [2, *[4] * (2 * AT_ONCE - 1)]
    (made,) = await credit_notes(app)
    assert [(each.charge_id, each.amount_minor) for each in made.lines] == [(line.transfer_id, 1130)]
    assert [each.refundable_minor for each in (await shown(app, invoice.id)).lines] == [0, 2260, 565]
    assert (await credit(app))[0] == -(2260 + 565)
    assert await faults(app) == []


async def test_parallel_parts_of_a_line_never_exceed_it(app: App) -> None:
    invoice = await make_invoice_of_three(app)
    line = invoice.lines[0]
    path = f"/v1/billing/transfers/{line.transfer_id}/refund"
    parts = [{"reference": f"R-{n}", "reason": "Late", "amount_minor": 400} for n in range(6)]
    replies = await asyncio.gather(*(app.rest("admin", "POST", path, part) for part in parts))
    assert sorted(reply.status_code for reply in replies) == [200, 200, 409, 409, 409, 409]
    notes = await credit_notes(app)
    assert [note.total_minor for note in notes] == [400, 400]
    assert sum(note.tax_minor for note in notes) == 92
    last = {"reference": "R-rest", "reason": "Late"}
    await app.answer("admin", "refund_charge", {**last, "transfer_id": line.transfer_id})
    notes = await credit_notes(app)
    assert (sum(note.total_minor for note in notes), sum(note.tax_minor for note in notes)) == (1130, 130)
    assert await faults(app) == []
