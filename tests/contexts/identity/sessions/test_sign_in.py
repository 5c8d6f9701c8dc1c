"""Signing in and out, over the database."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import func, select
from tests.contexts.identity.sessions.steps import CountingHasher
from tests.support.app import App, make_app
from tests.support.every_case import for_every

from haulier.contexts.identity.accounts import actions
from haulier.contexts.identity.accounts.rules import PER_EMAIL, PER_NETWORK, failure_keys
from haulier.contexts.identity.accounts.store.tables import failures, tokens
from haulier.kernel.pipeline.audit import audit_entries
from haulier.kernel.values.networks import caller_network

SECRET = "correct horse battery"


@pytest.fixture
async def ada(app: App) -> dict[str, str]:
    """An employee with a password: what she signs in with."""
    await app.answer(
        "admin", "create_user", {"name": "Ada", "email": "Ada@Demo.example", "account": "employee", "password": SECRET}
    )
    return {"email": "ada@demo.example", "password": SECRET}


async def signed_in(app: App, credentials: dict[str, str], name: str = "ada") -> None:
    app.tokens[name] = (await app.answer(None, "login", credentials)).access_token


async def test_a_sign_in_returns_a_working_bearer_token(app: App, ada: dict[str, str]) -> None:
    session = await app.answer(None, "login", ada)
    assert (session.token_type, session.user.account, session.client.code) == ("Bearer", "employee", "demo")
    assert session.expires_at == app.clock.now + timedelta(days=14)
    app.tokens["ada"] = session.access_token
    me = await app.answer("ada", "who_am_i")
    assert (me.user.name, me.client.time_zone, me.client.currency) == ("Ada", "America/Toronto", "CAD")


async def test_email_addresses_are_case_insensitive(app: App, ada: dict[str, str]) -> None:
    assert (await app.call(None, "login", {**ada, "email": " ADA@demo.Example "})).error is None


async def test_only_the_digest_of_a_token_is_stored(app: App, ada: dict[str, str]) -> None:
    session = await app.answer(None, "login", ada)
    async with app.database.read(None) as work:
        rows = await work.without_tenant_filter("a test looks at every row").all(select(tokens))
    assert all(session.access_token not in str(row) for row in rows)


@for_every(
    "wrong", [{"password": "wrong password"}, {"email": "nobody@demo.example"}, {"email": "driver@demo.example"}]
)
async def test_a_wrong_password_and_an_unknown_address_are_refused_identically(
    app: App, ada: dict[str, str], wrong: dict[str, str]
) -> None:
    result = await app.call(None, "login", {**ada, **wrong})
    assert (result.status, result.error and result.error["code"]) == (401, "INVALID_CREDENTIALS")


async def test_a_disabled_user_is_refused_like_an_unknown_one(app: App, ada: dict[str, str]) -> None:
    await signed_in(app, ada)
    me = await app.answer("ada", "who_am_i")
    await app.answer("admin", "disable_user", {"user_id": me.user.id})
    assert (await app.call("ada", "who_am_i")).status == 401
    refused = await app.call(None, "login", ada)
    assert refused.error
    assert refused.error["code"] == "INVALID_CREDENTIALS"


async def test_after_many_failures_even_the_correct_password_has_to_wait(app: App, ada: dict[str, str]) -> None:
    for _ in range(PER_NETWORK.free + 1):
        assert (await app.call(None, "login", {**ada, "password": "no"})).status == 401
    resting = await app.call(None, "login", ada)
    assert (resting.status, resting.headers["Retry-After"]) == (429, "30")
    app.clock.forward(seconds=30)
    assert (await app.call(None, "login", ada)).error is None


async def test_failures_from_other_networks_do_not_lock_out_the_owner_of_an_address(
    app: App, ada: dict[str, str]
) -> None:
    for _ in range(PER_NETWORK.free + 1):
        await app.call(None, "login", {**ada, "password": "no"}, address="192.0.2.66")
    assert (await app.call(None, "login", ada, address="192.0.2.66")).status == 429
    assert (await app.call(None, "login", ada, address="198.51.100.7")).error is None


async def test_guessing_from_very_many_networks_is_blocked(app: App, ada: dict[str, str]) -> None:
    async with app.database.write(None) as work:
        anywhere, _ = failure_keys(ada["email"], caller_network(None))
        await work.insert(failures, what_sha256=anywhere, times=PER_EMAIL.free + 1, last_at=app.clock.now)
    assert (await app.call(None, "login", ada, address="2001:db8::1")).status == 429
    app.clock.forward(seconds=30)
    assert (await app.call(None, "login", ada, address="2001:db8::1")).error is None


async def test_refusing_an_unknown_address_takes_the_same_work_as_a_known_one(
    app: App, ada: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compares work instead of time: computed hashes and statements."""
    work = []
    for email in (ada["email"], "nobody@demo.example", "driver@demo.example"):
        hasher = CountingHasher(actions._hasher)
        with monkeypatch.context() as patched:
            patched.setattr(actions, "_hasher", hasher)
            before = app.statements
            assert (await app.call(None, "login", {"email": email, "password": "wrong"})).status == 401
            work.append((hasher.verified, app.statements - before))
    assert work[0] == work[1] == work[2]
    assert work[0][0] == 1


async def test_a_successful_sign_in_resets_the_failures(app: App, ada: dict[str, str]) -> None:
    await app.call(None, "login", {**ada, "password": "no"})
    await app.answer(None, "login", ada)
    async with app.database.read(None) as work:
        assert await work.value(select(func.count()).select_from(failures)) == 0


