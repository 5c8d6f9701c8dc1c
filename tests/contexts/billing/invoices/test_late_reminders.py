"""Reminders that are late are sent one at a time."""

import asyncio

from tests.contexts.billing.invoices.makers import charged, days_later, issued, make_billing_business, shown
from tests.support.app import App

from haulier.contexts.billing.invoices.jobs import bill_and_remind


async def test_resuming_reminders_sends_one_reminder_a_day(app: App) -> None:
    await make_billing_business(app)
    await charged(app, 1000)
    invoice = await issued(app)
    paused = {"invoice_id": invoice.id, "enabled": False}
    await app.answer("admin", "set_invoice_reminders", paused)
    await days_later(app, 14 + 60)
    await app.answer("admin", "set_invoice_reminders", {**paused, "enabled": True})
    for _ in range(4):
        await bill_and_remind.handler(app.application)
        await app.work_off()
        app.clock.forward(minutes=30)
    letters = (await shown(app, invoice.id)).letters
    assert [(each.level, each.fee_minor) for each in letters] == [(1, 0)]


async def test_the_automatic_run_sends_none_on_the_day_of_one_by_hand(app: App) -> None:
    await make_billing_business(app)
    await charged(app, 1000)
    invoice = await issued(app)
    await app.answer("admin", "set_invoice_reminders", {"invoice_id": invoice.id, "enabled": False})
    await days_later(app, 14 + 20)
    await app.answer("admin", "set_invoice_reminders", {"invoice_id": invoice.id, "enabled": True})
    await app.answer("admin", "send_invoice_reminder", {"invoice_id": invoice.id})
    await bill_and_remind.handler(app.application)
    await app.work_off()
    assert [each.level for each in (await shown(app, invoice.id)).letters] == [1]


async def test_automatic_and_manual_reminders_in_parallel_send_one_per_level(app: App) -> None:
    await make_billing_business(app)
    await charged(app, 1000)
    invoice = await issued(app)
    app.clock.forward(days=14 + 7)
    await days_later(app, 0)
    before = len((await shown(app, invoice.id)).letters)
    await asyncio.gather(*(bill_and_remind.handler(app.application) for _ in range(3)))
    await app.work_off()
    assert len((await shown(app, invoice.id)).letters) == before == 1


async def test_late_levels_keep_the_days_between_them(app: App) -> None:
    await make_billing_business(app)
    await charged(app, 1000)
    invoice = await issued(app)
    paused = {"invoice_id": invoice.id, "enabled": False}
    await app.answer("admin", "set_invoice_reminders", paused)
    await days_later(app, 14 + 60)
    await app.answer("admin", "set_invoice_reminders", {**paused, "enabled": True})
    sent = []
    for _ in range(26):
        await days_later(app, 1)
        sent.append(len((await shown(app, invoice.id)).letters))
    assert [sent.index(level) for level in (1, 2, 3)] == [0, 7, 23]
