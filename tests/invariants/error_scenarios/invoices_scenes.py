"""Errors of invoices: paid, void or older ones, credit notes, nothing to bill."""

from datetime import timedelta
from typing import Any

from tests.contexts.billing.invoices.makers import charged, issued, make_billing_business
from tests.contexts.billing.ledger.makers import cad, make_call
from tests.contexts.shipping.examples import SHIPMENT
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.contexts.billing.invoices.store import invoices
from haulier.contexts.billing.ledger.rules import BALANCE_MAX
from haulier.contexts.billing.ledger.store.tables import accounts
from haulier.kernel.operations.enums import PriceFamily


async def scene(app: App) -> dict[str, Any]:
    """Create invoices in each status, and a customer at the maximum balance."""
    await make_billing_business(app)
    made: dict[str, Any] = {"staff": app.ids["driver"], "poor": app.ids["customer2"]}
    await charged(app, 1000)
    made["void"] = (await issued(app)).id
    await app.answer("admin", "void_invoice", {"invoice_id": made["void"], "reason": "x"})
    made["paid"] = (await issued(app)).id
    await app.answer("admin", "record_invoice_payment", {"invoice_id": made["paid"], "reference": "T1"})
    await charged(app, 500)
    made["open"] = (await issued(app)).id
    part = {"invoice_id": made["open"], "amount_minor": 100, "reference": "T1"}
    await app.answer("admin", "record_invoice_payment", part)
    credited = {"invoice_id": made["open"], "amount_minor": 100, "reason": "x"}
    made["note"] = (await app.answer("admin", "credit_invoice", credited)).invoice.id
    await charged(app, 300, family=PriceFamily.LABEL_SERVICE)
    made["newest"] = (await issued(app)).id
    made["reminded"] = await make_reminded_invoice(app)
    made |= await make_payments(app, made)
    return made | {"rich": await make_customer_with_credit(app), "hidden": await make_hidden_invoice(app)}


async def make_reminded_invoice(app: App) -> int:
    """Create an overdue invoice with a reminder of today and paused reminders."""
    await charged(app, 200)
    invoice = (await issued(app)).id
    async with make_call(app) as call:
        overdue = {"due_on": call.today - timedelta(days=3)}
        await call.work.run(invoices.update().where(invoices.c.id == invoice).values(**overdue))
    await app.answer("admin", "send_invoice_reminder", {"invoice_id": invoice})
    await app.answer("admin", "set_invoice_reminders", {"invoice_id": invoice, "enabled": False})
    return invoice


async def make_payments(app: App, made: dict[str, Any]) -> dict[str, int]:
    """Create a payment on account, one in another currency and a reversed one."""
    paid = {"customer_id": app.ids["customer"], "amount_minor": 50, "allocations": []}
    found: dict[str, int] = {"customer": app.ids["customer"]}
    for name, currency in (("on account", "CAD"), ("foreign", "USD"), ("reversed", "CAD")):
        asked = {**paid, "reference": name, "currency": currency}
        found[name] = (await app.answer("admin", "top_up_credit", asked)).received_payment.id
    reversal = {"received_payment_id": found["reversed"], "reason": "x"}
    await app.answer("admin", "reverse_payment", reversal)
    person = {"name": "Ada", "email": "ada@poor.example", "account": "customer"}
    poor = (await app.answer("admin", "create_user", person)).user.id
    found["poorest"] = (
        await app.answer("admin", "top_up_credit", {**paid, "customer_id": poor, "reference": "x"})
    ).received_payment.id
    async with make_call(app) as call:
        wallet = accounts.c.owner_id == poor
        await call.work.run(accounts.update().where(wallet).values(balance_minor=-BALANCE_MAX))
    return found


async def make_customer_with_credit(app: App) -> int:
    """Create an open invoice of a customer at the maximum balance."""
    await make_limit(app, "customer2")
    await charged(app, 700, who="customer2")
    invoice = (await issued(app, "customer2")).id
    async with make_call(app) as call:
        rich = accounts.c.owner_id == app.ids["customer2"]
        await call.work.run(accounts.update().where(rich).values(balance_minor=BALANCE_MAX))
    return invoice


async def make_hidden_invoice(app: App) -> int:
    """Create an invoice of labels for a customer with hidden prices."""
    await charged(app, 700, who="customer2", family=PriceFamily.LABEL_SERVICE)
    hidden = {"customer_id": app.ids["customer2"], "hidden": ["label_service"]}
    await app.answer("admin", "set_price_visibility", hidden)
    invoice = (await issued(app, "customer2")).id
    async with make_call(app) as call:
        rich = accounts.c.owner_id == app.ids["customer2"]
        await call.work.run(accounts.update().where(rich).values(balance_minor=BALANCE_MAX))
    return invoice


async def make_limit(app: App, who: str) -> None:
    async with make_call(app) as call:
        await billing.set_credit_limit(call, app.ids[who], cad(100_000))


