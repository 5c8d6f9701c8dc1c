"""Errors of accounts, members, invitations, passwords and SMS."""

from typing import Any

from tests.contexts.identity.mailbox import link_token
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

from haulier.contexts.identity import public
from haulier.contexts.identity.accounts.rules import PER_NETWORK
from haulier.contexts.identity.saved_views.rules import VIEWS_MAX
from haulier.contexts.identity.server_setup.store import insert_setup_code
from haulier.kernel.operations.enums import Feature
from haulier.kernel.values.ids import hash_token

SECRET = "correct horse battery"
SETUP_CODE = "hlsetup_of_before"
NOBODY = 2**40
PLACE = {"name": "A", "address": "1 Main", "city": "Toronto", "country": "CA"}


async def scene(app: App) -> dict[str, Any]:
    """Create records for every refusal of access operations, and return them by name."""
    ids = dict(app.ids)
    mia = {"name": "Mia", "email": "mia@demo.example", "account": "driver"}
    invitation = (await app.answer("admin", "invite_user", mia)).invitation
    await app.answer("admin", "invite_user", {**mia, "email": "late@demo.example"})
    token = await link_token(app, mia["email"])
    await app.answer(None, "accept_invitation", {"token": token, "password": SECRET})
    for _ in range(PER_NETWORK.free + 1):
        await app.call(None, "login", {"email": "resting@x.example", "password": "no"}, address="127.0.0.1")
    code = {"customer_id": ids["customer"], "customer_code": "C-1"}
    await app.answer("admin", "update_customer_settings", code)
    await app.answer("admin", "create_order", {"consignee": PLACE})
    ended = await app.answer("employee", "issue_api_token", {"name": "ended"})
    await app.answer("employee", "revoke_api_token", {"token_id": ended.id})
    mighty = await app.answer("employee", "issue_api_token", {"name": "mighty", "profile": "full"})
    weak = await app.answer("employee", "issue_api_token", {"name": "weak", "scopes": ["account:write"]})
    app.tokens["weak"] = weak.access_token
    within = await app.answer("admin", "issue_api_token", {"name": "weak admin", "scopes": ["account:write"]})
    ids |= await _views(app)
    app.tokens["weak admin"] = within.access_token
    fleet = {"name": "weak fleet", "scopes": ["account:write", "drivers:write"]}
    app.tokens["weak fleet"] = (await app.answer("admin", "issue_api_token", fleet)).access_token
    async with app.database.write(None) as work:
        await insert_setup_code(work, hash_token(SETUP_CODE), app.clock.now)
    ids["walker"] = (await app.answer("admin", "create_driver", {"name": "Walker"})).driver.id
    waiting = (await app.answer("admin", "invite_user", {**mia, "name": "Max", "email": "max@demo.example"})).invitation
    former = {"name": "Finn", "email": "finn@demo.example", "account": "driver"}
    former_id = (await app.answer("admin", "create_user", former)).user.id
    resting = {"name": "Finn", "user_id": former_id}
    ids["resting"] = (await app.answer("admin", "create_driver", resting)).driver.id
    await app.answer("admin", "disable_user", {"user_id": former_id})
    riding = {"name": "Ride", "user_id": ids["driver2"]}
    ids["riding"] = (await app.answer("admin", "create_driver", riding)).driver.id
    await app.answer("admin", "set_permissions", {"user_id": ids["driver2"], "scopes": ["orders:read"]})
    app.tokens["mia"] = (await app.answer(None, "login", {"email": mia["email"], "password": SECRET})).access_token
    async with app.database.write(None) as work:
        await public.set_feature_revoked(work, app.clients["demo"], Feature.SMS_MARKETING, revoked=True)
    ids |= {"waiting": waiting.id, "former": former_id}
    return ids | {"invitation": invitation.id, "ended": ended.id, "mighty": mighty.id}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    return {
        **_of_users(ids),
        **_of_rights(ids),
        **_of_customers(ids),
        **_of_tokens(ids),
        **_of_links(ids),
        **_of_views(ids),
    }


