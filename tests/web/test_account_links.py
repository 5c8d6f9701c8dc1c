"""Pages of links in emails: precise errors, and no code in an address."""

from typing import Any

from tests.contexts.fleet.driver_sign_in.steps import make_driver_with_account, make_sign_in_link
from tests.contexts.identity.mailbox import link_token, received_mails
from tests.support.app import App
from tests.support.every_case import for_every
from tests.web.page_client import get_page, page_errors, page_notices, page_text, send_form

MIA = "mia@demo.example"
SECRET = "a long sentence of mine"
EMPLOYEE = "employee@demo.example"


async def invited(app: App) -> str:
    """The code of an invitation's link."""
    await app.answer("admin", "invite_user", {"name": "Mia", "email": MIA, "account": "customer"})
    return await link_token(app, MIA)


async def lost(app: App) -> str:
    """The code of the link for a lost password."""
    await app.answer(None, "request_password_reset", {"email": EMPLOYEE})
    return await link_token(app, EMPLOYEE)


async def invitation(app: App, step: str, token: str, **fields: str) -> Any:
    return await send_form(app, "/invitation", step=step, token=token, **fields)


async def reset(app: App, token: str, password: str) -> Any:
    return await send_form(app, "/reset-password", token=token, new_password=password)


class TestInvitation:
    async def test_the_email_links_to_our_own_page(self, app: App) -> None:
        await invited(app)
        assert "http://test/invitation#" in (await received_mails(app, MIA))[-1].text
        assert "Open the link in your email" in page_text(await get_page(app, "/invitation"))

    async def test_the_page_first_shows_inviter_and_business(self, app: App) -> None:
        page = await invitation(app, "look", await invited(app))
        assert "Welcome to Demo" in page_text(page)
        assert MIA in page_text(page)
        assert 'value="Mia"' in page.text

    async def test_the_user_sets_a_password_and_can_sign_in(self, app: App) -> None:
        token = await invited(app)
        page = await invitation(app, "accept", token, name="Mia Wu", password=SECRET)
        assert page_notices(page) == ["Welcome! You can sign in now."]
        assert f'value="{MIA}"' in page.text
        signed = await send_form(app, "/sign-in", email=MIA, password=SECRET)
        assert signed.status_code == 303
        assert (await invitation(app, "look", token)).status_code == 410

    async def test_the_page_language_becomes_the_email_language(self, app: App) -> None:
        token = await invited(app)
        asked = {"step": "accept", "token": token, "name": "Mia", "password": SECRET}
        await app.http.post("/invitation?lang=fr", data=asked)
        app.tokens["mia"] = (await app.answer(None, "login", {"email": MIA, "password": SECRET})).access_token
        assert (await app.answer("mia", "who_am_i")).language == "fr"

    async def test_a_weak_password_is_reported_by_field_and_the_name_is_kept(self, app: App) -> None:
        page = await invitation(app, "accept", await invited(app), name="Mia Wu", password="short")
        assert page.status_code == 422
        assert page_errors(page) == {
            "password": app.application.catalogues.translate("en", "password_too_short", least=10)
        }
        assert 'value="Mia Wu"' in page.text
        assert 'value="short"' not in page.text

    async def test_the_whole_link_can_be_pasted(self, app: App) -> None:
        page = await invitation(app, "look", f" http://test/invitation#{await invited(app)} ")
        assert "Welcome to Demo" in page_text(page)

    @for_every("language", ["en", "fr", "de", "es", "zh-Hans", "zh-Hant"])
    async def test_an_invalid_link_is_reported_in_the_readers_language(self, app: App, language: str) -> None:
        asked = {"step": "look", "token": "hlinvitation_none"}
        page = await app.http.post("/invitation", data=asked, headers={"Accept-Language": language})
        assert page.status_code == 410
        expected = app.application.catalogues.translate(language, "invitation_invalid")
        assert page_notices(page) == [" ".join(expected.split())]


