"""Errors of test mode: live callers, finished records and orders on routes."""

from typing import Any

from tests.contexts.control_tower.simulated_business.steps import open_test_mode
from tests.contexts.payments.examples import ACCOUNT
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_order, make_route

from haulier.adapters.vault import KEY_BYTES, EncryptedVault
from haulier.kernel.secrets import SecretVault


async def scene(app: App) -> dict[str, Any]:
    """Create a delivered order, one on a route and a paid payment in test mode."""
    before, live = app.application.adapters, app.tokens["admin"]
    await open_test_mode(app)
    await open_test_mode(app, "customer", "buyer")
    narrow = {"name": "narrow", "scopes": ["account:write"], "test": True}
    app.tokens["narrow"] = (await app.answer("admin", "issue_api_token", narrow)).access_token
    delivered, planned = [await make_order(app, "test") for _ in range(2)]
    await app.answer("test", "advance_test_record", {"order_id": delivered, "to": "delivered"})
    app.tokens["admin"] = app.tokens["test"]
    await make_route(app, order_ids=[planned])
    app.tokens["admin"] = live
    app.application.adapters = {**before, SecretVault: EncryptedVault(b"k" * KEY_BYTES)}
    await app.answer("test", "set_payment_account", ACCOUNT)
    payment = (await app.answer("buyer", "create_payment", {"amount_minor": 2000})).payment.payment_id
    await app.answer("test", "advance_test_record", {"payment_id": payment})
    app.application.adapters = before
    return {"test_delivered": delivered, "test_planned": planned, "test_payment": payment}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    confirmed = {"x-confirm": "true"}
    return {
        ("advance_test_record", "TEST_MODE_ONLY"): ("admin", {"order_id": 1}),
        ("advance_test_record", "NOT_FOUND"): ("test", {"order_id": 2**40}),
        ("advance_test_record", "TEST_STEP_REFUSED"): ("test", {"order_id": ids["test_delivered"]}),
        ("advance_test_record", "TEST_ORDER_ON_ROUTE"): ("test", {"order_id": ids["test_planned"]}),
        ("advance_test_record", "PAYMENT_STEP_REFUSED"): ("test", {"payment_id": ids["test_payment"]}),
        ("reset_test_data", "TEST_MODE_ONLY"): ("admin", {}, confirmed),
        ("load_sample_data", "TEST_MODE_ONLY"): ("admin", {}),
        ("load_sample_data", "SCOPES_EXCEEDED"): ("narrow", {}),
        ("load_sample_data", "SAMPLE_DATA_NEEDS_EMPTY"): ("test", {}),
        ("remove_sample_data", "TEST_MODE_ONLY"): ("admin", {}),
        ("open_test_session", "SESSION_REQUIRED"): ("admin", {}),
        ("open_test_session", "ALREADY_IN_TEST_MODE"): ("test", {}),
    }