async def _views(app: App) -> dict[str, Any]:
    """Create a shared view of another user, and as many views as a user may have."""
    shared = {"noun": "orders", "name": "Late", "for_everybody": True}
    views = {"shared_view": (await app.answer("admin", "save_view", shared)).saved_view.id}
    for number in range(VIEWS_MAX):
        own = {"noun": "drivers", "name": f"View {number}"}
        views["own_view"] = (await app.answer("employee", "save_view", own)).saved_view.id
        await app.answer("employee", "save_view", {**own, "noun": "routes", "for_everybody": True})
    views["one_more"] = (await app.answer("employee", "save_view", {"noun": "routes", "name": "Mine"})).saved_view.id
    return views


def _of_views(ids: dict[str, Any]) -> Attempts:
    shared, own, more = ({"saved_view_id": ids[name]} for name in ("shared_view", "own_view", "one_more"))
    return {
        ("save_view", "SAVED_VIEW_TAKEN"): ("admin", {"noun": "orders", "name": "Late", "for_everybody": True}),
        ("save_view", "SAVED_VIEWS_FULL"): ("employee", {"noun": "drivers", "name": "One more"}),
        ("update_saved_view", "SAVED_VIEW_TAKEN"): ("employee", {**own, "name": "View 0"}),
        ("update_saved_view", "SAVED_VIEWS_FULL"): ("employee", {**more, "for_everybody": True}),
        ("update_saved_view", "SAVED_VIEW_OF_ANOTHER"): ("employee", {**shared, "name": "Mine"}),
        ("delete_saved_view", "SAVED_VIEW_OF_ANOTHER"): ("employee", shared),
    }


def _of_users(ids: dict[str, Any]) -> Attempts:
    driver, admin = {"user_id": ids["driver"]}, {"user_id": ids["admin"]}
    taken = {"name": "B", "email": "driver@demo.example", "account": "driver"}
    chief = {"name": "B", "email": "b@demo.example", "account": "client_admin", "role": "viewer"}
    return {
        ("login", "INVALID_CREDENTIALS"): (None, {"email": "nobody@x.example", "password": "no"}),
        ("login", "RATE_LIMITED"): (None, {"email": "resting@x.example", "password": "no"}),
        ("change_password", "WRONG_PASSWORD"): ("mia", {"current_password": "no", "new_password": f"{SECRET} 2"}),
        ("create_user", "EMAIL_TAKEN"): ("admin", taken),
        ("update_user", "EMAIL_TAKEN"): ("admin", {**admin, "email": taken["email"]}),
        ("update_user", "ACCOUNT_FIXED"): ("admin", {**driver, "account": "customer"}),
        ("update_user", "LAST_ADMIN"): ("admin", {**admin, "account": "employee"}),
        ("update_user", "SESSION_REQUIRED"): ("admin", {"user_id": ids["employee"], "account": "client_admin"}),
        ("disable_user", "LAST_ADMIN"): ("admin", admin),
        ("invite_user", "EMAIL_TAKEN"): ("admin", taken),
        ("invite_user", "ALREADY_INVITED"): ("admin", {**taken, "email": "late@demo.example"}),
        ("invite_driver", "ALREADY_INVITED"): ("admin", {"driver_id": ids["walker"], "email": "late@demo.example"}),
        ("invite_user", "ADMIN_UNLIMITED"): ("admin", chief),
        ("set_permissions", "ADMIN_UNLIMITED"): ("admin", {**admin, "role": "viewer"}),
        ("set_permissions", "SCOPES_BEYOND_ACCOUNT"): ("admin", {**driver, "scopes": ["webhooks:write"]}),
    }


def _of_rights(ids: dict[str, Any]) -> Attempts:
    driver = {"user_id": ids["driver"]}
    new = {"name": "New", "email": "new@demo.example", "account": "driver"}
    asked: dict[str, dict[str, Any]] = {
        "create_user": new,
        "invite_user": new,
        "resend_invitation": {"invitation_id": ids["waiting"]},
        "update_user": {**driver, "email": "other@demo.example"},
        "enable_user": {"user_id": ids["former"]},
        "set_user_password": {**driver, "password": SECRET},
        "set_permissions": {"user_id": ids["driver2"], "role": "everything"},
    }
    drivers: dict[str, dict[str, Any]] = {
        "invite_driver": {"driver_id": ids["walker"], "email": "walker@demo.example"},
        "enable_driver": {"driver_id": ids["resting"]},
        "create_driver_sign_in_link": {"driver_id": ids["riding"]},
    }
    return {
        **{(name, "SCOPES_EXCEEDED"): ("weak admin", values) for name, values in asked.items()},
        **{(name, "SCOPES_EXCEEDED"): ("weak fleet", values) for name, values in drivers.items()},
        ("set_user_password", "OWN_PASSWORD"): ("admin", {"user_id": ids["admin"], "password": SECRET}),
    }


