"""Every refusal that an operation of accounts declares, met in a real call, in each of the six languages."""

import re
from typing import Any

from tests.app import App
from tests.contexts.access.mailbox import link

from haulier.app import registry
from haulier.contexts.access import public
from haulier.contexts.access.accounts.rules.lockout import FROM_ONE_PLACE
from haulier.kernel.declarations import Feature
from haulier.kernel.languages import SUPPORTED, Catalogues

FAMILIES = {"accounts", "members", "invitations", "passwords", "sessions", "audit"}
DECLARED = {(o.name, p.code): p for o in registry() if o.context == "access" and o.family in FAMILIES for p in o.errors}
SECRET = "correct horse battery"
NOBODY = 2**40
PLACE = {"name": "A", "address": "1 Main", "city": "Toronto", "country": "CA"}
CATALOGUES = Catalogues()
Attempt = tuple[str | None, dict[str, Any]]


async def a_scene(app: App) -> dict[str, int]:
    """A business in which everything that can be refused is about to be. Returns the records by name."""
    ids = dict(app.ids)
    mia = {"name": "Mia", "email": "mia@demo.example", "account": "driver"}
    invitation = (await app.answer("admin", "invite_user", mia)).invitation
    token = await link(app, mia["email"])
    await app.answer(None, "accept_invitation", {"token": token, "password": SECRET})
    for _ in range(FROM_ONE_PLACE.free + 1):
        await app.call(None, "login", {"email": "resting@x.example", "password": "no"})
    code = {"customer_id": ids["customer"], "customer_code": "C-1"}
    await app.answer("admin", "update_customer_settings", code)
    await app.answer("admin", "create_order", {"consignee": PLACE})
    ended = await app.answer("employee", "issue_api_token", {"name": "ended"})
    await app.answer("employee", "revoke_api_token", {"token_id": ended.id})
    mighty = await app.answer("employee", "issue_api_token", {"name": "mighty", "profile": "full"})
    weak = await app.answer("employee", "issue_api_token", {"name": "weak", "scopes": ["account:write"]})
    app.tokens["weak"] = weak.access_token
    app.tokens["mia"] = (await app.answer(None, "login", {"email": mia["email"], "password": SECRET})).access_token
    async with app.database.write(None) as work:
        await public.set_feature_revoked(work, app.clients["demo"], Feature.SMS_MARKETING, revoked=True)
    return ids | {"invitation": invitation.id, "ended": ended.id, "mighty": mighty.id}


def missing() -> dict[tuple[str, str], Attempt]:
    """Records that are not there."""
    user, customer, invitation = {"user_id": NOBODY}, {"customer_id": NOBODY}, {"invitation_id": NOBODY}
    token = {"token_id": NOBODY}
    asked: dict[str, dict[str, Any]] = {
        **dict.fromkeys(("disable_user", "enable_user", "get_user", "update_user", "end_user_sessions"), user),
        **dict.fromkeys(("list_user_sessions", "get_permissions", "set_permissions"), user),
        **dict.fromkeys(("get_customer_settings", "update_customer_settings", "get_price_visibility"), customer),
        **dict.fromkeys(("resend_invitation", "withdraw_invitation"), invitation),
        **dict.fromkeys(("revoke_api_token", "rotate_api_token"), token),
        "set_user_password": {**user, "password": SECRET},
        "set_price_visibility": {**customer, "hidden": []},
        "revoke_session": {"session_id": NOBODY},
        "issue_api_token": {"name": "x", "provider_id": NOBODY},
    }
    return {(name, "NOT_FOUND"): ("admin", values) for name, values in asked.items()} | {
        ("list_api_tokens", "NOT_FOUND"): ("driver", {"user_id": 1})
    }