def reminders(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error of reminders."""
    send, void = "send_invoice_reminder", {"invoice_id": ids["void"]}
    return {
        ("set_invoice_reminders", "INVOICE_NOT_OPEN"): ("admin", {**void, "enabled": False}),
        (send, "INVOICE_NOT_OPEN"): ("admin", void),
        (send, "INVOICE_NOT_OVERDUE"): ("admin", {"invoice_id": ids["open"]}),
        (send, "REMINDER_SENT_TODAY"): ("admin", {"invoice_id": ids["reminded"]}),
        (send, "REMINDERS_PAUSED"): ("admin", {"invoice_id": ids["reminded"], "skip_paused": True}),
    }


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    staff = {"customer_id": ids["staff"]}
    why, pay = {"reason": "x"}, "record_invoice_payment"

    def of(name: str, **more: Any) -> dict[str, Any]:
        return {"invoice_id": ids[name], **more}

    def allocate(payment: str, invoice: str, minor: int | None = None) -> dict[str, Any]:
        return {"received_payment_id": ids[payment], "allocations": [of(invoice, amount_minor=minor)]}

    def top_up(invoice: str, minor: int | None = None, currency: str = "CAD") -> dict[str, Any]:
        paid = {"customer_id": ids["customer"], "amount_minor": 350, "reference": "T9", "currency": currency}
        return {**paid, "allocations": [of(invoice, amount_minor=minor)]}

    add, share = "top_up_credit", "allocate_payment"
    return {
        (add, "INVOICE_NOT_OPEN"): ("admin", top_up("paid")),
        (add, "INVOICE_AMOUNT_TOO_LARGE"): ("admin", top_up("open", 301)),
        (add, "PAYMENT_AMOUNT_TOO_LARGE"): ("admin", {**top_up("open", 51), "amount_minor": 50}),
        (add, "PAYMENT_CURRENCY_DIFFERS"): ("admin", top_up("open", 1, "USD")),
        (share, "INVOICE_NOT_OPEN"): ("admin", allocate("on account", "paid")),
        (share, "INVOICE_AMOUNT_TOO_LARGE"): ("admin", allocate("on account", "open", 301)),
        (share, "PAYMENT_AMOUNT_TOO_LARGE"): ("admin", allocate("on account", "open", 51)),
        (share, "PAYMENT_CURRENCY_DIFFERS"): ("admin", allocate("foreign", "open", 1)),
        (share, "PAYMENT_REVERSED"): ("admin", allocate("reversed", "open", 1)),
        ("reverse_payment", "PAYMENT_REVERSED"): ("admin", {"received_payment_id": ids["reversed"], **why}),
        ("reverse_payment", "BALANCE_OUT_OF_RANGE"): ("admin", {"received_payment_id": ids["poorest"], **why}),
        ("get_billing_terms", "NOT_A_CUSTOMER"): ("admin", staff),
        ("set_billing_terms", "NOT_A_CUSTOMER"): ("admin", staff),
        ("issue_invoice", "NOT_A_CUSTOMER"): ("admin", staff),
        ("issue_invoice", "NOTHING_TO_INVOICE"): ("admin", {"customer_id": ids["poor"]}),
        (pay, "INVOICE_NOT_OPEN"): ("admin", of("paid", reference="T2")),
        (pay, "INVOICE_AMOUNT_TOO_LARGE"): ("admin", of("open", amount_minor=301, reference="T2")),
        (pay, "LEDGER_KEY_REUSED"): ("admin", of("open", amount_minor=50, reference="T1")),
        (pay, "CREDIT_INSUFFICIENT"): ("admin", of("open", paid_by="credit", reference="T2")),
        (pay, "BALANCE_OUT_OF_RANGE"): ("admin", of("rich", reference="T2")),
        ("void_invoice", "INVOICE_NOT_OPEN"): ("admin", of("note", **why)),
        ("void_invoice", "INVOICE_NOT_LATEST"): ("admin", of("rich", **why)),
        ("credit_invoice", "INVOICE_NOT_OPEN"): ("admin", of("void", **why)),
        ("credit_invoice", "INVOICE_AMOUNT_TOO_LARGE"): ("admin", of("open", amount_minor=401, **why)),
        ("credit_invoice", "BALANCE_OUT_OF_RANGE"): ("admin", of("rich", **why)),
        ("send_invoice", "INVOICE_NOT_OPEN"): ("admin", of("void")),
        **reminders(ids),
        ("get_invoice_ubl", "EINVOICE_INCOMPLETE"): ("admin", of("newest")),
        ("get_invoice_ubl", "PRICE_HIDDEN_SETTLE_OFFLINE"): ("customer2", of("hidden")),
        ("get_invoice_file", "DOCUMENT_NOT_READY"): ("admin", of("newest")),
        ("get_invoice_file", "PRICE_HIDDEN_SETTLE_OFFLINE"): ("customer2", of("hidden")),
        ("quote_and_ship", "PRICE_HIDDEN_SETTLE_OFFLINE"): ("customer2", {"shipment": SHIPMENT, "max_price_minor": 1}),
    }
