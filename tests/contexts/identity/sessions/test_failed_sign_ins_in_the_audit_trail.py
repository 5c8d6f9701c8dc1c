"""Failed sign-ins in the audit trail for admins, and notices of password spraying."""

from typing import Any

from tests.contexts.identity.mailbox import received_mails
from tests.support.app import App

from haulier.contexts.identity.accounts.rules import PER_NETWORK, SPRAY_USERS
from haulier.contexts.identity.sessions.jobs import FAILED_SIGN_IN, SIGN_IN_SPRAY

WRONG = "not the right password"


async def create_user(app: App, name: str) -> str:
    email = f"{name}@demo.example"
    values = {"name": name, "email": email, "account": "employee", "password": "correct horse battery"}
    await app.answer("admin", "create_user", values)
    return email


async def fail(app: App, email: str) -> None:
    await app.call(None, "login", {"email": email, "password": WRONG})


async def entries(app: App, operation: str, who: str = "admin") -> list[Any]:
    await app.work_off()
    return (await app.answer(who, "list_audit_entries", {"operation": operation})).entries


async def test_the_first_failure_and_every_delay_are_recorded(app: App) -> None:
    email = await create_user(app, "ada")
    for _ in range(PER_NETWORK.free + 1):
        await fail(app, email)
    newest, first = await entries(app, FAILED_SIGN_IN)
    assert (first.request, newest.request) == ({"failures": 1, "pause_s": 0}, {"failures": 9, "pause_s": 30})
    assert (first.user_name, [each.kind for each in first.subjects]) == ("ada", ["user"])


async def test_a_failure_is_visible_only_to_the_users_business(app: App) -> None:
    await fail(app, await create_user(app, "ada"))
    assert len(await entries(app, FAILED_SIGN_IN)) == 1
    assert await entries(app, FAILED_SIGN_IN, "rival") == []


async def test_an_unknown_address_leaves_no_entry(app: App) -> None:
    await fail(app, "nobody@demo.example")
    assert await entries(app, FAILED_SIGN_IN) == []


async def test_admins_are_notified_once_when_sign_in_fails_for_many_users(app: App) -> None:
    emails = [await create_user(app, f"user{number}") for number in range(SPRAY_USERS + 2)]
    for email in emails:
        await fail(app, email)
    (spray,) = await entries(app, SIGN_IN_SPRAY)
    assert spray.request["users"] >= SPRAY_USERS
    notices = [mail for mail in await received_mails(app) if "Failed sign-ins" in mail.subject]
    assert {mail.to for mail in notices} == {"admin@demo.example"}
    assert f"{spray.request['users']} users" in notices[0].text
