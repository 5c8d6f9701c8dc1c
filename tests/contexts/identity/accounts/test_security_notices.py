"""Users are emailed about sign-ins by a new method."""

from typing import Any

import pytest
from tests.contexts.customer_apps.customer_app import CLIENT_APP, DEVICE, offer_customer_app
from tests.contexts.customer_apps.openid_provider import run_openid_provider
from tests.contexts.identity.mailbox import link_token, received_mails
from tests.support.app import App

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

ADA = "ada@demo.example"
OLD, NEW = "correct horse battery", "another long sentence"
AT_TEN = "June 10, 2026, 10:00:00\u202fAM EDT"


@pytest.fixture
async def ada(app: App) -> int:
    body = {"name": "Ada", "email": ADA, "account": "employee", "password": OLD}
    return (await app.answer("admin", "create_user", body)).user.id


async def signed_in(app: App, password: str = OLD) -> None:
    app.tokens["ada"] = (await app.answer(None, "login", {"email": ADA, "password": password})).access_token


async def change(app: App, old: str, new: str, **words: Any) -> Any:
    return await app.call("ada", "change_password", {"current_password": old, "new_password": new}, **words)


async def test_a_password_change_notifies_its_owner(app: App, ada: int) -> None:
    await signed_in(app)
    assert (await change(app, OLD, NEW)).error is None
    (mail,) = await received_mails(app)
    assert (mail.to, mail.subject) == (ADA, "Your password at Demo was changed")
    assert f"was changed on {AT_TEN}" in mail.text, "in the time zone of the business"
    assert all(secret not in mail.text for secret in (OLD, NEW, "http"))


async def test_an_unchanged_password_sends_no_notice(app: App, ada: int) -> None:
    await signed_in(app)
    assert (await change(app, "wrong", NEW)).status == 403
    assert (await change(app, OLD, "short")).status == 422
    assert (await change(app, OLD, NEW, dry_run=True)).error is None
    assert await received_mails(app) == []


async def test_a_password_set_by_a_link_notifies_its_owner(app: App, ada: int) -> None:
    await app.answer(None, "request_password_reset", {"email": ADA})
    await app.answer(None, "reset_password", {"token": await link_token(app, ADA), "new_password": NEW})
    assert [mail.subject for mail in await received_mails(app, ADA)][1:] == ["Your password at Demo was changed"]


async def test_a_password_set_by_an_admin_notifies_its_owner(app: App, ada: int) -> None:
    await app.answer("admin", "set_user_password", {"user_id": ada, "password": NEW})
    (mail,) = await received_mails(app)
    assert (mail.to, mail.subject) == (ADA, "Demo set a new password for you")
    assert NEW not in mail.text


async def test_an_address_change_notifies_both_the_old_and_the_new_address(app: App, ada: int) -> None:
    await app.answer("admin", "update_user", {"user_id": ada, "email": "ada.new@demo.example", "name": "Ada L"})
    told = await received_mails(app)
    assert sorted(mail.to for mail in told) == ["ada.new@demo.example", ADA], (
        "in any order: letters are sent side by side"
    )
    assert all("your sign-in email at Demo is ada.new@demo.example" in mail.text for mail in told)
    await app.answer("admin", "update_user", {"user_id": ada, "email": "ada.new@demo.example", "name": "Ada"})
    assert len(await received_mails(app)) == 2, "nothing changed"


async def test_a_new_identity_is_announced_once_to_the_existing_address(app: App) -> None:
    with run_openid_provider() as provider:
        await offer_customer_app(app, issuer=provider.issuer)
        for _ in range(2):
            token = provider.token(app.clock.now)
            await app.answer(None, "sign_in_to_app_with_idp", {**CLIENT_APP, **DEVICE, "id_token": token})
    (mail,) = await received_mails(app)
    assert (mail.to, mail.subject) == ("customer@demo.example", "New sign-in method for Demo")
    assert "with 127.0.0.1" in mail.text


async def test_the_email_uses_the_language_and_time_zone_of_its_reader(app: App, ada: int) -> None:
    await signed_in(app)
    seen, passwords = [], [OLD, *(f"{NEW} {language}" for language in SUPPORTED_LANGUAGES)]
    for n, language in enumerate(SUPPORTED_LANGUAGES):
        await app.answer("ada", "update_me", {"language": language, "time_zone": "Asia/Tokyo"})
        assert (await change(app, passwords[n], passwords[n + 1])).error is None
        seen.append((await received_mails(app, ADA))[-1])
    assert len({mail.subject for mail in seen}) == len({mail.text for mail in seen}) == len(SUPPORTED_LANGUAGES)
    assert all("{" not in mail.subject + mail.text for mail in seen)
    assert all("23:00" in mail.text or "11:00" in mail.text for mail in seen)
