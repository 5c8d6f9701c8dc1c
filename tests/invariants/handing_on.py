"""Requests for every operation that grants rights, each for as much as possible."""

from typing import Any

from tests.contexts.customer_apps.customer_app import offer_customer_app
from tests.contexts.customer_apps.registration.steps import waiting
from tests.invariants.example_requests import make_request_for
from tests.support.app import PEOPLE, App

from haulier.app import registry
from haulier.contexts.identity import public

SECRET = "korrekt pferd batterie"
CALLERS = ("admin", "employee", "contractor", "driver", "customer")
"""A caller of each kind of account that people sign in with."""
KINDS = ("client_admin", "employee", "contractor", "driver", "customer", "provider")

PROVEN = {
    "login": "the person's password",
    "sign_in_to_app_with_email": "the person's password",
    "sign_in_to_app_with_idp": "the person, as their identity provider knows them",
    "refresh_app_session": "the token of the session, which it replaces",
    "complete_registration": "the telephone, by a code; the person becomes a customer of the business that offers the app",
    "change_password": "the person's password",
    "reset_password": "the person's mailbox, by the secret of a letter",
    "accept_invitation": "the person's mailbox, by the secret of a letter",
    "sign_in_with_link": "the secret of a link that somebody made who may hand out what it opens",
    "create_first_business": "the code of a server without any account, from its log; the first account is everything's owner",
    "exchange_agent_code": "the code of a consent and the secret behind its challenge",
    "refresh_agent_tokens": "the refresh token, which it replaces",
    "load_sample_data": "a test token with the rights of customers; error_scenarios/test_mode_scenes.py has a narrower one",
}
"""Operations that authenticate a caller, with the proof. Their result is independent of the caller's token."""


async def set_the_scene(app: App) -> dict[str, Any]:
    """Create a record for each operation that grants rights, and return them by name."""
    known: dict[str, Any] = dict(app.ids)
    for name in ("former", "clerk"):
        person = {"name": name, "email": f"{name}@demo.example", "account": "employee", "password": SECRET}
        known[name] = (await app.answer("admin", "create_user", person)).user.id
    await app.answer("admin", "disable_user", {"user_id": known["former"]})
    await app.answer("admin", "set_permissions", {"user_id": known["clerk"], "role": "viewer"})
    robot = {"name": "robot", "email": "robot@demo.example", "account": "provider"}
    known["robot"] = (await app.answer("admin", "create_user", robot)).user.id
    guest = {"name": "guest", "email": "guest@demo.example", "account": "client_admin"}
    known["invitation"] = (await app.answer("admin", "invite_user", guest)).invitation.id
    for who in CALLERS:
        issued = await app.answer(who, "issue_api_token", {"name": "mighty", "profile": "full"})
        known[f"token of {who}"] = issued.id
    known["applicant"] = await waiting(app, await offer_customer_app(app, requires_approval=True))
    await app.answer(
        None,
        "submit_driver_application",
        make_request_for(registry()["submit_driver_application"], {"clientCode": "demo"}),
    )
    known["driver to be"] = (await app.answer("admin", "list_driver_registrations")).registrations[0].id
    known["walker"] = (await app.answer("admin", "create_driver", {"name": "Walker"})).driver.id
    resting = {"name": "Rest", "user_id": app.ids["driver2"]}
    rider = {"name": "ride", "email": "ride@demo.example", "account": "driver"}
    riding = {"name": "Ride", "user_id": (await app.answer("admin", "create_user", rider)).user.id}
    known["riding"] = (await app.answer("admin", "create_driver", riding)).driver.id
    known["resting"] = (await app.answer("admin", "create_driver", resting)).driver.id
    await app.answer("admin", "disable_driver", {"driver_id": known["resting"]})
    known["carrier key"] = (await app.answer("admin", "issue_provider_key", {"name": "Swift"})).id
    back = "http://127.0.0.1:1/back"
    known["agent"] = (await app.answer("admin", "register_agent", {"redirect_uris": [back]})).client_id
    return known


def attacks(known: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return requests, by operation, for more than its scopes allow.

    An admin with all rights, or another caller, may send each.
    """
    new = {"name": "Evil", "email": "evil@demo.example"}
    pkce = {"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"}
    wish = {"client_id": known["agent"], "response_type": "code", "redirect_uri": "http://127.0.0.1:1/back", **pkce}
    return {
        "create_user": [{**new, "account": kind, "password": SECRET} for kind in KINDS],
        "invite_user": [{**new, "account": kind} for kind in KINDS if kind != "provider"]
        + [{**new, "account": "employee", "role": "everything"}],
        "resend_invitation": [{"invitation_id": known["invitation"]}],
        "enable_user": [{"user_id": known["former"]}],
        "set_user_password": [{"user_id": known[who], "password": SECRET} for who in ("clerk", "driver", "customer")],
        "update_user": [
            {"user_id": known["clerk"], "account": "client_admin"},
            *({"user_id": known[who], "email": new["email"]} for who in ("admin", "clerk", "driver", "customer")),
        ],
        "set_permissions": [
            {"user_id": known["clerk"], "role": "everything"},
            {"user_id": known["clerk"], "scopes": ["orders:write"]},
            {"user_id": known["clerk"]},
        ],
        "issue_api_token": [
            {"name": "x", "profile": "full", "expires_in_days": 730},
            {"name": "x", "scopes": ["orders:write"]},
            {"name": "x", "provider_id": known["robot"], "scopes": ["tracking:write"]},
            {"name": "x", "scopes": ["orders:write"], "test": True},
        ],
        "open_test_session": [{}],
        "rotate_api_token": [{"token_id": known[f"token of {who}"], "expires_in_days": 730} for who in CALLERS],
        "grant_agent_access": [{**wish, "scope": "full", "scopes": ["orders:write"]}],
        "invite_driver": [{"driver_id": known["walker"], "email": new["email"]}],
        "create_driver_sign_in_link": [{"driver_id": known["riding"]}],
        "disable_driver": [{"driver_id": known["riding"]}],
        "enable_driver": [{"driver_id": known["resting"]}],
        "issue_provider_key": [{"name": "Carrier"}],
        "confirm_provider_key": [{"provider_id": known["carrier key"]}],
        "approve_app_registration": [{"registration_id": known["applicant"]}],
        "approve_driver_registration": [{"registration_id": known["driver to be"]}],
        "update_webhook_settings": [
            {"endpoints": [{"url": "https://evil.example/hooks", "events": events}]}
            for events in (["*"], ["order.created"], ["user.created"])
        ],
        "withdraw_invitation": [{"invitation_id": known["invitation"]}],
        "disable_user": [{"user_id": known["clerk"]}],
    }


async def give_weak_token(app: App, operation: str, who: str) -> None:
    """Give the caller `weak` a token for one day with only the scopes of an operation."""
    account = PEOPLE[who][1]
    scopes = registry()[operation].scopes
    words: dict[str, Any] = {"client_id": app.clients["demo"], "user_id": app.ids[who], "account": account}
    async with app.database.write(None) as work:
        app.tokens["weak"] = await public.issue_token(work, now=app.clock.now, scopes=scopes, days=1, **words)