def _of_customers(ids: dict[str, Any]) -> Attempts:
    no_customer = {"customer_id": ids["driver"]}
    taken = {"customer_id": ids["customer2"], "customer_code": "C-1"}
    own = {"provider": "twilio", "account": "AC1", "secret": "a-secret", "sender": "Demo"}
    return {
        ("get_customer_settings", "NOT_A_CUSTOMER"): ("admin", no_customer),
        ("update_customer_settings", "NOT_A_CUSTOMER"): ("admin", no_customer),
        ("get_price_visibility", "NOT_A_CUSTOMER"): ("admin", no_customer),
        ("set_price_visibility", "NOT_A_CUSTOMER"): ("admin", {**no_customer, "hidden": []}),
        ("get_customer_recipient_messages", "NOT_A_CUSTOMER"): ("admin", no_customer),
        ("set_customer_recipient_messages", "NOT_A_CUSTOMER"): ("admin", no_customer),
        ("update_customer_settings", "CUSTOMER_CODE_TAKEN"): ("admin", taken),
        ("set_feature", "FEATURE_REVOKED"): ("admin", {"feature": "sms_marketing", "enabled": True}),
        ("update_client", "CURRENCY_FIXED"): ("admin", {"currency": "EUR"}),
        ("set_sms_account", "SECRETS_NOT_KEPT"): ("admin", own),
        ("set_sms_account", "SMS_PROVIDER_NOT_OFFERED"): ("admin", {**own, "provider": "smpp"}),
        ("send_test_sms", "SMS_NOT_SET_UP"): ("admin", {"phone": "+14165550123"}),
    }


def _of_tokens(ids: dict[str, Any]) -> Attempts:
    return {
        ("list_api_tokens", "NOT_FOUND"): ("employee", {"all_users": True}),
        ("list_api_tokens", "UNKNOWN_PROFILE"): ("employee", {"profile": "root"}),
        ("issue_api_token", "NOT_FOUND"): ("admin", {"name": "x", "provider_id": NOBODY}),
        ("issue_api_token", "SCOPES_EXCEEDED"): ("weak", {"name": "x", "scopes": ["orders:write"]}),
        ("issue_api_token", "UNKNOWN_PROFILE"): ("admin", {"name": "x", "profile": "root"}),
        ("issue_api_token", "NOT_A_PROVIDER"): ("admin", {"name": "x", "provider_id": ids["driver"]}),
        ("rotate_api_token", "SCOPES_EXCEEDED"): ("weak", {"token_id": ids["mighty"]}),
        ("rotate_api_token", "TOKEN_ENDED"): ("employee", {"token_id": ids["ended"]}),
    }


def _of_links(ids: dict[str, Any]) -> Attempts:
    first = {
        "setup_code": "guessed",
        "business_name": "Wheels",
        "name": "Ada",
        "email": "a@b.example",
        "password": SECRET,
    }
    accepted, guessed = {"invitation_id": ids["invitation"]}, {"token": "guessed"}
    return {
        ("accept_invitation", "INVITATION_INVALID"): (None, {**guessed, "password": SECRET}),
        ("read_invitation", "INVITATION_INVALID"): (None, guessed),
        ("resend_invitation", "INVITATION_ACCEPTED"): ("admin", accepted),
        ("withdraw_invitation", "INVITATION_ACCEPTED"): ("admin", accepted),
        ("reset_password", "RESET_LINK_INVALID"): (None, {**guessed, "new_password": SECRET}),
        ("create_first_business", "SETUP_CODE_INVALID"): (None, first),
        ("create_first_business", "ALREADY_SET_UP"): (None, {**first, "setup_code": SETUP_CODE}),
        ("sign_in_with_link", "SIGN_IN_LINK_INVALID"): (None, guessed),
        ("create_driver_sign_in_link", "DRIVER_WITHOUT_ACCOUNT"): ("admin", {"driver_id": ids["walker"]}),
        ("create_driver_sign_in_link", "DRIVER_DISABLED"): ("admin", {"driver_id": ids["resting"]}),
    }
