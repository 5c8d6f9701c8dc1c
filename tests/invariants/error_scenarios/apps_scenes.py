"""Errors of apps, their sessions, and registration by phone."""

from typing import Any

from tests.contexts.customer_apps.customer_app import CLIENT_APP, DEVICE, Phones, offer_customer_app, publish_app
from tests.contexts.customer_apps.openid_provider import OpenIdProvider
from tests.contexts.customer_apps.registration.steps import NIA, SECRET, completion_body, prove_phone, request_code
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

from haulier.contexts.customer_apps.apps.store import apps
from haulier.contexts.customer_apps.registration.operations import TAKEN_EMAIL_BACKOFF
from haulier.contexts.identity.accounts.rules import PER_NETWORK
from haulier.contexts.messaging.ports import SmsSender
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

ELSEWHERE, QUIET, LOST = (
    {**CLIENT_APP, "clientCode": "rival"},
    {**CLIENT_APP, "appCode": "quiet"},
    {**CLIENT_APP, "appCode": "lost"},
)
MOVED = {**CLIENT_APP, "appCode": "moved"}
OLD = {**CLIENT_APP, "app_version": "1.0.0"}
AWAY = "http://127.0.0.1:1"
NUMBERS = [f"(416) 555-01{n}" for n in range(10, 40)]


async def scene(app: App, provider: OpenIdProvider) -> dict[str, Any]:
    """Create apps with all and no features, one without its provider, and applicants."""
    policy = [{"platform": "ios", "minimum": "2.0.0"}]
    await offer_customer_app(app, issuer=provider.issuer, version_policies=policy)
    for code, methods, issuer in (("quiet", [], ""), ("lost", ["idp", "registration"], AWAY), ("moved", ["email"], "")):
        await publish_app(app, code=code, issuer=issuer)
        settings = {"appCode": code, "enabled": True, "methods": methods, "default_phone_region": "CA"}
        await app.answer("admin", "update_app_settings", settings)
    weak = await app.answer("admin", "issue_api_token", {"name": "weak", "scopes": ["account:write"]})
    app.tokens["weak"] = weak.access_token
    phones: Any = app.application.adapter(SmsSender)
    await _people(app)
    found = await _registrations(app, phones, provider) | await _challenges(app)
    for _ in range(PER_NETWORK.free + 1):
        await app.call(None, "login", {"email": "resting@x.example", "password": "no"}, address="127.0.0.1")
    return {**found, "provider": provider, "now": app.clock.now}


async def _people(app: App) -> None:
    for who, account, admin in (
        ("cleo", "customer", "admin"),
        ("dan", "driver", "admin"),
        ("rita", "customer", "rival"),
    ):
        client = "demo" if admin == "admin" else "rival"
        body = {"name": who.title(), "email": f"{who}@{client}.example", "account": account, "password": SECRET}
        await app.answer(admin, "create_user", body)
    cleo = {"email": "cleo@demo.example", "password": SECRET}
    for who, at in (("phone", CLIENT_APP), ("moved", MOVED)):
        app.tokens[who] = (await app.answer(None, "sign_in_to_app_with_email", {**at, **DEVICE, **cleo})).access_token
    async with app.database.write(None) as work:
        await work.run(apps.update().where(apps.c.code == MOVED["appCode"]).values(roles=["driver"]))


async def _challenges(app: App) -> dict[str, Any]:
    open_ones = {language: await request_code(app, NUMBERS[n]) for n, language in enumerate(SUPPORTED_LANGUAGES)}
    guessed_at = await request_code(app, NUMBERS[7])
    for _ in range(5):
        body = {**CLIENT_APP, "challenge_id": guessed_at.challenge_id, "code": "x"}
        await app.call(None, "verify_phone", body)
    await request_code(app, NUMBERS[8])
    ids = {language: each.challenge_id for language, each in open_ones.items()}
    return {"open": ids, "guessed": guessed_at.challenge_id, "asked": NUMBERS[8]}


