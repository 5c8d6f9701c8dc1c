"""Several lines are credited in one credit note, each with its own taxes."""

import asyncio
from typing import Any

import pytest
from tests.contexts.billing.invoices.makers import make_mixed_invoice, shown
from tests.contexts.billing.ledger.makers import credit, faults
from tests.support.app import App


def wanted(invoice: Any, amounts: dict[int, int | None], **more: Any) -> dict[str, Any]:
    """A request that credits lines of an invoice by position."""
    given = [{"transfer_id": invoice.lines[at].transfer_id, "amount_minor": each} for at, each in amounts.items()]
    return {"invoice_id": invoice.id, "charges": given, "reason": "Late", **more}


async def test_chosen_lines_are_credited_with_their_own_taxes(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    answer = await app.answer("admin", "credit_invoice", wanted(invoice, {0: 565, 1: None, 2: 100}))
    note = answer.invoice
    assert [line.amount_minor for line in note.lines] == [565, 1_120, 100]
    assert (note.total_minor, note.tax_minor) == (1_785, 65 + 120)
    taxes = {(each.name, each.rate_bp): (each.net_minor, each.amount_minor) for each in note.taxes}
    assert taxes == {("HST", 1300): (500, 65), ("PST", 700): (1_000, 70), ("GST", 500): (1_000, 50), ("", 0): (100, 0)}
    assert [line.refundable_minor for line in (await shown(app, invoice.id)).lines] == [565, 0, 300]
    assert (answer.due_reduced_minor, answer.to_credit_minor) == (1_785, 0)
    assert (await shown(app, invoice.id)).due_minor == 2_650 - 1_785
    assert await faults(app) == []


async def test_a_preview_shows_the_credit_note_and_issues_nothing(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    answer = await app.call("admin", "credit_invoice", wanted(invoice, {1: 560}), dry_run=True)
    assert (answer.answer.invoice.total_minor, answer.answer.invoice.tax_minor) == (560, 60)
    assert (await shown(app, invoice.id)).credited_minor == 0
    assert (await app.answer("admin", "list_invoices", {"kind": "credit_note"})).invoices == []


async def test_parts_of_a_line_add_up_to_its_taxes(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    notes = [
        (await app.answer("admin", "credit_invoice", wanted(invoice, {1: part}))).invoice
        for part in (333, 333, 333, None)
    ]
    assert (sum(note.total_minor for note in notes), sum(note.tax_minor for note in notes)) == (1_120, 120)


async def test_a_paid_part_is_credit_of_the_customer_again(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    paid = {"invoice_id": invoice.id, "amount_minor": 2_000, "reference": "T1"}
    await app.answer("admin", "record_invoice_payment", paid)
    answer = await app.answer("admin", "credit_invoice", wanted(invoice, {0: None}))
    assert (answer.due_reduced_minor, answer.to_credit_minor) == (650, 480)
    assert (await credit(app))[0] == 480
    assert (await shown(app, invoice.id)).due_minor == 0
    assert await faults(app) == []


@pytest.mark.parametrize(
    ("amounts", "field", "left"),
    [({0: 1_131}, "charges.0.amount_minor", "11.30 CAD"), ({0: 1, 2: 401}, "charges.1.amount_minor", "4.00 CAD")],
)
async def test_more_than_a_line_has_left_is_refused(
    app: App, amounts: dict[int, int | None], field: str, left: str
) -> None:
    invoice = await make_mixed_invoice(app)
    answer = await app.call("admin", "credit_invoice", wanted(invoice, amounts))
    assert answer.error
    assert (answer.status, answer.error["code"]) == (409, "INVOICE_AMOUNT_TOO_LARGE")
    assert [each["field"] for each in answer.error["errors"]] == [field]
    assert left in answer.error["message"]
    assert (await shown(app, invoice.id)).credited_minor == 0


async def test_requests_that_do_not_fit_together_are_refused(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    twice = wanted(invoice, {0: 10})
    twice["charges"] *= 2
    other = wanted(invoice, {0: 10})
    other["charges"].append({"transfer_id": 987_654_321})
    for asked, status, code in (
        (twice, 422, "INVALID_REQUEST"),
        (wanted(invoice, {0: 10}, amount_minor=10), 422, "INVALID_REQUEST"),
        ({**wanted(invoice, {}), "charges": []}, 422, "INVALID_REQUEST"),
        (other, 404, "NOT_FOUND"),
    ):
        answer = await app.call("admin", "credit_invoice", asked)
        assert answer.error
        assert (answer.status, answer.error["code"]) == (status, code)
    assert answer.error["errors"][0]["field"] == "charges.1.transfer_id"
    assert (await shown(app, invoice.id)).credited_minor == 0


async def test_parallel_credit_notes_never_exceed_a_line(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    asked = [wanted(invoice, {0: 400, 2: 130} if n % 2 else {2: 130, 0: 400}) for n in range(6)]
    answers = await asyncio.gather(*(app.call("admin", "credit_invoice", each) for each in asked))
    assert sorted(answer.status for answer in answers) == [200, 200, 409, 409, 409, 409]
    assert [line.refundable_minor for line in (await shown(app, invoice.id)).lines] == [330, 1_120, 140]
    assert (await shown(app, invoice.id)).credited_minor == 1_060
    assert await faults(app) == []


async def test_rivals_and_customers_credit_no_lines(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    assert (await app.call("rival", "credit_invoice", wanted(invoice, {0: 10}))).status == 404
    assert (await app.call("customer", "credit_invoice", wanted(invoice, {0: 10}))).status == 403
