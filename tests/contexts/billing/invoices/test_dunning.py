"""Unpaid invoices cause reminders by level, in the customer's language."""

from tests.contexts.billing.invoices.makers import charged, days_later, issued, make_billing_business, shown
from tests.contexts.billing.ledger.makers import credit
from tests.contexts.identity.mailbox import received_mails
from tests.support.app import App

WHO = "customer@demo.example"


async def reminders(app: App) -> list[str]:
    subjects = [mail.subject for mail in await received_mails(app, WHO)]
    return [each for each in subjects if "eminder" in each or "erinnerung" in each]


async def test_reminders_follow_days_overdue_and_their_fees_go_on_the_next_invoice(app: App) -> None:
    await make_billing_business(app)
    await charged(app, 1000)
    invoice = await issued(app)
    await days_later(app, 14 + 6)
    assert await reminders(app) == []
    await days_later(app, 1)
    await days_later(app, 0)
    assert await reminders(app) == [f"Reminder: invoice {invoice.number}"]
    await days_later(app, 7)
    await days_later(app, 16)
    assert await reminders(app) == [
        f"Reminder: invoice {invoice.number}",
        f"Second reminder: invoice {invoice.number}",
        f"Final reminder: invoice {invoice.number}",
    ]
    await days_later(app, 60)
    assert len(await reminders(app)) == 3
    now = await shown(app, invoice.id)
    assert [(each.level, each.days_overdue, each.fee_minor) for each in now.letters] == [
        (1, 7, 0),
        (2, 14, 500),
        (3, 30, 900),
    ]
    assert (now.dunning_level, now.overdue, (await credit(app))[0]) == (3, True, -2400)
    assert (await issued(app)).total_minor == 1400


async def test_reminders_stop_when_the_invoice_is_paid_or_credited_or_the_customer_is_exempt(app: App) -> None:
    await make_billing_business(app)
    await charged(app, 1000)
    invoice = await issued(app)
    await days_later(app, 21)
    assert len(await reminders(app)) == 1
    await app.answer("admin", "record_invoice_payment", {"invoice_id": invoice.id, "reference": "T 1"})
    await charged(app, 300)
    credited = await issued(app)
    await app.answer("admin", "credit_invoice", {"invoice_id": credited.id, "reason": "Late"})
    await charged(app, 200)
    await issued(app)
    await app.answer("admin", "set_billing_terms", {"customer_id": app.ids["customer"], "dunning": False})
    await days_later(app, 90)
    assert await reminders(app) == [f"Reminder: invoice {invoice.number}"]


async def test_available_credit_is_applied_before_a_reminder_is_sent(app: App) -> None:
    await make_billing_business(app)
    await charged(app, 1000)
    invoice = await issued(app)
    paid = {"customer_id": app.ids["customer"], "amount_minor": 1000, "reference": "T 9"}
    await app.answer("admin", "top_up_credit", paid)
    await days_later(app, 30)
    assert await reminders(app) == []
    assert (await shown(app, invoice.id)).status.value == "paid"


async def test_a_fee_beyond_the_credit_limit_is_not_charged(app: App) -> None:
    await make_billing_business(app, dunning=[{"days_overdue": 1, "fee_minor": 99_500}])
    await charged(app, 1000)
    invoice = await issued(app)
    await days_later(app, 15)
    (letter,) = (await shown(app, invoice.id)).letters
    assert (letter.fee_minor, (await credit(app))[0]) == (0, -1000)


async def test_reminders_use_the_customers_language(app: App) -> None:
    await make_billing_business(app)
    await app.answer("customer", "update_me", {"language": "de"})
    await charged(app, 1000)
    invoice = await issued(app)
    await days_later(app, 21)
    assert await reminders(app) == [f"Zahlungserinnerung: Rechnung {invoice.number}"]
