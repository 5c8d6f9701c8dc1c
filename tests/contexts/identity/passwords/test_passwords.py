"""Password resets: recipients and effect of links, without revealing accounts."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import select
from tests.contexts.identity.mailbox import link_token, received_mails
from tests.contexts.identity.passwords.steps import ADA, NEW, OLD, ask, reset
from tests.support.app import App

from haulier.contexts.identity.accounts.rules import PER_NETWORK
from haulier.contexts.identity.accounts.store.tables import tokens, users
from haulier.contexts.identity.passwords.store import resets
from haulier.kernel.background.job_table import job_table


def code(result: Any) -> tuple[int, str]:
    return result.status, result.error["code"]


@pytest.fixture
async def ada(app: App) -> str:
    body = {"name": "Ada", "email": ADA, "account": "employee", "password": OLD}
    await app.answer("admin", "create_user", body)
    return ADA


async def signed_in(app: App, name: str, password: str = OLD) -> None:
    app.tokens[name] = (await app.answer(None, "login", {"email": ADA, "password": password})).access_token


async def test_a_password_can_be_reset_by_an_emailed_link(app: App, ada: str) -> None:
    await ask(app, " ADA@Demo.example")
    assert (await reset(app, await link_token(app, ada))).error is None
    assert (await app.call(None, "login", {"email": ADA, "password": OLD})).status == 401
    await signed_in(app, "ada", NEW)


async def test_response_and_work_are_the_same_for_an_unknown_address(app: App, ada: str) -> None:
    answers, statements = [], []
    for email in (ADA, "nobody@demo.example", "driver@demo.example"):
        before = app.statements
        result = await ask(app, email)
        answers.append((result.status, result.answer, result.headers))
        statements.append(app.statements - before)
    assert answers[0] == answers[1] == answers[2]
    assert len(set(statements)) == 1


async def test_only_users_allowed_to_sign_in_get_an_email(app: App, ada: str) -> None:
    gone = {"name": "Gone", "email": "gone@demo.example", "account": "driver", "password": OLD}
    id = (await app.answer("admin", "create_user", gone)).user.id
    await app.answer("admin", "disable_user", {"user_id": id})
    robot = {"name": "Robot", "email": "robot@demo.example", "account": "provider"}
    await app.answer("admin", "create_user", robot)
    for email in ("gone@demo.example", "robot@demo.example", "nobody@demo.example", ADA):
        await ask(app, email)
    assert [mail.to for mail in await received_mails(app)] == [ADA]


async def test_a_password_change_ends_every_session_and_keeps_api_tokens(app: App, ada: str) -> None:
    await signed_in(app, "phone")
    await signed_in(app, "desk")
    issued = await app.answer("desk", "issue_api_token", {"name": "program"})
    app.tokens["program"] = issued.access_token
    await ask(app, ada)
    await reset(app, await link_token(app, ada))
    assert [(await app.call(entry, "who_am_i")).status for entry in ("phone", "desk", "program")] == [401, 401, 200]


async def test_a_link_works_once_even_for_two_concurrent_requests(app: App, ada: str) -> None:
    await ask(app, ada)
    token = await link_token(app, ada)
    results = await asyncio.gather(*(reset(app, token, f"{NEW} {n}") for n in range(3)))
    assert sorted(result.status for result in results) == [200, 410, 410]
    assert code(await reset(app, token)) == (410, "RESET_LINK_INVALID")


async def test_a_link_expires_after_half_an_hour(app: App, ada: str) -> None:
    await ask(app, ada)
    token = await link_token(app, ada)
    app.clock.forward(minutes=30)
    assert code(await reset(app, token)) == (410, "RESET_LINK_INVALID")


async def test_using_one_link_invalidates_the_others(app: App, ada: str) -> None:
    await ask(app, ada)
    first = await link_token(app, ada)
    await ask(app, ada)
    second = await link_token(app, ada)
    assert first != second
    assert (await reset(app, first)).error is None
    assert code(await reset(app, second)) == (410, "RESET_LINK_INVALID")


async def test_a_weak_password_does_not_use_up_the_link(app: App, ada: str) -> None:
    await ask(app, ada)
    token = await link_token(app, ada)
    weak = await reset(app, token, "ada@demo.example")
    assert (weak.status, weak.error["errors"][0]["field"]) == (422, "new_password")
    assert (await reset(app, token)).error is None


async def test_a_link_of_a_disabled_user_is_refused(app: App, ada: str) -> None:
    await ask(app, ada)
    token = await link_token(app, ada)
    found = (await app.answer("admin", "list_users", {"search": ADA})).users[0]
    await app.answer("admin", "disable_user", {"user_id": found.id})
    assert code(await reset(app, token)) == (410, "RESET_LINK_INVALID")


async def test_a_link_ends_when_the_users_address_changes(app: App, ada: str) -> None:
    await ask(app, ada)
    token = await link_token(app, ada)
    found = (await app.answer("admin", "list_users", {"search": ADA})).users[0]
    await app.answer("admin", "update_user", {"user_id": found.id, "email": "ada.new@demo.example"})
    assert code(await reset(app, token)) == (410, "RESET_LINK_INVALID")


async def test_a_reset_lifts_the_sign_in_delay(app: App, ada: str) -> None:
    for _ in range(PER_NETWORK.free + 1):
        await app.call(None, "login", {"email": ADA, "password": "no"})
    assert (await app.call(None, "login", {"email": ADA, "password": OLD})).status == 429
    await ask(app, ada)
    await reset(app, await link_token(app, ada))
    await signed_in(app, "ada", NEW)


async def test_the_email_uses_the_readers_language(app: App, ada: str) -> None:
    await signed_in(app, "ada")
    await app.answer("ada", "update_me", {"language": "es"})
    await ask(app, ada)
    mail = (await received_mails(app, ada))[0]
    assert mail.subject == "Restablezca su contraseña de Demo"
    assert "30 minutos" in mail.text


async def test_links_and_passwords_are_stored_only_as_hashes(app: App, ada: str) -> None:
    await ask(app, ada)
    token = await link_token(app, ada)
    await reset(app, token)
    async with app.database.read(None) as plain:
        work = plain.without_tenant_filter("a test looks at every row")
        kept = [row for table in (users, tokens, resets, job_table) for row in await work.all(select(table))]
    assert len(kept) > 3
    assert all(secret not in str(row) for row in kept for secret in (token, NEW, OLD))


async def test_expired_links_are_deleted(app: App, ada: str) -> None:
    await ask(app, ada)
    await link_token(app, ada)
    app.clock.forward(days=2)
    await ask(app, ada)
    await link_token(app, ada)
    async with app.database.read(None) as plain:
        assert len(await plain.without_tenant_filter("a test looks at every row").all(select(resets))) == 1


async def test_a_password_cannot_contain_the_business_name(app: App, ada: str) -> None:
    named = "Demo-Haulier-2026"
    await signed_in(app, "ada")
    await ask(app, ada)
    lost = await link_token(app, ada)
    guest = {"name": "Guest", "email": "guest@demo.example", "account": "driver"}
    await app.answer("admin", "invite_user", guest)
    invited = await link_token(app, guest["email"])
    tried: list[tuple[str | None, str, dict[str, Any]]] = [
        ("admin", "create_user", {**guest, "email": "new@demo.example", "password": named}),
        ("admin", "set_user_password", {"user_id": app.ids["driver"], "password": named}),
        ("ada", "change_password", {"current_password": OLD, "new_password": named}),
        (None, "reset_password", {"token": lost, "new_password": named}),
        (None, "accept_invitation", {"token": invited, "password": named}),
    ]
    for who, operation, values in tried:
        refused = await app.call(who, operation, values)
        assert refused.error, operation
        assert [fault["code"] for fault in refused.error["errors"]] == ["PASSWORD_IS_NAME"], operation
