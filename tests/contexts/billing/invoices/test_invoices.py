"""Customers who pay later are billed once per charge; payments are in the ledger."""

import asyncio
from base64 import b64decode
from datetime import timedelta

from tests.contexts.billing.invoices.makers import charged, days_later, issued, make_billing_business, shown
from tests.contexts.billing.ledger.makers import cad, credit, faults, make_call
from tests.contexts.identity.mailbox import received_mails
from tests.contexts.storage.makers import refusal
from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.kernel.operations.enums import PriceFamily


async def test_an_invoice_lists_each_charge_once_with_its_tax(app: App) -> None:
    await make_billing_business(app)
    first = await charged(app, 1130, 2260)
    invoice = await issued(app)
    assert (invoice.number, invoice.status.value, invoice.kind.value) == ("INV-000001", "open", "invoice")
    assert (invoice.total_minor, invoice.tax_minor, invoice.due_minor) == (3390, 390, 3390)
    assert [line.transfer_id for line in invoice.lines] == first
    assert invoice.due_on == invoice.issued_on + timedelta(days=14)
    again = {"customer_id": app.ids["customer"]}
    assert await refusal(app, "admin", "issue_invoice", again) == (409, "NOTHING_TO_INVOICE")
    (later,) = await charged(app, 500)
    assert [line.transfer_id for line in (await issued(app)).lines] == [later]


async def test_a_refund_before_invoicing_is_a_line_on_the_invoice(app: App) -> None:
    await make_billing_business(app)
    _, returned = await charged(app, 1000, 400)
    async with make_call(app) as call:
        await billing.refund(call, returned, cad(400), key="back:1")
    invoice = await issued(app)
    assert (invoice.total_minor, [line.amount_minor for line in invoice.lines]) == (1000, [1000, 400, -400])


async def test_numbers_have_no_gaps_under_concurrent_issues_and_rollbacks(app: App) -> None:
    await make_billing_business(app)
    for who in ("customer", "customer2"):
        if who == "customer2":
            async with make_call(app) as call:
                await billing.set_credit_limit(call, app.ids[who], cad(100_000))
        await charged(app, 700, who=who)
    rehearsed = await app.call("admin", "issue_invoice", {"customer_id": app.ids["customer"]}, dry_run=True)
    assert rehearsed.error is None
    asked = [{"customer_id": app.ids[who]} for who in ("customer", "customer2") * 3]
    answers = await asyncio.gather(*(app.call("admin", "issue_invoice", each) for each in asked))
    assert sorted(answer.status for answer in answers).count(409) == 4
    listed = (await app.answer("admin", "list_invoices")).invoices
    assert sorted(each.number for each in listed) == ["INV-000001", "INV-000002"]


async def test_a_payment_posts_once_per_reference_and_a_zero_balance_marks_the_invoice_paid(
    app: App,
) -> None:
    await make_billing_business(app)
    await charged(app, 1000)
    invoice = await issued(app)
    part = {"invoice_id": invoice.id, "amount_minor": 400, "reference": "T 1"}
    for _ in range(2):
        paid = (await app.answer("admin", "record_invoice_payment", part)).invoice
        assert (paid.paid_minor, paid.due_minor, paid.status.value) == (400, 600, "open")
    assert (await credit(app))[0] == -600
    more = {"invoice_id": invoice.id, "amount_minor": 601, "reference": "T 2"}
    assert await refusal(app, "admin", "record_invoice_payment", more) == (409, "INVOICE_AMOUNT_TOO_LARGE")
    other = {**part, "amount_minor": 300}
    assert await refusal(app, "admin", "record_invoice_payment", other) == (409, "LEDGER_KEY_REUSED")
    rest = {"invoice_id": invoice.id, "reference": "T 2"}
    paying = [app.call("admin", "record_invoice_payment", rest) for _ in range(3)]
    assert {answer.status for answer in await asyncio.gather(*paying)} == {200}
    assert ((await shown(app, invoice.id)).status.value, (await credit(app))[0]) == ("paid", 0)
    late = {"invoice_id": invoice.id, "reference": "T 3"}
    assert await refusal(app, "admin", "record_invoice_payment", late) == (409, "INVOICE_NOT_OPEN")
    about = {"subject_kind": "invoice", "subject_id": invoice.id}
    posted = (await app.answer("admin", "list_ledger_transfers", about)).transfers
    assert sorted(each.amount_minor for each in posted) == [400, 600]
    assert await faults(app) == []


