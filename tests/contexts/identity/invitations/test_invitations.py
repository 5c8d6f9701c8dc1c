"""Invitations, from the admin's click to the first sign-in."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import select
from tests.contexts.identity.invitations.steps import MIA, SECRET, accept, invited
from tests.contexts.identity.mailbox import link_token, received_mails
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.contexts.identity.invitations.store import invitations
from haulier.kernel.background.job_table import job_table


def code(result: Any) -> tuple[int, str]:
    return result.status, result.error["code"]


@for_every("operation", ["invite_user", "list_invitations", "resend_invitation", "withdraw_invitation"])
async def test_only_admins_can_invite(app: App, operation: str) -> None:
    assert code(await app.call(None, operation)) == (401, "UNAUTHENTICATED")
    assert code(await app.call("employee", operation)) == (403, "ACCOUNT_NOT_ALLOWED")


@pytest.mark.parametrize("operation", ["resend_invitation", "withdraw_invitation"])
async def test_another_clients_invitation_is_not_found(app: App, operation: str) -> None:
    mine = await invited(app)
    assert code(await app.call("rival", operation, {"invitation_id": mine.id})) == (404, "NOT_FOUND")
    assert (await app.answer("rival", "list_invitations")).total == 0


async def test_an_invited_user_sets_a_password_and_signs_in(app: App) -> None:
    invitation = await invited(app)
    assert (invitation.status, invitation.sent_at) == ("pending", None)
    token = await link_token(app, MIA)
    assert (await accept(app, token, name="Mia Wu", language="de")).error is None
    session = await app.answer(None, "login", {"email": MIA, "password": SECRET})
    app.tokens["mia"] = session.access_token
    me = await app.answer("mia", "who_am_i")
    assert (me.user.id, me.user.name, me.user.account, me.language) == (invitation.user_id, "Mia Wu", "employee", "de")
    listed = (await app.answer("admin", "list_invitations", {"status": "accepted"})).invitations
    assert [entry.id for entry in listed] == [invitation.id]


async def test_an_invited_user_cannot_sign_in_before_accepting(app: App) -> None:
    await invited(app)
    assert code(await app.call(None, "login", {"email": MIA, "password": ""}))[0] == 422
    assert code(await app.call(None, "login", {"email": MIA, "password": SECRET})) == (401, "INVALID_CREDENTIALS")


async def test_the_email_uses_the_language_of_the_invited_user_or_the_business(app: App) -> None:
    await app.answer("admin", "update_client", {"language": "fr", "name": "Express\nNord"})
    await invited(app)
    await invited(app, email="ben@demo.example", language="zh-Hant")
    assert (await received_mails(app, MIA))[0].subject == "Express Nord vous invite sur Haulier"
    assert (await received_mails(app, "ben@demo.example"))[0].subject.endswith("邀請您加入 Haulier")


async def test_the_accept_page_names_inviter_and_business(app: App) -> None:
    await invited(app)
    mail = await app.answer(None, "read_invitation", {"token": await link_token(app, MIA)})
    assert (mail.client_name, mail.name, mail.email, mail.account) == ("Demo", "Mia", MIA, "employee")
    assert code(await app.call(None, "read_invitation", {"token": "guessed"})) == (410, "INVITATION_INVALID")


async def test_a_link_works_once_even_for_two_concurrent_requests(app: App) -> None:
    await invited(app)
    token = await link_token(app, MIA)
    results = await asyncio.gather(*(accept(app, token, password=f"{SECRET} {n}") for n in range(3)))
    assert sorted(result.status for result in results) == [200, 410, 410]
    assert code(await accept(app, token)) == (410, "INVITATION_INVALID")


async def test_a_link_expires_after_seven_days_and_can_be_sent_again(app: App) -> None:
    invitation = await invited(app)
    token = await link_token(app, MIA)
    app.clock.forward(days=7)
    assert code(await accept(app, token)) == (410, "INVITATION_INVALID")
    expired = (await app.answer("admin", "list_invitations", {"status": "expired"})).invitations
    assert [entry.status for entry in expired] == ["expired"]
    await app.answer("admin", "resend_invitation", {"invitation_id": invitation.id})
    assert code(await accept(app, token)) == (410, "INVITATION_INVALID")
    assert (await accept(app, await link_token(app, MIA))).error is None


async def test_a_withdrawn_invitation_is_invalid_until_it_is_sent_again(app: App) -> None:
    invitation = await invited(app)
    token = await link_token(app, MIA)
    withdrawn = await app.answer("admin", "withdraw_invitation", {"invitation_id": invitation.id})
    assert withdrawn.invitation.status == "withdrawn"
    assert code(await accept(app, token)) == (410, "INVITATION_INVALID")
    assert not (await app.answer("admin", "get_user", {"user_id": invitation.user_id})).user.active
    await app.answer("admin", "resend_invitation", {"invitation_id": invitation.id})
    assert (await accept(app, await link_token(app, MIA))).error is None


async def test_an_invitation_withdrawn_before_delivery_is_not_sent(app: App) -> None:
    invitation = await invited(app)
    await app.answer("admin", "withdraw_invitation", {"invitation_id": invitation.id})
    assert await received_mails(app, MIA) == []


@pytest.mark.parametrize("operation", ["resend_invitation", "withdraw_invitation"])
async def test_an_accepted_invitation_cannot_be_changed(app: App, operation: str) -> None:
    invitation = await invited(app)
    await accept(app, await link_token(app, MIA))
    result = await app.call("admin", operation, {"invitation_id": invitation.id})
    assert code(result) == (409, "INVITATION_ACCEPTED")


async def test_an_invited_user_who_was_disabled_cannot_accept(app: App) -> None:
    invitation = await invited(app)
    token = await link_token(app, MIA)
    await app.answer("admin", "disable_user", {"user_id": invitation.user_id})
    assert code(await accept(app, token)) == (410, "INVITATION_INVALID")


async def test_a_link_sent_to_a_wrong_address_ends_when_the_address_is_corrected(app: App) -> None:
    invitation = await invited(app, email="mai@demo.example")
    token = await link_token(app, "mai@demo.example")
    await app.answer("admin", "update_user", {"user_id": invitation.user_id, "email": MIA})
    assert code(await accept(app, token)) == (410, "INVITATION_INVALID")
    await app.answer("admin", "resend_invitation", {"invitation_id": invitation.id})
    assert (await accept(app, await link_token(app, MIA))).error is None


async def test_an_invitation_can_include_a_role_except_for_an_admin(app: App) -> None:
    invitation = await invited(app, role="viewer")
    given = await app.answer("admin", "get_permissions", {"user_id": invitation.user_id})
    assert given.role == "viewer"
    body = {"name": "Bo", "email": "bo@demo.example", "account": "client_admin", "role": "viewer"}
    assert code(await app.call("admin", "invite_user", body)) == (409, "ADMIN_UNLIMITED")


async def test_an_existing_address_is_refused(app: App) -> None:
    body = {"name": "Bo", "email": "DRIVER@demo.example", "account": "driver"}
    assert code(await app.call("admin", "invite_user", body)) == (409, "EMAIL_TAKEN")


async def test_a_weak_password_does_not_use_up_the_link(app: App) -> None:
    await invited(app)
    token = await link_token(app, MIA)
    weak = await accept(app, token, password="short")
    assert (weak.status, weak.error["errors"][0]["field"]) == (422, "password")
    assert (await accept(app, token)).error is None


async def test_the_link_is_in_no_table_and_no_dry_run(app: App) -> None:
    body = {"name": "Bo", "email": "bo@demo.example", "account": "driver"}
    rehearsed = await app.call("admin", "invite_user", body, dry_run=True)
    assert [mail.args.keys() for mail in rehearsed.side_effects or () if mail.kind == "invitation.mail"] == [
        {"invitation_id"}
    ]
    await invited(app)
    token = await link_token(app, MIA)
    async with app.database.read(None) as plain:
        work = plain.without_tenant_filter("a test looks at every row")
        kept = [*await work.all(select(invitations)), *await work.all(select(job_table))]
    assert kept
    assert all(token not in str(row) for row in kept)


async def test_a_user_who_has_not_accepted_is_shown_as_invited(app: App) -> None:
    mia = {"name": "Mia", "email": "mia.again@demo.example", "account": "driver"}
    first = (await app.answer("admin", "invite_user", mia)).invitation
    second = await app.call("admin", "invite_user", {**mia, "email": "MIA.again@demo.example"})
    assert second.error
    assert (second.status, second.error["code"]) == (409, "ALREADY_INVITED")
    assert f"invitation {first.id} " in second.error["message"]


async def test_an_invitation_of_another_client_is_not_revealed(app: App) -> None:
    mia = {"name": "Mia", "email": "mia.there@demo.example", "account": "driver"}
    await app.answer("rival", "invite_user", mia)
    outcome = await app.call("admin", "invite_user", mia)
    assert outcome.error
    assert outcome.error["code"] == "EMAIL_TAKEN"