async def test_signing_out_ends_only_this_session(app: App, ada: dict[str, str]) -> None:
    await signed_in(app, ada, "phone")
    await signed_in(app, ada, "desk")
    await app.answer("phone", "logout")
    assert (await app.call("phone", "who_am_i")).error["code"] == "INVALID_TOKEN"  # type: ignore[index]
    assert (await app.call("desk", "who_am_i")).error is None


async def test_signing_out_everywhere_ends_every_session_of_the_user_only(app: App, ada: dict[str, str]) -> None:
    await signed_in(app, ada, "phone")
    await signed_in(app, ada, "desk")
    assert (await app.answer("phone", "logout_everywhere")).revoked == 2
    assert (await app.call("desk", "who_am_i")).status == 401
    assert (await app.call("admin", "who_am_i")).error is None


async def test_a_session_expires(app: App, ada: dict[str, str]) -> None:
    await signed_in(app, ada)
    app.clock.forward(days=14)
    result = await app.call("ada", "who_am_i")
    assert (result.status, result.error and result.error["code"]) == (401, "TOKEN_EXPIRED")


async def test_sessions_are_listed_with_their_device_and_can_be_ended_individually(
    app: App, ada: dict[str, str]
) -> None:
    await signed_in(app, {**ada, "device": "phone"}, "phone")
    await signed_in(app, {**ada, "device": "desk"}, "desk")
    listed = await app.answer("desk", "list_sessions")
    assert [(entry.device, entry.current) for entry in listed.sessions] == [("desk", True), ("phone", False)]
    await app.answer("desk", "revoke_session", {"session_id": listed.sessions[1].id})
    assert (await app.call("phone", "who_am_i")).status == 401
    assert (await app.answer("desk", "list_sessions")).total == 1


@for_every("who", ["rival", "employee", "admin"])
async def test_another_users_session_is_not_found(app: App, ada: dict[str, str], who: str) -> None:
    await signed_in(app, ada)
    session = (await app.answer("ada", "list_sessions")).sessions[0]
    assert (await app.call(who, "revoke_session", {"session_id": session.id})).status == 404
    assert (await app.call("ada", "who_am_i")).error is None


async def test_a_new_password_applies_immediately_and_signs_out_other_sessions(app: App, ada: dict[str, str]) -> None:
    await signed_in(app, ada, "phone")
    await signed_in(app, ada, "desk")
    changed = {"current_password": SECRET, "new_password": "another long sentence"}
    assert (await app.answer("desk", "change_password", changed)).revoked == 1
    assert (await app.call("desk", "who_am_i")).error is None
    assert (await app.call("phone", "who_am_i")).status == 401
    assert (await app.call(None, "login", ada)).status == 401
    assert (await app.call(None, "login", {**ada, "password": "another long sentence"})).error is None


async def test_changing_a_password_requires_the_old_one_and_a_strong_new_one(app: App, ada: dict[str, str]) -> None:
    await signed_in(app, ada)
    wrong = await app.call(
        "ada", "change_password", {"current_password": "no", "new_password": "another long sentence"}
    )
    weak = await app.call("ada", "change_password", {"current_password": SECRET, "new_password": "short"})
    assert (wrong.status, weak.status) == (403, 422)
    assert weak.error
    assert weak.error["errors"][0]["field"] == "new_password"
    assert (await app.call(None, "login", ada)).error is None


async def test_the_sign_in_response_follows_the_interface_document(app: App, ada: dict[str, str]) -> None:
    answered = await app.rest(None, "POST", "/v1/user/login", ada)
    body = answered.json()
    assert (answered.status_code, body["result"], body["token_type"]) == (200, True, "Bearer")
    assert datetime.fromisoformat(body["expires_at"]) == app.clock.now + timedelta(days=14)
    app.tokens["ada"] = body["access_token"]
    assert (await app.rest("ada", "GET", "/v1/user/me")).json()["user"]["email"] == ada["email"]
    refused = await app.rest(
        None, "POST", "/v1/user/login", {**ada, "password": "no"}, headers={"Accept-Language": "fr"}
    )
    assert (refused.status_code, refused.json()["code"]) == (401, "INVALID_CREDENTIALS")
    assert refused.json()["message"] == "L’adresse e-mail ou le mot de passe est incorrect."


async def test_passwords_reach_neither_the_audit_trail_nor_an_error(app: App, ada: dict[str, str]) -> None:
    await app.answer(None, "login", ada)
    refused = await app.call(None, "login", {**ada, "pass": "x"})
    assert SECRET not in str(refused.error)
    async with app.database.read(None) as work:
        assert SECRET not in str(await work.all(select(audit_entries)))


async def test_attempts_from_one_address_are_limited(database_url: str) -> None:
    async with make_app(database_url, rate_limits=True) as app:
        tries = [
            await app.call(None, "login", {"email": f"{n}@x.example", "password": "no"}, address="::1")
            for n in range(61)
        ]
        assert {result.status for result in tries[:-1]} == {401}
        assert (tries[-1].status, (tries[-1].error or {})["code"]) == (429, "RATE_LIMITED")
        elsewhere = await app.call(None, "login", {"email": "0@x.example", "password": "no"}, address="2001:db8::1")
        assert elsewhere.status == 401


async def test_users_behind_one_address_sign_in_without_waiting(database_url: str) -> None:
    ada = {"email": "ada@demo.example", "password": SECRET}
    async with make_app(database_url, rate_limits=True) as app:
        await app.answer("admin", "create_user", {**ada, "name": "Ada", "account": "employee"})
        shared = [await app.call(None, "login", ada, address="::1") for _ in range(9)]
        failed = [
            await app.call(None, "login", {"email": f"{n}@x.example", "password": "no"}, address="::1")
            for n in range(59)
        ]
        last = await app.call(None, "login", ada, address="::1")
    assert {result.status for result in (*shared, last)} == {200}
    assert {result.status for result in failed} == {401}
