"""Steps of the dry-run day about the credit of customers."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from tests.contexts.billing.exchange_rates.examples import DAILY_CSV, EXCHANGE_RATE
from tests.contexts.billing.identities.examples import CUSTOMER_IDENTITY, IDENTITY
from tests.contexts.billing.invoices.examples import SETTINGS
from tests.contexts.billing.taxes.examples import EXEMPTION, RATE

S = TypeVar("S")


def credit_steps(step: Callable[..., S]) -> Iterator[S]:
    """Yield steps about the credit of a customer, built with `step`."""
    yield step("admin", "set_tax_settings", country="CA", region="ON")
    yield step("admin", "add_initial_tax_rates", country="DE")
    yield step("admin", "create_tax_rate", {"tax_rate": "tax_rate.id"}, **RATE)
    yield step("admin", "update_tax_rate", tax_rate_id="$tax_rate", **{**RATE, "rate_bp": 1400})
    yield step("admin", "delete_tax_rate", tax_rate_id="$tax_rate")
    exempt = {**EXEMPTION, "customer_id": "$customer"}
    yield step("admin", "create_tax_exemption", {"exemption": "tax_exemption.id"}, **exempt)
    yield step("admin", "update_tax_exemption", tax_exemption_id="$exemption", **{**exempt, "country": None})
    yield step("admin", "delete_tax_exemption", tax_exemption_id="$exemption")
    yield step("admin", "set_exchange_rate_settings", max_age_days=10)
    yield step("admin", "import_exchange_rates", content=DAILY_CSV)
    yield step("admin", "set_exchange_rate", {"exchange_rate": "exchange_rate.id"}, **EXCHANGE_RATE)
    yield step("admin", "delete_exchange_rate", exchange_rate_id="$exchange_rate")
    yield step("admin", "set_journal_settings", accounts=[{"account": "bank", "number": "1200"}])
    yield step("admin", "close_journal_period", closed_until="2026-01-31")
    yield step("admin", "set_billing_identity", **IDENTITY)
    yield step("admin", "set_customer_billing_identity", customer_id="$customer", **CUSTOMER_IDENTITY)
    paid = {"customer_id": "$customer", "amount_minor": 5000, "reference": "Transfer 1"}
    yield step("admin", "top_up_credit", **paid)
    yield step("admin", "adjust_credit", **{**paid, "amount_minor": -200, "reason": "Typed wrong."})
    yield step("admin", "set_credit_limit", customer_id="$customer", limit_minor=10000)
    more = {**paid, "amount_minor": -6000, "reference": "Damage", "reason": "A broken door."}
    yield step("admin", "adjust_credit", **more)
    yield step("admin", "set_invoicing_settings", **SETTINGS)
    yield step("admin", "set_billing_terms", customer_id="$customer", period="month", billing_name="Ada Ltd")
    yield step("admin", "issue_invoice", {"invoice": "invoice.id"}, customer_id="$customer")
    yield step("admin", "send_invoice", invoice_id="$invoice")
    yield step("admin", "set_invoice_reminders", invoice_id="$invoice", enabled=False)
    yield step("admin", "void_invoice", invoice_id="$invoice", reason="Typed wrong.")
    yield step("admin", "issue_invoice", {"invoice": "invoice.id"}, customer_id="$customer")
    yield step("admin", "credit_invoice", invoice_id="$invoice", amount_minor=100, reason="Late.")
    yield step("admin", "adjust_credit", **{**more, "reference": "Damage 2", "amount_minor": -100})
    yield step("admin", "start_invoice_run", {"run": "invoice_run.id"}, until="2031-01-31", send=False)
    yield step("admin", "cancel_invoice_run", invoice_run_id="$run")
    yield step("admin", "send_invoice_run", invoice_run_id="$run")
    yield step("admin", "record_invoice_payment", invoice_id="$invoice", amount_minor=100, reference="Transfer 2")
    on_account = {**paid, "amount_minor": 300, "reference": "Transfer 3", "allocations": []}
    yield step("admin", "top_up_credit", {"payment": "received_payment.id"}, **on_account)
    part = [{"invoice_id": "$invoice", "amount_minor": 100}]
    allocated = {"allocation": "received_payment.allocations.0.id"}
    yield step("admin", "allocate_payment", allocated, received_payment_id="$payment", allocations=part)
    yield step("admin", "undo_allocation", allocation_id="$allocation")
    yield step("admin", "reverse_payment", received_payment_id="$payment", reason="Returned by the bank.")
