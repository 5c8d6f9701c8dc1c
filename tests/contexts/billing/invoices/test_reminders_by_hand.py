"""Staff send reminders about overdue invoices, and pause the automatic ones."""

import asyncio
from typing import Any

from tests.contexts.billing.invoices.makers import charged, days_later, issued, make_billing_business, shown
from tests.contexts.billing.ledger.makers import faults
from tests.contexts.identity.mailbox import received_mails
from tests.contexts.storage.makers import refusal
from tests.support.app import App

TERMS = 14


async def make_overdue_invoice(app: App, days: int = 1, **settings: Any) -> Any:
    await make_billing_business(app, **settings)
    await charged(app, 1_000)
    invoice = await issued(app)
    await days_later(app, TERMS + days)
    return invoice


async def remind(app: App, invoice: Any) -> Any:
    sent = (await app.answer("admin", "send_invoice_reminder", {"invoice_id": invoice.id})).invoice
    await app.work_off()
    return sent


async def test_a_reminder_is_sent_before_its_day(app: App) -> None:
    invoice = await make_overdue_invoice(app)
    before = len(await received_mails(app))
    sent = await remind(app, invoice)
    assert [(each.level, each.days_overdue) for each in sent.letters] == [(1, 1)]
    assert len(await received_mails(app)) == before + 1


async def test_the_automatic_reminders_continue_with_the_next_level(app: App) -> None:
    invoice = await make_overdue_invoice(app)
    await remind(app, invoice)
    await days_later(app, 7)
    assert [each.level for each in (await shown(app, invoice.id)).letters] == [1]
    await days_later(app, 7)
    assert [each.level for each in (await shown(app, invoice.id)).letters] == [1, 2]


async def test_a_fee_of_the_level_is_charged(app: App) -> None:
    invoice = await make_overdue_invoice(app, dunning=[{"days_overdue": 20, "fee_minor": 500}])
    sent = await remind(app, invoice)
    assert sent.letters[0].fee_minor == 500
    assert await faults(app) == []


async def test_reminders_after_the_last_level_have_no_fee(app: App) -> None:
    invoice = await make_overdue_invoice(app, dunning=[])
    await remind(app, invoice)
    await days_later(app, 1)
    assert [(each.level, each.fee_minor) for each in (await remind(app, invoice)).letters] == [(1, 0), (2, 0)]


async def test_parallel_calls_send_one_reminder_a_day(app: App) -> None:
    invoice = await make_overdue_invoice(app)
    asked = {"invoice_id": invoice.id}
    answers = await asyncio.gather(*(app.call("admin", "send_invoice_reminder", asked) for _ in range(4)))
    assert sorted(answer.status for answer in answers) == [200, 409, 409, 409]
    assert {answer.error["code"] for answer in answers if answer.error} == {"REMINDER_SENT_TODAY"}
    assert len((await shown(app, invoice.id)).letters) == 1


async def test_only_overdue_invoices_get_reminders(app: App) -> None:
    await make_billing_business(app)
    await charged(app, 1_000)
    asked = {"invoice_id": (await issued(app)).id}
    assert await refusal(app, "admin", "send_invoice_reminder", asked) == (409, "INVOICE_NOT_OVERDUE")
    await app.answer("admin", "record_invoice_payment", {**asked, "reference": "T1"})
    assert await refusal(app, "admin", "send_invoice_reminder", asked) == (409, "INVOICE_NOT_OPEN")


async def test_paused_reminders_are_only_sent_by_hand(app: App) -> None:
    invoice = await make_overdue_invoice(app)
    paused = {"invoice_id": invoice.id, "enabled": False}
    assert not (await app.answer("admin", "set_invoice_reminders", paused)).invoice.reminders_enabled
    await days_later(app, 60)
    assert (await shown(app, invoice.id)).letters == []
    assert [each.level for each in (await remind(app, invoice)).letters] == [1]


async def test_resumed_reminders_continue(app: App) -> None:
    invoice = await make_overdue_invoice(app)
    for enabled in (False, True):
        await app.answer("admin", "set_invoice_reminders", {"invoice_id": invoice.id, "enabled": enabled})
    await days_later(app, 7)
    assert [each.level for each in (await shown(app, invoice.id)).letters] == [1]


async def test_changed_billing_terms_leave_reminders_paused(app: App) -> None:
    invoice = await make_overdue_invoice(app)
    await app.answer("admin", "set_invoice_reminders", {"invoice_id": invoice.id, "enabled": False})
    terms = {"customer_id": app.ids["customer"], "billing_name": "Ada Ltd"}
    await app.answer("admin", "set_billing_terms", terms)
    assert not (await shown(app, invoice.id)).reminders_enabled
    await app.answer("admin", "set_billing_terms", {**terms, "dunning": False})
    await app.answer("admin", "set_billing_terms", terms)
    assert (await shown(app, invoice.id)).reminders_enabled


async def test_reminders_of_another_business_are_not_found(app: App) -> None:
    invoice = await make_overdue_invoice(app)
    for operation, more in (("send_invoice_reminder", {}), ("set_invoice_reminders", {"enabled": False})):
        assert (await app.call("rival", operation, {"invoice_id": invoice.id, **more})).status == 404


async def test_an_answer_names_level_and_fee(app: App) -> None:
    invoice = await make_overdue_invoice(app, dunning=[{"days_overdue": 20, "fee_minor": 500}, {"days_overdue": 30}])
    asked = {"invoice_id": invoice.id}
    first = await app.answer("admin", "send_invoice_reminder", asked)
    assert first.message == f"{invoice.number}: reminder 1 sent, fee 5.00 CAD."
    await days_later(app, 1)
    second = await app.answer("admin", "send_invoice_reminder", asked)
    assert second.message == f"{invoice.number}: reminder 2 sent, no fee."


async def test_an_invoice_that_credit_pays_gets_no_reminder(app: App) -> None:
    invoice = await make_overdue_invoice(app)
    paid = {"customer_id": app.ids["customer"], "amount_minor": 1_000, "reference": "T1", "reason": "x"}
    await app.answer("admin", "adjust_credit", paid)
    answer = await app.answer("admin", "send_invoice_reminder", {"invoice_id": invoice.id})
    assert "paid from the customer’s credit" in answer.message
    assert answer.invoice.letters == []


async def test_paused_invoices_can_be_skipped(app: App) -> None:
    invoice = await make_overdue_invoice(app)
    await app.answer("admin", "set_invoice_reminders", {"invoice_id": invoice.id, "enabled": False})
    asked = {"invoice_id": invoice.id, "skip_paused": True}
    assert await refusal(app, "admin", "send_invoice_reminder", asked) == (409, "REMINDERS_PAUSED")
    assert (await shown(app, invoice.id)).letters == []