class TestPasswordReset:
    async def test_an_unknown_address_gets_the_same_response(self, app: App) -> None:
        pages = [
            await send_form(app, "/forgotten-password", email=email) for email in (EMPLOYEE, "nobody@demo.example")
        ]
        assert (
            page_notices(pages[0])
            == page_notices(pages[1])
            == [app.application.catalogues.translate("en", "reset_requested")]
        )
        assert len(await received_mails(app)) == 1

    async def test_an_invalid_address_is_reported_by_field(self, app: App) -> None:
        page = await send_form(app, "/forgotten-password", email=" ")
        assert (page.status_code, page_errors(page).keys()) == (422, {"email"})

    async def test_the_link_sets_a_new_password_once(self, app: App) -> None:
        token = await lost(app)
        assert "http://test/reset-password#" in (await received_mails(app, EMPLOYEE))[-1].text
        page = await reset(app, token, SECRET)
        assert page_notices(page) == [app.application.catalogues.translate("en", "password_reset")]
        assert (await send_form(app, "/sign-in", email=EMPLOYEE, password=SECRET)).status_code == 303
        again = await reset(app, token, SECRET)
        assert (again.status_code, page_notices(again)) == (
            410,
            [app.application.catalogues.translate("en", "reset_link_invalid")],
        )
        assert 'href="/forgotten-password"' in again.text

    async def test_a_weak_password_is_reported_by_field_and_the_code_is_kept(self, app: App) -> None:
        token = await lost(app)
        page = await reset(app, token, EMPLOYEE)
        assert page.status_code == 422
        assert page_errors(page).keys() == {"new_password"}
        assert f'value="{token}"' in page.text
        assert (await reset(app, token, SECRET)).status_code == 200

    async def test_an_empty_form_reports_every_field(self, app: App) -> None:
        assert page_errors(await reset(app, "", "")).keys() == {"token", "new_password"}


class TestSignInLink:
    async def test_the_link_signs_a_driver_in_once_and_opens_their_app(self, app: App) -> None:
        made = await make_sign_in_link(app)
        assert "Your dispatcher created this link" in page_text(await get_page(app, "/sign-in-link"))
        page = await send_form(app, "/sign-in-link", token=made.url)
        assert (page.status_code, page.headers["location"]) == (303, "/go")
        app.http.cookies.clear()
        again = await send_form(app, "/sign-in-link", token=made.token)
        assert (again.status_code, page_notices(again)) == (
            410,
            [app.application.catalogues.translate("en", "sign_in_link_invalid")],
        )

    async def test_a_cross_site_form_signs_no_one_in(self, app: App) -> None:
        made = await make_sign_in_link(app)
        page = await app.http.post(
            "/sign-in-link", data={"token": made.token}, headers={"sec-fetch-site": "cross-site"}
        )
        assert (page.status_code, "set-cookie" in page.headers) == (403, False)
        assert (await send_form(app, "/sign-in-link", token=made.token)).status_code == 303

    async def test_the_desk_shows_the_link_as_a_qr_code_and_lists_it_on_the_driver(self, app: App) -> None:
        driver_id = await make_driver_with_account(app)
        assert (
            f"/desk/act/create_driver_sign_in_link?driver_id={driver_id}"
            in (await get_page(app, f"/desk/drivers/{driver_id}", "employee")).text
        )
        act = "/desk/act/create_driver_sign_in_link"
        shown = await send_form(app, act, "employee", step="do", driver_id=str(driver_id))
        assert 'src="data:image/svg+xml;base64,' in shown.text
        assert "http://test/sign-in-link#hlsignin_" in page_text(shown)
        assert "Waiting" in page_text(
            await get_page(app, f"/desk/driver-sign-in-links?driver_id={driver_id}", "employee")
        )


@for_every("path", ["/invitation", "/reset-password", "/forgotten-password"])
async def test_a_cross_site_form_only_opens_the_page(app: App, path: str) -> None:
    asked = {"step": "accept", "token": "x", "password": SECRET, "new_password": SECRET, "email": EMPLOYEE}
    page = await app.http.post(path, data=asked, headers={"sec-fetch-site": "cross-site"})
    assert page.status_code == 200
    assert page_notices(page) == []
    assert await received_mails(app) == []


@for_every("path", ["/invitation", "/reset-password", "/sign-in-link"])
async def test_a_code_in_the_query_is_ignored(app: App, path: str) -> None:
    """Queries stand in logs and histories."""
    page = await get_page(app, f"{path}?token=hlinvitation_secret")
    assert 'value="hlinvitation_secret"' not in page.text