async def _registrations(app: App, phones: Phones, provider: OpenIdProvider) -> dict[str, Any]:
    """Create a completed registration, and pending ones with conflicting identities."""
    await app.answer(None, "complete_registration", completion_body(await prove_phone(app, phones, NUMBERS[9])))
    token = provider.token(app.clock.now, sub="known", email="customer@demo.example")
    await app.answer(None, "sign_in_to_app_with_idp", {**CLIENT_APP, **DEVICE, "id_token": token})
    await app.answer("admin", "update_app_settings", {"appCode": "customer-app", "requires_approval": True})
    twin = {"password": None, "id_token": provider.token(app.clock.now, sub="twin", email="t@x.example")}
    waiting: dict[str, int] = {}
    for name, number, changed in (
        ("decided", 10, {}),
        ("taken", 11, {}),
        ("first", 12, twin),
        ("second", 13, twin),
        ("phone", 10, {}),
    ):
        app.clock.forward(minutes=2)
        code = await prove_phone(app, phones, NUMBERS[number])
        await app.answer(None, "complete_registration", completion_body(code, email=f"{name}@x.example", **changed))
        waiting[name] = (await app.answer("admin", "list_app_registrations")).registrations[0].id
    for name in ("decided", "first"):
        await app.answer("admin", "approve_app_registration", {"registration_id": waiting[name]})
    taken = {"name": "T", "email": "taken@x.example", "account": "customer"}
    await app.answer("admin", "create_user", taken)
    app.clock.forward(minutes=2)
    again = await prove_phone(app, phones, NUMBERS[9])
    fresh = await prove_phone(app, phones, NUMBERS[14])
    lost = await _proved_at(app, phones, LOST, NUMBERS[15])
    tired = await prove_phone(app, phones, NUMBERS[16])
    for _ in range(TAKEN_EMAIL_BACKOFF.free + 1):
        await app.call(None, "complete_registration", completion_body(tired, email="driver@demo.example"))
    return {"waiting": waiting, "again": again, "fresh": fresh, "lost": lost, "tired": tired}


async def _proved_at(app: App, phones: Phones, at: dict[str, Any], number: str) -> str:
    challenge = await app.answer(None, "request_phone_code", {**at, "phone": number})
    await app.work_off()
    body = {**at, "challenge_id": challenge.challenge_id, "code": phones.code}
    return (await app.answer(None, "verify_phone", body)).registration_token


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    return {
        **_of_email(ids),
        **_of_idp(ids),
        **_of_sessions(ids),
        **_of_phones(ids),
        **_of_completion(ids),
        **_of_office(ids),
    }


def _of_email(ids: dict[str, Any]) -> Attempts:
    cleo = {**DEVICE, "email": "cleo@demo.example", "password": SECRET}
    name = "sign_in_to_app_with_email"
    return {
        ("app_bootstrap", "APP_UNAVAILABLE"): (None, ELSEWHERE),
        (name, "APP_UNAVAILABLE"): (None, {**cleo, **ELSEWHERE}),
        (name, "SIGN_IN_METHOD_OFF"): (None, {**cleo, **QUIET}),
        (name, "APP_UPDATE_REQUIRED"): (None, {**cleo, **OLD}),
        (name, "APP_ROLE_NOT_ALLOWED"): (None, {**cleo, **CLIENT_APP, "email": "dan@demo.example"}),
        (name, "APP_CLIENT_NOT_ALLOWED"): (None, {**cleo, **CLIENT_APP, "email": "rita@rival.example"}),
        (name, "INVALID_CREDENTIALS"): (None, {**cleo, **CLIENT_APP, "password": "no"}),
        (name, "RATE_LIMITED"): (None, {**cleo, **CLIENT_APP, "email": "resting@x.example"}),
    }


def _of_idp(ids: dict[str, Any]) -> Attempts:
    name = "sign_in_to_app_with_idp"

    def told(**claims: Any) -> dict[str, Any]:
        token = ids["provider"].token(ids["now"], **claims) if ids.get("provider") else "x"
        return {**CLIENT_APP, **DEVICE, "id_token": token}

    return {
        (name, "APP_UNAVAILABLE"): (None, {**told(), **ELSEWHERE}),
        (name, "SIGN_IN_METHOD_OFF"): (None, {**told(), **QUIET}),
        (name, "APP_UPDATE_REQUIRED"): (None, {**told(), **OLD}),
        (name, "APP_ROLE_NOT_ALLOWED"): (None, told(sub="d", email="driver@demo.example")),
        (name, "APP_CLIENT_NOT_ALLOWED"): (None, told(sub="r", email="rival_customer@rival.example")),
        (name, "IDENTITY_REFUSED"): (None, {**told(), "id_token": "a.b.c"}),
        (name, "REGISTRATION_REQUIRED"): (None, told(sub="s", email="stranger@x.example")),
        (name, "IDENTITY_CONFLICT"): (None, told(sub="another", email="customer@demo.example")),
        (name, "IDENTITY_PROVIDER_UNAVAILABLE"): (None, {**told(iss=AWAY), **LOST}),
    }