async def test_credit_is_used_first_and_new_payments_settle_the_oldest_invoice(app: App) -> None:
    await make_billing_business(app)
    paid_in = {"customer_id": app.ids["customer"], "amount_minor": 300, "reference": "In advance"}
    await app.answer("admin", "top_up_credit", paid_in)
    await charged(app, 1000)
    first = await issued(app)
    assert (first.paid_minor, first.due_minor) == (300, 700)
    await charged(app, 500)
    second = await issued(app)
    assert (second.paid_minor, second.due_minor) == (0, 500)
    spare = {"invoice_id": second.id, "paid_by": "credit", "reference": "-"}
    assert await refusal(app, "admin", "record_invoice_payment", spare) == (409, "CREDIT_INSUFFICIENT")
    await app.answer("admin", "top_up_credit", {**paid_in, "amount_minor": 900, "reference": "Later"})
    await app.work_off()
    states = [(each.status.value, each.due_minor) for each in (await shown(app, first.id), await shown(app, second.id))]
    assert states == [("paid", 0), ("open", 300)]
    assert await faults(app) == []


async def test_a_void_invoice_keeps_its_number_and_its_charges_move_to_the_next_invoice(app: App) -> None:
    await make_billing_business(app)
    (charge,) = await charged(app, 1000)
    first = await issued(app)
    await charged(app, 200)
    second = await issued(app)
    named = {"invoice_id": first.id, "reason": "Wrong name"}
    assert await refusal(app, "admin", "void_invoice", named) == (409, "INVOICE_NOT_LATEST")
    await app.answer("admin", "void_invoice", {**named, "invoice_id": second.id})
    void = (await app.answer("admin", "void_invoice", named)).invoice
    assert (void.status.value, void.number, void.due_minor) == ("void", "INV-000001", 0)
    third = await issued(app)
    assert (third.number, third.total_minor, third.lines[0].transfer_id) == ("INV-000003", 1200, charge)
    await app.answer("admin", "record_invoice_payment", {"invoice_id": third.id, "amount_minor": 1, "reference": "T"})
    paid = {**named, "invoice_id": third.id}
    assert await refusal(app, "admin", "void_invoice", paid) == (409, "INVOICE_NOT_OPEN")


async def test_a_credit_note_is_limited_to_the_invoice_and_returned_as_credit(app: App) -> None:
    await make_billing_business(app)
    await charged(app, 2260)
    invoice = await issued(app)
    asked = {"invoice_id": invoice.id, "amount_minor": 1130, "reason": "Late"}
    note = (await app.answer("admin", "credit_invoice", asked)).invoice
    assert (note.number, note.kind.value, note.total_minor, note.tax_minor) == ("CN-000001", "credit_note", 1130, 130)
    assert note.refers_to == invoice.id
    more = {**asked, "amount_minor": 1131}
    assert await refusal(app, "admin", "credit_invoice", more) == (409, "INVOICE_AMOUNT_TOO_LARGE")
    rest = {"invoice_id": invoice.id, "reason": "All of it"}
    crediting = [app.call("admin", "credit_invoice", rest) for _ in range(3)]
    assert sorted(answer.status for answer in await asyncio.gather(*crediting)) == [200, 409, 409]
    now = await shown(app, invoice.id)
    assert (now.status.value, now.credited_minor, (await credit(app))[0]) == ("paid", 2260, 0)
    assert await refusal(app, "admin", "issue_invoice", {"customer_id": app.ids["customer"]}) == (
        409,
        "NOTHING_TO_INVOICE",
    )
    assert await faults(app) == []


async def test_an_invoice_can_be_signed_sent_and_downloaded(app: App) -> None:
    await make_billing_business(app)
    await charged(app, 1130)
    terms = {"customer_id": app.ids["customer"], "billing_name": "Ada Ltd", "email": "bills@ada.example"}
    await app.answer("admin", "set_billing_terms", terms)
    invoice = await issued(app)
    early = {"invoice_id": invoice.id}
    assert await refusal(app, "customer", "get_invoice_file", early) == (409, "DOCUMENT_NOT_READY")
    (mail,) = await received_mails(app, "bills@ada.example")
    assert invoice.number in mail.subject
    assert "11.30" in mail.text
    (file,) = mail.attachments
    had = await app.answer("customer", "get_invoice_file", early)
    assert b64decode(had.content) == file.content
    assert file.content.startswith(b"%PDF")
    verdict = await app.answer(None, "verify_document", {"content": had.content})
    assert (verdict.status, verdict.kind) == ("genuine", "invoice")
    assert (await shown(app, invoice.id)).sent_at is not None
    await app.answer("admin", "send_invoice", early)
    assert len(await received_mails(app, "bills@ada.example")) == 2
    await app.answer("admin", "void_invoice", {**early, "reason": "Wrong"})
    assert (await app.answer(None, "verify_document", {"content": had.content})).status == "revoked"


