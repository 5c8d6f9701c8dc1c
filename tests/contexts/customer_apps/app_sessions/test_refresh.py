"""App sessions: refresh, end, and end on token reuse."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import select
from tests.contexts.customer_apps.customer_app import CLIENT_APP, DEVICE, PATH, code_of, offer_customer_app
from tests.support.app import App

from haulier.contexts.customer_apps.app_sessions.rules import REPLACED_TOKEN_LEEWAY
from haulier.contexts.customer_apps.app_sessions.store import sessions
from haulier.kernel.pipeline.audit import audit_entries
from haulier.kernel.pipeline.result import OperationResult

BODY = {**CLIENT_APP, **DEVICE}


async def signed_in(app: App, cleo: dict[str, str], who: str = "phone", **more: Any) -> None:
    session = await app.answer(None, "sign_in_to_app_with_email", {**BODY, **cleo, **more})
    app.tokens[who] = session.access_token


async def refreshed(app: App, who: str, new: str, **more: Any) -> OperationResult:
    outcome = await app.call(who, "refresh_app_session", {**BODY, **more})
    if outcome.answer:
        app.tokens[new] = outcome.answer.access_token
    return outcome


async def works(app: App, who: str) -> bool:
    return (await app.call(who, "who_am_i")).error is None


async def the_sessions(app: App) -> list[Any]:
    async with app.database.read(None) as work:
        return await work.without_tenant_filter("a test looks").all(select(sessions).order_by(sessions.c.id))


async def test_a_refresh_replaces_the_token(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    await signed_in(app, cleo)
    app.clock.forward(days=13)
    answered = await app.rest("phone", "POST", f"{PATH}/auth/refresh", {**DEVICE, "app_version": "1.3.0"})
    assert answered.status_code == 200, answered.text
    app.tokens["new"] = answered.json()["access_token"]
    assert answered.json()["user"]["email"] == "cleo@demo.example"
    assert (await works(app, "phone"), await works(app, "new")) == (False, True)
    session = (await the_sessions(app))[0]
    assert (session.app_version, session.refreshed_at) == ("1.3.0", app.clock.now)


async def test_a_refresh_requires_a_valid_token(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    assert code_of(await app.call(None, "refresh_app_session", BODY)) == (401, "UNAUTHENTICATED")
    app.tokens["junk"] = "hlsession_guessed"
    assert code_of(await refreshed(app, "junk", "new")) == (401, "INVALID_TOKEN")
    await signed_in(app, cleo)
    app.clock.forward(days=14)
    assert code_of(await refreshed(app, "phone", "new")) == (401, "TOKEN_EXPIRED")


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"device_id": "phone-2"}, "NOT_THIS_DEVICE"),
        ({"device_platform": "android"}, "NOT_THIS_DEVICE"),
        ({"clientCode": "rival"}, "NOT_THIS_APPS_SESSION"),
    ],
)
async def test_a_session_can_be_refreshed_only_in_its_own_app(
    app: App, cleo: dict[str, str], changed: dict[str, str], code: str
) -> None:
    await offer_customer_app(app)
    await app.answer("rival", "update_app_settings", {"appCode": "customer-app", "enabled": True})
    await signed_in(app, cleo)
    assert code_of(await refreshed(app, "phone", "new", **changed)) == (403, code)
    assert await works(app, "phone")


async def test_a_web_session_cannot_be_refreshed_as_an_app_session(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    app.tokens["web"] = (await app.answer(None, "login", cleo)).access_token
    assert code_of(await refreshed(app, "web", "new")) == (403, "NOT_THIS_APPS_SESSION")
    assert code_of(await app.call("web", "sign_out_of_app", CLIENT_APP)) == (403, "NOT_THIS_APPS_SESSION")
    assert await works(app, "web")


async def test_a_session_cannot_be_refreshed_in_a_disabled_app(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    await signed_in(app, cleo)
    old = {"platform": "ios", "minimum": "2.0.0"}
    await app.answer("admin", "update_app_settings", {"appCode": "customer-app", "version_policies": [old]})
    refused = await refreshed(app, "phone", "new", app_version="1.0.0")
    assert code_of(refused) == (403, "APP_UPDATE_REQUIRED")
    await app.answer("admin", "update_app_settings", {"appCode": "customer-app", "enabled": False})
    assert code_of(await refreshed(app, "phone", "new")) == (403, "APP_UNAVAILABLE")


async def test_of_concurrent_refreshes_exactly_one_wins(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    await signed_in(app, cleo)
    outcomes = await asyncio.gather(*(app.call("phone", "refresh_app_session", BODY) for _ in range(8)))
    won = [outcome.answer for outcome in outcomes if outcome.answer]
    assert sorted(outcome.status for outcome in outcomes) == [200] + [401] * 7
    app.tokens["new"] = won[0].access_token  # type: ignore[attr-defined]
    assert await works(app, "new")
    assert not await works(app, "phone")


async def test_replaying_a_replaced_token_ends_the_session_of_the_new_token(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    await signed_in(app, cleo)
    await signed_in(app, cleo, "tablet", device_id="tablet-1")
    await refreshed(app, "phone", "second")
    await refreshed(app, "second", "third")
    app.clock.now += REPLACED_TOKEN_LEEWAY * 2
    assert code_of(await refreshed(app, "phone", "stolen")) == (401, "INVALID_TOKEN")
    assert not await works(app, "third")
    assert await works(app, "tablet")
    phone, tablet = await the_sessions(app)
    assert (phone.end_reason, phone.ended_at, tablet.ended_at) == ("token_reused", app.clock.now, None)
    async with app.database.read(None) as work:
        told = [row for row in await work.all(select(audit_entries)) if row.door == "system"]
    assert [(row.operation, row.owner_client_id, row.user_id) for row in told] == [
        ("refresh_app_session", app.clients["demo"], phone.user_id)
    ]
    assert told[0].request == {"session_id": phone.id, "reason": "token_reused"}


async def test_a_concurrent_repeat_by_the_same_app_keeps_the_session(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    await signed_in(app, cleo)
    await refreshed(app, "phone", "new")
    app.clock.now += REPLACED_TOKEN_LEEWAY
    assert code_of(await refreshed(app, "phone", "again")) == (401, "INVALID_TOKEN")
    assert await works(app, "new")


async def test_a_replaced_token_used_only_as_a_bearer_ends_nothing(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    await signed_in(app, cleo)
    await refreshed(app, "phone", "new")
    app.clock.forward(hours=1)
    assert not await works(app, "phone")
    assert await works(app, "new")


async def test_signing_out_ends_only_this_session(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    await signed_in(app, cleo)
    await signed_in(app, cleo, "tablet", device_id="tablet-1")
    answered = await app.rest("phone", "POST", f"{PATH}/auth/logout")
    assert (answered.status_code, answered.json()["result"]) == (200, True)
    assert answered.json()["message"]
    assert (await works(app, "phone"), await works(app, "tablet")) == (False, True)
    assert [row.end_reason for row in await the_sessions(app)] == ["signed_out", None]
    assert (await app.rest("phone", "POST", f"{PATH}/auth/logout")).status_code == 401
    assert (await app.rest(None, "POST", f"{PATH}/auth/logout")).status_code == 401


async def test_users_can_sign_out_of_a_disabled_app(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    await signed_in(app, cleo)
    await app.answer("admin", "update_app_settings", {"appCode": "customer-app", "enabled": False})
    assert (await app.call("phone", "sign_out_of_app", {**CLIENT_APP, "appCode": "nowhere"})).status == 404
    assert (await app.call("phone", "sign_out_of_app", CLIENT_APP)).error is None
    assert not await works(app, "phone")


async def test_a_session_ended_from_the_session_list_cannot_be_refreshed(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    await signed_in(app, cleo)
    await signed_in(app, cleo, "tablet", device_id="tablet-1")
    listed = (await app.answer("tablet", "list_sessions")).sessions
    await app.answer(
        "tablet", "revoke_session", {"session_id": next(entry.id for entry in listed if not entry.current)}
    )
    assert code_of(await refreshed(app, "phone", "new")) == (401, "INVALID_TOKEN")
    assert await works(app, "tablet")


async def test_a_dry_run_of_a_refresh_replaces_no_token(app: App, cleo: dict[str, str]) -> None:
    await offer_customer_app(app)
    await signed_in(app, cleo)
    assert (await app.call("phone", "refresh_app_session", BODY, dry_run=True)).error is None
    assert await works(app, "phone")
