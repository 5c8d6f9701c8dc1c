"""Page sign-in: a protected cookie, and the return to the requested page."""

from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.app import PASSWORD, App
from tests.support.every_case import for_every
from tests.web.page_client import get_page, page_errors, page_notices, page_text, send_form, session_cookie

from haulier.web.session import csrf_token_of, local_path

EMAIL = "employee@demo.example"
RIGHT = {"email": EMAIL, "password": PASSWORD}


@pytest.fixture(autouse=True)
async def passwords(app: App) -> None:
    asked = {"user_id": app.ids["employee"], "password": PASSWORD}
    await app.answer("admin", "set_user_password", asked)


async def sign_in(app: App, **fields: str) -> Any:
    return await send_form(app, "/sign-in", **{**RIGHT, **fields})


class TestSigningIn:
    async def test_anonymous_users_are_redirected_to_the_form_and_back(self, app: App) -> None:
        response = await get_page(app, "/mcp-approvals?status=rejected")
        assert (response.status_code, response.headers["location"]) == (
            303,
            "/sign-in?next=/mcp-approvals%3Fstatus%3Drejected",
        )
        form = await get_page(app, response.headers["location"])
        assert 'name="next" value="/mcp-approvals?status=rejected"' in form.text
        done = await sign_in(app, next="/mcp-approvals?status=rejected")
        assert (done.status_code, done.headers["location"]) == (303, "/mcp-approvals?status=rejected")

    async def test_the_cookie_is_limited_to_this_host_and_hidden_from_scripts(self, app: App) -> None:
        given = (await sign_in(app)).headers["set-cookie"]
        assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(given.split("; "))
        assert "Domain" not in given

    async def test_signing_in_creates_an_ordinary_revocable_session(self, app: App) -> None:
        token = (await sign_in(app)).headers["set-cookie"].split(";")[0].partition("=")[2]
        app.tokens["browser"] = token
        assert "Employee" in page_text(await get_page(app, "/mcp-approvals", "browser"))
        await app.answer("browser", "logout")
        assert (await get_page(app, "/mcp-approvals", "browser")).status_code == 303

    async def test_signed_in_users_are_redirected_immediately(self, app: App) -> None:
        response = await get_page(app, "/sign-in?next=/api/docs", "employee")
        assert (response.status_code, response.headers["location"]) == (303, "/api/docs")

    async def test_users_are_not_redirected_to_a_page_closed_to_them(self, app: App) -> None:
        for who, home in (
            ("employee", "/desk"),
            ("contractor", "/desk"),
            ("driver", "/go"),
            ("customer", "/desk"),
        ):
            await app.answer("admin", "set_user_password", {"user_id": app.ids[who], "password": PASSWORD})
            for response in (await sign_in(app, email=f"{who}@demo.example"), await get_page(app, "/sign-in", who)):
                assert (response.status_code, response.headers["location"]) == (303, home)
            assert (await get_page(app, home, who)).status_code == 200

    async def test_other_interfaces_ignore_the_cookie(self, app: App) -> None:
        for path in ("/api/v1/user/me", "/api/v1/approvals"):
            answer = await app.http.get(path, headers={"cookie": session_cookie(app, "employee")})
            assert answer.status_code == 401


async def test_over_https_the_cookie_is_host_only(app: App) -> None:
    app.application.base_url = "https://haulier.example"
    given = (await sign_in(app)).headers["set-cookie"]
    assert given.startswith("__Host-haulier_session=")
    assert "Secure" in given.split("; ")


class TestRefusals:
    @for_every("language", ["en", "fr", "de", "es", "zh-Hans", "zh-Hant"])
    async def test_a_wrong_password_is_reported_in_the_readers_language(self, app: App, language: str) -> None:
        app.http.cookies.clear()
        asked = {**RIGHT, "password": "wrong"}
        response = await app.http.post("/sign-in", data=asked, headers={"Accept-Language": language})
        expected = app.application.catalogues.translate(language, "invalid_credentials")
        assert (response.status_code, page_notices(response)) == (401, [expected])
        assert f'value="{EMAIL}"' in response.text
        assert 'value="wrong"' not in response.text
        assert "set-cookie" not in response.headers

    async def test_an_empty_field_is_reported_at_its_input(self, app: App) -> None:
        response = await sign_in(app, email=" ", password="")
        assert response.status_code == 422
        assert page_errors(response).keys() == {"email", "password"}
        assert 'aria-describedby="email-fault' in response.text

    async def test_a_cross_site_form_signs_no_one_in(self, app: App) -> None:
        for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}):
            response = await app.http.post("/sign-in", data=RIGHT, headers=headers)
            assert response.status_code == 403
            assert "set-cookie" not in response.headers

    async def test_an_oversized_form_is_not_read(self, app: App) -> None:
        response = await app.http.post("/sign-in", data={"email": "x" * 100_000, "password": "x"})
        assert response.status_code == 413


class TestSigningOut:
    async def test_signing_out_ends_the_token_and_deletes_the_cookie(self, app: App) -> None:
        response = await send_form(app, "/sign-out", "employee")
        assert (response.status_code, response.headers["location"]) == (303, "/sign-in?lang=en")
        assert 'haulier_session=""' in response.headers["set-cookie"]
        assert (await app.call("employee", "who_am_i")).status == 401

    @for_every("mark", ["", "x", csrf_token_of("hlsession_other")])
    async def test_a_form_without_a_csrf_token_ends_nothing(self, app: App, mark: str) -> None:
        assert (await send_form(app, "/sign-out", "employee", csrf=mark)).status_code == 403
        assert (await app.call("employee", "who_am_i")).status == 200

    async def test_anonymous_users_can_sign_out(self, app: App) -> None:
        assert (await send_form(app, "/sign-out")).status_code == 303


class TestRedirects:
    @for_every(
        "elsewhere",
        [
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "/\t/evil.example",
            "",
            "x",
        ],
    )
    async def test_redirects_stay_on_this_server(self, app: App, elsewhere: str) -> None:
        assert local_path(elsewhere) is None
        response = await sign_in(app, next=elsewhere)
        assert response.headers["location"] == "/desk"


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("/\\.:@a?#% \t\n"), max_size=12))
def test_a_local_path_stays_on_this_host(path: str) -> None:
    if (found := local_path(path)) is not None:
        joined = urlsplit(urljoin("https://haulier.example/sign-in", found))
        assert (joined.scheme, joined.netloc) == ("https", "haulier.example")
        assert not found.startswith(("//", "/\\"))


async def test_the_chosen_language_is_remembered(app: App) -> None:
    response = await get_page(app, "/sign-in?lang=de")
    assert "Anmeldung" in page_text(response)
    assert response.headers["set-cookie"].startswith("haulier_language=de")
    later = await get_page(app, "/sign-in", headers={"cookie": "haulier_language=de", "Accept-Language": "fr"})
    assert '<html lang="de" dir="ltr">' in later.text


async def test_sign_in_pages_cannot_be_embedded_by_other_sites(app: App) -> None:
    for path in ("/", "/sign-in", "/track", "/api/docs", "/invitation", "/reset-password", "/forgotten-password"):
        headers = (await get_page(app, path)).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "'unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
