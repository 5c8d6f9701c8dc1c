"""Errors of billing: missing or refunded credit, charges and limits."""

from typing import Any

from tests.contexts.billing.exchange_rates.examples import DAILY_CSV
from tests.contexts.billing.ledger.makers import cad, make_call, some_credit
from tests.contexts.billing.taxes.examples import EXEMPTION, RATE
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.contexts.billing.ledger.rules import BALANCE_MAX
from haulier.contexts.billing.ledger.store.tables import accounts


async def scene(app: App) -> dict[str, Any]:
    """Create a customer near a credit limit of 5.00, and one at the maximum balance."""
    customer = await some_credit(app, 100, limit=500)
    async with make_call(app) as call:
        about = billing.MoneySubject("order", 1)
        charge = await billing.charge(call, customer, cad(500), key="order:1", subject=about)
        await billing.top_up(call, app.ids["customer2"], cad(1), key="rich")
        rich = accounts.c.owner_id == app.ids["customer2"]
        await call.work.run(accounts.update().where(rich).values(balance_minor=BALANCE_MAX))
    paid = {"customer_id": customer, "amount_minor": 100, "reference": "T1"}
    await app.answer("admin", "top_up_credit", paid)
    await app.answer("admin", "adjust_credit", {**paid, "reason": "x"})
    refund = {"transfer_id": charge.transfer_id, "amount_minor": 10, "reference": "T1", "reason": "x"}
    await app.answer("admin", "refund_charge", refund)
    rate = (await app.answer("admin", "create_tax_rate", {**RATE, "country": "NZ", "region": None})).tax_rate
    exemption = await app.answer("admin", "create_tax_exemption", {**EXEMPTION, "customer_id": customer})
    later = {**EXEMPTION, "customer_id": customer, "country": "NZ"}
    other = await app.answer("admin", "create_tax_exemption", later)
    await app.answer("admin", "import_exchange_rates", {"content": DAILY_CSV})
    imported = (await app.answer("admin", "list_exchange_rates", {})).exchange_rates[0]
    await app.answer("admin", "close_journal_period", {"closed_until": "2025-12-31"})
    return {
        "imported": imported.id,
        "rate": rate.id,
        "exemption": exemption.tax_exemption.id,
        "other_exemption": other.tax_exemption.id,
        "customer": customer,
        "rich": app.ids["customer2"],
        "charge": charge.transfer_id,
        "staff": app.ids["driver"],
    }


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    paid = {"customer_id": ids["customer"], "amount_minor": 200, "reference": "T1"}
    staff, rich = {**paid, "customer_id": ids["staff"]}, {**paid, "customer_id": ids["rich"]}
    limit = {"customer_id": ids["customer"], "limit_minor": 0}
    refund = {"transfer_id": ids["charge"], "amount_minor": 20, "reference": "T1", "reason": "x"}
    why = {"reason": "x"}
    rate = {**RATE, "country": "NZ", "region": None}
    exempt = {**EXEMPTION, "customer_id": ids["customer"]}
    return {
        ("get_credit_statement", "NOT_A_CUSTOMER"): ("admin", {"customer_id": ids["staff"]}),
        ("top_up_credit", "NOT_A_CUSTOMER"): ("admin", staff),
        ("top_up_credit", "LEDGER_KEY_REUSED"): ("admin", paid),
        ("top_up_credit", "BALANCE_OUT_OF_RANGE"): ("admin", rich),
        ("adjust_credit", "NOT_A_CUSTOMER"): ("admin", {**staff, **why}),
        ("adjust_credit", "LEDGER_KEY_REUSED"): ("admin", {**paid, **why}),
        ("adjust_credit", "BALANCE_OUT_OF_RANGE"): ("admin", {**rich, **why}),
        ("adjust_credit", "CREDIT_INSUFFICIENT"): ("admin", {**paid, **why, "amount_minor": -1000, "reference": "T2"}),
        ("refund_charge", "LEDGER_KEY_REUSED"): ("admin", refund),
        ("refund_charge", "REFUND_TOO_MUCH"): ("admin", {**refund, "amount_minor": 491, "reference": "T2"}),
        ("set_credit_limit", "NOT_A_CUSTOMER"): ("admin", {**limit, "customer_id": ids["staff"]}),
        ("set_credit_limit", "CREDIT_IN_USE"): ("admin", limit),
        ("create_tax_rate", "TAX_RATE_OVERLAPS"): ("admin", rate),
        ("update_tax_rate", "TAX_RATE_OVERLAPS"): ("admin", {**rate, "tax_rate_id": ids["rate"] + 1000}),
        ("create_tax_exemption", "TAX_EXEMPTION_OVERLAPS"): ("admin", exempt),
        ("create_tax_exemption", "NOT_A_CUSTOMER"): ("admin", {**exempt, "customer_id": ids["staff"]}),
        ("update_tax_exemption", "TAX_EXEMPTION_OVERLAPS"): (
            "admin",
            {**exempt, "tax_exemption_id": ids["other_exemption"]},
        ),
        ("update_tax_exemption", "NOT_A_CUSTOMER"): (
            "admin",
            {**exempt, "customer_id": ids["staff"], "tax_exemption_id": ids["exemption"]},
        ),
        ("delete_exchange_rate", "EXCHANGE_RATE_IMPORTED"): ("admin", {"exchange_rate_id": ids["imported"]}),
        ("convert_amount", "EXCHANGE_RATE_MISSING"): (
            "admin",
            {"amount_minor": 1, "from_currency": "CHF", "to_currency": "CAD"},
        ),
        ("get_customer_billing_identity", "NOT_A_CUSTOMER"): ("admin", {"customer_id": ids["staff"]}),
        ("set_customer_billing_identity", "NOT_A_CUSTOMER"): ("admin", {"customer_id": ids["staff"]}),
        ("close_journal_period", "JOURNAL_PERIOD_CLOSED"): ("admin", {"closed_until": "2025-12-31"}),
        ("close_journal_period", "JOURNAL_PERIOD_NOT_OVER"): ("admin", {"closed_until": "2099-12-31"}),
        ("preview_tax", "NOT_A_CUSTOMER"): ("admin", {"amount_minor": 1, "customer_id": ids["staff"]}),
    }
