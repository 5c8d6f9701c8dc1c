"""Refunds, cancellations and credit notes of one charge share its amount."""

import asyncio
from collections.abc import Sequence
from typing import Any

from tests.contexts.billing.invoices.makers import charged, issued, make_billing_business, shown
from tests.contexts.billing.ledger.makers import cad, credit, faults, make_call
from tests.contexts.storage.makers import refusal
from tests.support.app import App

from haulier.contexts.billing import public as billing


async def given_back(app: App, charge: int, minor: int | None = None, key: str = "cancel") -> int:
    """Give a charge back as a cancellation does; the amount."""
    async with make_call(app) as call:
        return await billing.refund_remaining(call, charge, None if minor is None else cad(minor), key=key)


async def credited(app: App, invoice_id: int, **words: Any) -> Any:
    """A credit note of an invoice."""
    asked = {"invoice_id": invoice_id, "reason": "Late", **words}
    return (await app.answer("admin", "credit_invoice", asked)).invoice


def refund_of(charge: int, **words: Any) -> dict[str, Any]:
    return {"transfer_id": charge, "reference": "R", "reason": "Late", **words}


async def notes(app: App) -> Sequence[Any]:
    return (await app.answer("admin", "list_invoices", {"kind": "credit_note"})).invoices


async def test_a_credited_charge_is_not_refunded_again(app: App) -> None:
    await make_billing_business(app)
    first, second = await charged(app, 1000, 400)
    invoice = await issued(app)
    note = await credited(app, invoice.id)
    assert [(line.charge_id, line.amount_minor) for line in note.lines] == [(first, 1000), (second, 400)]
    assert await refusal(app, "admin", "refund_charge", refund_of(first)) == (409, "REFUND_TOO_MUCH")
    assert await given_back(app, second) == 0
    assert (await credit(app))[0] == 0
    assert await faults(app) == []


async def test_a_cancellation_refunds_the_remainder_after_a_partial_credit_note(app: App) -> None:
    await make_billing_business(app)
    first, second = await charged(app, 1000, 400)
    await credited(app, (await issued(app)).id, amount_minor=1100)
    assert [await given_back(app, first), await given_back(app, second, key="other")] == [0, 300]
    assert (await credit(app))[0] == 0


async def test_refunding_an_invoiced_charge_issues_a_credit_note(app: App) -> None:
    await make_billing_business(app)
    kept, returned = await charged(app, 1000, 400)
    invoice = await issued(app)
    assert await given_back(app, returned) == 400
    now = await shown(app, invoice.id)
    assert (now.credited_minor, now.due_minor) == (400, 1000)
    (note,) = await notes(app)
    (line,) = (await shown(app, note.id)).lines
    assert (note.refers_to, note.total_minor, line.charge_id, line.kind.value) == (invoice.id, 400, returned, "refund")
    asked = {"invoice_id": invoice.id, "reason": "All of it"}
    too_much = {**asked, "amount_minor": 1001}
    assert await refusal(app, "admin", "credit_invoice", too_much) == (409, "INVOICE_AMOUNT_TOO_LARGE")
    assert [line.charge_id for line in (await credited(app, invoice.id)).lines] == [kept]
    assert (await credit(app))[0] == 0
    await charged(app, 1500)
    assert (await issued(app)).total_minor == 1500


async def test_a_single_charge_of_an_invoice_can_be_credited(app: App) -> None:
    await make_billing_business(app)
    first, second = await charged(app, 1000, 400)
    invoice = await issued(app)
    note = await credited(app, invoice.id, transfer_id=second)
    assert [(line.charge_id, line.amount_minor) for line in note.lines] == [(second, 400)]
    again = {"invoice_id": invoice.id, "transfer_id": second, "reason": "Twice"}
    assert await refusal(app, "admin", "credit_invoice", again) == (409, "INVOICE_AMOUNT_TOO_LARGE")
    (other,) = await charged(app, 70)
    assert await refusal(app, "admin", "credit_invoice", {**again, "transfer_id": other}) == (404, "NOT_FOUND")
    assert await given_back(app, first) == 1000


async def test_a_full_credit_note_closes_charges_partly_paid_by_an_adjustment(app: App) -> None:
    await make_billing_business(app)
    (charge,) = await charged(app, 1000)
    async with make_call(app) as call:
        await billing.adjust(call, app.ids["customer"], cad(200), key="goodwill", reason="Late")
    note = await credited(app, (await issued(app)).id)
    assert note.total_minor == 800
    assert await given_back(app, charge) == 0
    assert (await credit(app))[0] == 0


async def test_concurrent_refunds_and_credit_notes_refund_a_charge_once(app: App) -> None:
    await make_billing_business(app)
    (charge,) = await charged(app, 1000)
    invoice = await issued(app)
    note = {"invoice_id": invoice.id, "amount_minor": 1000, "reason": "All"}
    refund = refund_of(charge, amount_minor=1000)
    calls = [app.call("admin", "credit_invoice", note) for _ in range(3)]
    calls += [app.call("admin", "refund_charge", {**refund, "reference": f"R{n}"}) for n in range(3)]
    answers = await asyncio.gather(*calls)
    assert sorted(answer.status for answer in answers) == [200, 409, 409, 409, 409, 409]
    assert (await credit(app))[0] == 0
    assert (await shown(app, invoice.id)).credited_minor == 1000
    assert await faults(app) == []


async def test_crediting_uses_a_constant_number_of_statements_for_any_number_of_lines(app: App) -> None:
    await make_billing_business(app)
    counted = []
    for amounts in ([100], [100, 200, 300, 400]):
        await charged(app, *amounts)
        invoice, before = await issued(app), app.statements
        await credited(app, invoice.id)
        counted.append(app.statements - before)
    assert counted[1] <= counted[0]
