"""The part of the day in which the office keeps the credit of customers."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from tests.contexts.billing.invoices.examples import SETTINGS

S = TypeVar("S")


def credit_steps(step: Callable[..., S]) -> Iterator[S]:
    """What the office does about a customer's credit; `step` makes one step."""
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
    yield step("admin", "void_invoice", invoice_id="$invoice", reason="Typed wrong.")
    yield step("admin", "issue_invoice", {"invoice": "invoice.id"}, customer_id="$customer")
    yield step("admin", "credit_invoice", invoice_id="$invoice", amount_minor=100, reason="Late.")
    yield step("admin", "record_invoice_payment", invoice_id="$invoice", amount_minor=100, reference="Transfer 2")