async def test_the_invoice_email_states_the_amount_due(app: App) -> None:
    await make_billing_business(app)
    paid_in = {"customer_id": app.ids["customer"], "amount_minor": 1300, "reference": "In advance"}
    await app.answer("admin", "top_up_credit", paid_in)
    texts = []
    for minor in (1000, 500, 200):
        await charged(app, minor)
        await issued(app)
        texts.append((await received_mails(app, "customer@demo.example"))[-1].text)
    paid, part, due = texts
    assert "CA$10.00 is paid. No payment is due." in paid
    assert "The remaining CA$2.00 is due on" in part
    assert "CA$2.00 is due on" in due


async def test_a_reused_reference_is_reported_as_the_caller_wrote_it(app: App) -> None:
    await make_billing_business(app)
    (charge,) = await charged(app, 1000)
    invoice, customer = await issued(app), app.ids["customer"]
    calls = {
        "top_up_credit": {"customer_id": customer},
        "adjust_credit": {"customer_id": customer, "reason": "Late"},
        "record_invoice_payment": {"invoice_id": invoice.id},
        "refund_charge": {"transfer_id": charge, "reason": "Late"},
    }
    for operation, values in calls.items():
        await app.answer("admin", operation, {**values, "reference": "T35", "amount_minor": 10})
        reused = await app.call("admin", operation, {**values, "reference": "T35", "amount_minor": 20})
        assert reused.error
        assert (reused.error["code"], "“T35”" in reused.error["message"]) == ("LEDGER_KEY_REUSED", True)


async def test_customers_see_their_own_invoices_without_totals_of_hidden_prices(app: App) -> None:
    await make_billing_business(app)
    await charged(app, 1000)
    await charged(app, 230, family=PriceFamily.LABEL_SERVICE)
    invoice = await issued(app)
    named = {"invoice_id": invoice.id}
    assert (await shown(app, invoice.id, "customer")).total_minor == 1230
    for stranger in ("customer2", "rival"):
        assert await refusal(app, stranger, "get_invoice", named) == (404, "NOT_FOUND")
        assert (await app.answer(stranger, "list_invoices")).total == 0
    hidden = {"customer_id": app.ids["customer"], "hidden": ["label_service"]}
    await app.answer("admin", "set_price_visibility", hidden)
    seen = (await app.rest("customer", "GET", f"/v1/billing/invoices/{invoice.id}")).json()["invoice"]
    assert seen["price_hidden"] is True
    assert not {"total_minor", "tax_minor", "paid_minor", "due_minor", "credited_minor"} & seen.keys()
    assert [line.get("amount_minor") for line in seen["lines"]] == [1000, None]
    await app.work_off()
    assert await refusal(app, "customer", "get_invoice_file", named) == (403, "PRICE_HIDDEN_SETTLE_OFFLINE")
    (mail,) = await received_mails(app, "customer@demo.example")
    assert not mail.attachments
    assert "12.30" not in mail.text


async def test_customers_are_billed_automatically_on_the_first_for_the_previous_month(app: App) -> None:
    await make_billing_business(app)
    terms = {"customer_id": app.ids["customer"], "period": "month"}
    set_ = await app.answer("admin", "set_billing_terms", terms)
    assert str(set_.next_invoice_on) == "2026-07-01"
    await charged(app, 1000)
    days = (set_.next_invoice_on - app.clock().date()).days
    app.clock.forward(days=days)
    await charged(app, 70)
    await days_later(app, 0)
    await days_later(app, 0)
    (invoice,) = (await app.answer("admin", "list_invoices")).invoices
    assert (invoice.total_minor, str(invoice.until)) == (1000, "2026-06-30")
    now = await app.answer("admin", "get_billing_terms", {"customer_id": app.ids["customer"]})
    assert str(now.next_invoice_on) == "2026-08-01"


async def test_statement_count_is_constant_for_any_number_of_invoices_and_lines(app: App) -> None:
    await make_billing_business(app)
    counted = []
    for amounts in ([100], [100, 200, 300, 400]):
        await charged(app, *amounts)
        before = app.statements
        invoice = await issued(app)
        made = app.statements
        await app.answer("admin", "list_invoices")
        await shown(app, invoice.id)
        counted.append((made - before, app.statements - made))
    assert counted[1][0] <= counted[0][0]
    assert counted[0][1] == counted[1][1]