def attempts(ids: dict[str, int]) -> dict[tuple[str, str], Attempt]:
    """How each refusal is met: who asks for what."""
    driver, admin = {"user_id": ids["driver"]}, {"user_id": ids["admin"]}
    no_customer = {"customer_id": ids["driver"]}
    taken = {"name": "B", "email": "driver@demo.example", "account": "driver"}
    accepted = {"invitation_id": ids["invitation"]}
    guessed = {"token": "guessed"}
    return missing() | {
        ("login", "INVALID_CREDENTIALS"): (None, {"email": "nobody@x.example", "password": "no"}),
        ("login", "RATE_LIMITED"): (None, {"email": "resting@x.example", "password": "no"}),
        ("change_password", "WRONG_PASSWORD"): ("mia", {"current_password": "no", "new_password": f"{SECRET} 2"}),
        ("create_user", "EMAIL_TAKEN"): ("admin", taken),
        ("update_user", "EMAIL_TAKEN"): ("admin", {**admin, "email": taken["email"]}),
        ("update_user", "ACCOUNT_FIXED"): ("admin", {**driver, "account": "customer"}),
        ("update_user", "LAST_ADMIN"): ("admin", {**admin, "account": "employee"}),
        ("disable_user", "LAST_ADMIN"): ("admin", admin),
        ("invite_user", "EMAIL_TAKEN"): ("admin", taken),
        ("invite_user", "ADMIN_UNLIMITED"): (
            "admin",
            {"name": "B", "email": "b@demo.example", "account": "client_admin", "role": "viewer"},
        ),
        ("set_permissions", "ADMIN_UNLIMITED"): ("admin", {**admin, "role": "viewer"}),
        ("set_permissions", "SCOPES_BEYOND_ACCOUNT"): ("admin", {**driver, "scopes": ["webhooks:write"]}),
        ("get_customer_settings", "NOT_A_CUSTOMER"): ("admin", no_customer),
        ("update_customer_settings", "NOT_A_CUSTOMER"): ("admin", no_customer),
        ("get_price_visibility", "NOT_A_CUSTOMER"): ("admin", no_customer),
        ("set_price_visibility", "NOT_A_CUSTOMER"): ("admin", {**no_customer, "hidden": []}),
        ("update_customer_settings", "CUSTOMER_CODE_TAKEN"): (
            "admin",
            {"customer_id": ids["customer2"], "customer_code": "C-1"},
        ),
        ("issue_api_token", "SCOPES_EXCEEDED"): ("weak", {"name": "x", "scopes": ["orders:write"]}),
        ("issue_api_token", "UNKNOWN_PROFILE"): ("admin", {"name": "x", "profile": "root"}),
        ("issue_api_token", "NOT_A_PROVIDER"): ("admin", {"name": "x", "provider_id": ids["driver"]}),
        ("rotate_api_token", "SCOPES_EXCEEDED"): ("weak", {"token_id": ids["mighty"]}),
        ("rotate_api_token", "TOKEN_ENDED"): ("employee", {"token_id": ids["ended"]}),
        ("set_feature", "FEATURE_REVOKED"): ("admin", {"feature": "sms_marketing", "enabled": True}),
        ("update_client", "CURRENCY_FIXED"): ("admin", {"currency": "EUR"}),
        ("accept_invitation", "INVITATION_INVALID"): (None, {**guessed, "password": SECRET}),
        ("read_invitation", "INVITATION_INVALID"): (None, guessed),
        ("resend_invitation", "INVITATION_ACCEPTED"): ("admin", accepted),
        ("withdraw_invitation", "INVITATION_ACCEPTED"): ("admin", accepted),
        ("reset_password", "RESET_LINK_INVALID"): (None, {**guessed, "new_password": SECRET}),
    }


def said_as(language: str, id: str, message: str) -> bool:
    """Whether a message is the catalogue's, with something in the place of every placeholder."""
    words = CATALOGUES.words(language)[id]
    pattern = re.sub(r"\\{\w+\\}", "[^{}]+", re.escape(words if isinstance(words, str) else words.forms[-1]))
    return re.fullmatch(pattern, message) is not None


async def test_every_declared_refusal_is_met_in_every_language(app: App) -> None:
    found = attempts(await a_scene(app))
    assert found.keys() == DECLARED.keys()
    wrong: list[Any] = []
    for (operation, code), (who, values) in found.items():
        problem, heard = DECLARED[operation, code], set[str]()
        for language in SUPPORTED:
            outcome = await app.call(who, operation, values, accept_language=language)
            error = outcome.error or {}
            heard.add(error.get("message", ""))
            met = (outcome.status, error.get("code"), outcome.language) == (problem.status, code, language)
            if not met or not said_as(language, problem.id, error["message"]):
                wrong.append((operation, code, language, outcome.status, error))
        if len(heard) != len(SUPPORTED):
            wrong.append((operation, code, heard))
    assert wrong == []