def _of_sessions(ids: dict[str, Any]) -> Attempts:
    name, here = "refresh_app_session", {**CLIENT_APP, **DEVICE}
    return {
        (name, "APP_UNAVAILABLE"): ("phone", {**here, **ELSEWHERE}),
        (name, "APP_UPDATE_REQUIRED"): ("phone", {**here, **OLD}),
        (name, "APP_ROLE_NOT_ALLOWED"): ("moved", {**here, **MOVED}),
        (name, "NOT_THIS_DEVICE"): ("phone", {**here, "device_id": "another"}),
        (name, "NOT_THIS_APPS_SESSION"): ("customer", here),
        ("sign_out_of_app", "NOT_THIS_APPS_SESSION"): ("customer", CLIENT_APP),
    }


def _of_phones(ids: dict[str, Any]) -> Attempts:
    number = {"phone": NUMBERS[20]}
    guess = {"challenge_id": "none", "code": "000000"}
    open_ones: dict[str, str] = ids.get("open") or {}
    return {
        ("request_phone_code", "APP_UNAVAILABLE"): (None, {**number, **ELSEWHERE}),
        ("request_phone_code", "SIGN_IN_METHOD_OFF"): (None, {**number, **QUIET}),
        ("request_phone_code", "RATE_LIMITED"): (None, {**CLIENT_APP, "phone": ids["asked"]}),
        ("verify_phone", "APP_UNAVAILABLE"): (None, {**guess, **ELSEWHERE}),
        ("verify_phone", "SIGN_IN_METHOD_OFF"): (None, {**guess, **QUIET}),
        ("verify_phone", "CODE_EXPIRED"): (None, {**guess, **CLIENT_APP}),
        ("verify_phone", "RATE_LIMITED"): (None, {**guess, **CLIENT_APP, "challenge_id": ids["guessed"]}),
        ("verify_phone", "CODE_WRONG"): (None, lambda to: {**guess, **CLIENT_APP, "challenge_id": open_ones[to]}),
    }


def _of_completion(ids: dict[str, Any]) -> Attempts:
    name = "complete_registration"
    here = completion_body(ids["fresh"], email="zoe@x.example")
    known = ids["provider"].token(ids["now"], sub="known") if ids.get("provider") else "x"
    away = ids["provider"].token(ids["now"], iss=AWAY) if ids.get("provider") else "x"
    by_idp = {**here, "password": None}
    return {
        (name, "APP_UNAVAILABLE"): (None, {**here, **ELSEWHERE}),
        (name, "SIGN_IN_METHOD_OFF"): (None, {**here, **QUIET}),
        (name, "APP_UPDATE_REQUIRED"): (None, {**here, **OLD}),
        (name, "REGISTRATION_EXPIRED"): (None, {**here, "registration_token": "guessed"}),
        (name, "PHONE_TAKEN"): (None, {**here, "registration_token": ids["again"]}),
        (name, "EMAIL_TAKEN"): (None, {**here, "email": NIA["email"]}),
        (name, "RATE_LIMITED"): (None, {**here, "registration_token": ids["tired"]}),
        (name, "IDENTITY_REFUSED"): (None, {**by_idp, "id_token": "a.b.c"}),
        (name, "IDENTITY_CONFLICT"): (None, {**by_idp, "id_token": known}),
        (name, "IDENTITY_PROVIDER_UNAVAILABLE"): (
            None,
            {**by_idp, **LOST, "id_token": away, "registration_token": ids["lost"]},
        ),
    }


def _of_office(ids: dict[str, Any]) -> Attempts:
    waiting: dict[str, int] = ids.get("waiting") or {}
    these = {name: {"registration_id": waiting.get(name, 1)} for name in ("decided", "taken", "second", "phone")}
    name = "approve_app_registration"
    return {
        (name, "REGISTRATION_DECIDED"): ("admin", these["decided"]),
        ("reject_app_registration", "REGISTRATION_DECIDED"): ("admin", these["decided"]),
        (name, "EMAIL_TAKEN"): ("admin", these["taken"]),
        (name, "IDENTITY_CONFLICT"): ("admin", these["second"]),
        (name, "PHONE_TAKEN"): ("admin", these["phone"]),
        (name, "SCOPES_EXCEEDED"): ("weak", these["second"]),
    }
