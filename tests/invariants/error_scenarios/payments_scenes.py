"""Errors of online payments: not due, not ready, ended, too high, or unsigned."""

import json
from typing import Any

from tests.contexts.lockers.resale_makers import make_resale
from tests.contexts.payments.examples import NOTICE
from tests.contexts.payments.makers import SECRET, make_payment, make_stripe
from tests.contexts.storage.makers import make_order, make_tariff
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

from haulier.adapters.payments.stripe_signature import signature_of
from haulier.simulation.carriers.faults import FaultKind

LEASE_TAKERS = ("customer", "customer2")


async def scene(app: App) -> dict[str, Any]:
    """Create payments in each state, paid orders, and spent credit."""
    stripe = await make_stripe(app)
    await make_tariff(app)
    paid = (await make_payment(app)).payment_id
    stripe.play("pay")
    await stripe.deliver()
    done = await make_order(app)
    await app.answer("customer", "pay_storage_order", {"storage_order_id": done.id}, confirmed=True)
    back = {"payment_id": paid, "amount_minor": 1, "reference": "kept", "reason": "-"}
    await app.answer("admin", "refund_payment", back)
    resale = await make_resale(app)
    boxes = [{"purpose": "locker_lease", "subject_id": (await resale.reserve(1, who=who)).id} for who in LEASE_TAKERS]
    link = (await app.answer("admin", "create_payment_link", boxes[0])).link
    await resale.step("cancel_locker_lease", boxes[0]["subject_id"])
    hidden = {"customer_id": app.ids["customer2"], "hidden": ["storage_services"]}
    await app.answer("admin", "set_price_visibility", hidden)
    stripe.fail(FaultKind.ERROR, "payment_intents", times=3)
    waiting = (await make_payment(app)).payment_id
    at = app.clock()
    return {
        "paid": paid,
        "waiting": waiting,
        "done": done.id,
        "over": boxes[0],
        "hidden": boxes[1],
        "link": link,
        "unseen": (await make_order(app, "customer2")).id,
        "key": stripe.path.rpartition("/")[2],
        "signature": signature_of(SECRET, json.dumps({"id": "evt_1"}).encode(), at),
    }


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    paid, waiting = {"payment_id": ids["paid"]}, {"payment_id": ids["waiting"]}
    order = {"purpose": "storage_order", "subject_id": ids["done"]}
    back = {**paid, "reason": "Late"}
    there = {"endpoint_key": ids["key"]}
    unreadable = {**there, "": json.dumps({"id": "evt_1"})}
    return {
        ("create_payment", "PAYMENT_NOT_DUE"): ("customer", order),
        ("create_payment", "PRICE_HIDDEN_SETTLE_OFFLINE"): ("customer2", {**order, "subject_id": ids["unseen"]}),
        ("create_payment_link", "NOT_FOUND"): ("customer2", ids["over"]),
        ("create_payment_link", "PAYMENT_NOT_DUE"): ("admin", ids["over"]),
        ("create_payment_link", "PRICE_HIDDEN_SETTLE_OFFLINE"): ("admin", ids["hidden"]),
        ("get_payment_link", "PAYMENT_LINK_INVALID"): (None, {"link": "hlpay_nothing"}),
        ("start_linked_payment", "PAYMENT_LINK_INVALID"): (None, {"link": "hlpay_nothing"}),
        ("start_linked_payment", "PAYMENT_NOT_DUE"): (None, {"link": ids["link"]}),
        ("get_payment_secret", "PAYMENT_NOT_READY"): ("customer", waiting),
        ("get_payment_secret", "PAYMENT_STEP_REFUSED"): ("customer", paid),
        ("cancel_payment", "PAYMENT_STEP_REFUSED"): ("customer", paid),
        ("refund_payment", "PAYMENT_STEP_REFUSED"): ("admin", {**waiting, "reference": "r", "reason": "Late"}),
        ("refund_payment", "PAYMENT_REFUND_TOO_MUCH"): ("admin", {**back, "reference": "r", "amount_minor": 10**6}),
        ("refund_payment", "CREDIT_INSUFFICIENT"): ("admin", {**back, "reference": "all"}),
        ("refund_payment", "LEDGER_KEY_REUSED"): ("admin", {**back, "reference": "kept", "amount_minor": 2}),
        ("receive_payment_event", "PAYMENT_SIGNATURE_WRONG"): (None, {**there, "": NOTICE}),
        ("receive_payment_event", "PAYMENT_EVENT_UNREADABLE"): (
            None,
            unreadable,
            {"stripe-signature": ids["signature"]},
        ),
    }
