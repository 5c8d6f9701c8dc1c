"""Errors of online payments without an encryption key, or when disabled."""

from typing import Any

from tests.contexts.lockers.resale_makers import make_resale
from tests.contexts.lockers.shop.makers import make_shop
from tests.contexts.payments.examples import ACCOUNT
from tests.contexts.payments.makers import make_payment, make_stripe
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

from haulier.adapters.vault import NoVault
from haulier.kernel.secrets import SecretVault


async def scene(app: App) -> dict[str, Any]:
    """Create an open payment, then disable the account and remove the key."""
    await make_stripe(app)
    opened = (await make_payment(app)).payment_id
    guest = await (await make_shop(app)).reserve_as_guest()
    bill = {"purpose": "locker_lease", "subject_id": (await (await make_resale(app)).reserve()).id}
    link = (await app.answer("admin", "create_payment_link", bill)).link
    await app.answer("admin", "set_payment_account", {"active": False})
    adapters: Any = app.application.adapters
    adapters[SecretVault] = NoVault()
    return {"open": opened, "link": guest.link, "bill": bill, "bill_link": link}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    return {
        ("set_payment_account", "PAYMENT_SECRETS_NOT_KEPT"): ("admin", ACCOUNT),
        ("test_payment_account", "ONLINE_PAYMENT_OFF"): ("rival", {}),
        ("create_payment", "ONLINE_PAYMENT_OFF"): ("customer", {"amount_minor": 100}),
        ("create_payment_link", "ONLINE_PAYMENT_OFF"): ("admin", ids["bill"]),
        ("start_linked_payment", "ONLINE_PAYMENT_OFF"): (None, {"link": ids["bill_link"]}),
        ("start_linked_shop_payment", "ONLINE_PAYMENT_OFF"): (None, {"link": ids["link"]}),
        ("get_payment_secret", "ONLINE_PAYMENT_OFF"): ("customer", {"payment_id": ids["open"]}),
    }
