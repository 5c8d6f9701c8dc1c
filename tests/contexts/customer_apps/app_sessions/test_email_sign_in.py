"""App sign-in with email address and password."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select
from tests.contexts.customer_apps.customer_app import CLIENT_APP, DEVICE, PATH, code_of, offer_customer_app
from tests.contexts.customer_apps.registration.steps import SECRET
from tests.contexts.identity.sessions.steps import CountingHasher
from tests.support.app import App

from haulier.contexts.customer_apps.app_sessions.store import sessions
from haulier.contexts.identity.accounts import actions
from haulier.kernel.pipeline.audit import audit_entries

BODY = {**CLIENT_APP, **DEVICE}


async def test_a_sign_in_returns_a_session_in_the_documented_format(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    answered = await app.rest(None, "POST", f"{PATH}/auth/email", {**DEVICE, **cleo, "app_version": "1.0.0"})
    body = answered.json()
    assert answered.status_code == 200
    assert list(body) == [
        "result",
        "access_token",
        "token_type",
        "expires_at",
        "expires_timestamp",
        "user",
        "app_context",
    ]
    ends = app.clock.now + timedelta(days=14)
    assert (body["result"], body["token_type"]) == (True, "Bearer")
    assert body["expires_timestamp"] == int(ends.timestamp())
    assert body["expires_at"] == "2026-06-24 10:00:00"  # Toronto, where the business is
    assert body["user"] == {"id": body["user"]["id"], "name": "Cleo", "email": "cleo@demo.example"}
    assert body["app_context"] == {
        "app_code": "customer-app",
        "client_code": "demo",
        "client_name": "Demo",
        "configuration_version": 1,
    }
    app.tokens["cleo"] = body["access_token"]
    assert (await app.answer("cleo", "who_am_i")).user.id == body["user"]["id"]


async def test_a_wrong_password_is_refused_and_counted(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    wrong = {**BODY, **cleo, "password": "wrong"}
    tries = [await app.call(None, "sign_in_to_app_with_email", wrong) for _ in range(20)]
    assert code_of(tries[0]) == (401, "INVALID_CREDENTIALS")
    assert code_of(tries[-1]) == (429, "RATE_LIMITED")
    assert code_of(await app.call(None, "sign_in_to_app_with_email", {**BODY, **cleo})) == (429, "RATE_LIMITED")
    assert code_of(await app.call(None, "login", cleo)) == (429, "RATE_LIMITED")


async def test_every_refusal_takes_the_same_work(
    app: App, cleo: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The response time reveals nothing about the existence or state of an account."""
    await offer_customer_app(app)
    dan = {"name": "Dan", "email": "dan@demo.example", "account": "driver", "password": SECRET}
    rita = {**dan, "email": "rita@rival.example", "account": "customer"}
    gone = {**dan, "email": "gone@demo.example", "account": "customer"}
    for who, user in (("admin", dan), ("rival", rita)):
        await app.answer(who, "create_user", user)
    await app.answer("admin", "disable_user", {"user_id": (await app.answer("admin", "create_user", gone)).user.id})
    work = set[tuple[int, int]]()
    for email in (cleo["email"], dan["email"], rita["email"], gone["email"], "nobody@demo.example"):
        hasher = CountingHasher(actions._hasher)
        with monkeypatch.context() as patched:
            patched.setattr(actions, "_hasher", hasher)
            before = app.statements
            refused = await app.call(
                None, "sign_in_to_app_with_email", {**CLIENT_APP, **DEVICE, "email": email, "password": "no"}
            )
            assert code_of(refused) == (401, "INVALID_CREDENTIALS")
            work.add((hasher.verified, app.statements - before))
    assert len(work) == 1
    assert {verified for verified, _ in work} == {1}, work


async def test_an_app_accepts_only_its_own_kind_of_account(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    driver = {"name": "Dee", "email": "dee@demo.example", "account": "driver", "password": cleo["password"]}
    await app.answer("admin", "create_user", driver)
    result = await app.call(None, "sign_in_to_app_with_email", {**BODY, **cleo, "email": "dee@demo.example"})
    assert code_of(result) == (403, "APP_ROLE_NOT_ALLOWED")


async def test_an_app_accepts_only_users_of_its_client(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    await app.answer("rival", "update_app_settings", {"appCode": "customer-app", "enabled": True})
    result = await app.call(None, "sign_in_to_app_with_email", {**BODY, **cleo, "clientCode": "rival"})
    assert code_of(result) == (403, "APP_CLIENT_NOT_ALLOWED")
    async with app.database.read(None) as work:
        assert await work.without_tenant_filter("a test looks").all(select(sessions)) == []


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"enabled": False}, "APP_UNAVAILABLE"),
        ({"methods": ["idp"]}, "SIGN_IN_METHOD_OFF"),
        ({"version_policies": [{"platform": "ios", "minimum": "2.0.0"}]}, "APP_UPDATE_REQUIRED"),
    ],
)
async def test_no_password_is_checked_when_the_sign_in_method_is_disabled(
    app: App, cleo: dict[str, str], settings: dict[str, Any], code: str
) -> None:
    await offer_customer_app(app, **settings)
    body = {**BODY, **cleo, "app_version": "1.0.0"}
    assert code_of(await app.call(None, "sign_in_to_app_with_email", body)) == (403, code)
    assert code_of(await app.call(None, "sign_in_to_app_with_email", {**body, "password": "wrong"})) == (403, code)


@pytest.mark.parametrize(
    "wrong",
    [
        {"device_platform": "windows"},
        {"device_platform": None},
        {"device_id": ""},
        {"device_id": "x" * 192},
        {"device_id": "a\0b"},
        {"app_version": "one"},
        {"email": "cleo"},
        {"password": None},
        {"color": "red"},
    ],
    ids=str,
)
async def test_an_invalid_request_reports_its_errors(app: App, cleo: dict[str, str], wrong: dict[str, Any]) -> None:
    await offer_customer_app(app)
    result = await app.call(None, "sign_in_to_app_with_email", {**BODY, **cleo, **wrong})
    assert code_of(result) == (422, "INVALID_REQUEST")
    assert result.error
    assert [entry["field"] for entry in result.error["errors"]] == list(wrong)


async def test_an_unknown_app_is_not_found(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    assert (await app.call(None, "sign_in_to_app_with_email", {**BODY, **cleo, "appCode": "x"})).status == 404


async def test_signing_in_again_on_a_device_ends_its_previous_session(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    first = await app.answer(None, "sign_in_to_app_with_email", {**BODY, **cleo})
    other = await app.answer(None, "sign_in_to_app_with_email", {**BODY, **cleo, "device_id": "phone-2"})
    second = await app.answer(None, "sign_in_to_app_with_email", {**BODY, **cleo})
    app.tokens |= {"first": first.access_token, "other": other.access_token, "second": second.access_token}
    assert [(await app.call(who, "who_am_i")).status for who in ("first", "other", "second")] == [401, 200, 200]
    listed = await app.answer("second", "list_sessions")
    assert [entry.device for entry in listed.sessions] == ["Parcels (ios)", "Parcels (ios)"]


async def test_the_audit_trail_names_the_user_and_contains_no_password(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    session = await app.answer(None, "sign_in_to_app_with_email", {**BODY, **cleo})
    async with app.database.read(None) as work:
        rows = [row for row in await work.all(select(audit_entries)) if row.operation == "sign_in_to_app_with_email"]
    assert [(row.user_id, row.account, row.owner_client_id) for row in rows] == [
        (session.user.id, "customer", app.clients["demo"])
    ]
    assert cleo["password"] not in str(rows)
    assert session.access_token not in str(rows)
