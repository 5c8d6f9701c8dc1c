"""The start page: setup of a new server, and no machine pages among user pages."""

import re
from collections.abc import AsyncIterator

import pytest
from tests.support import app as support
from tests.support.app import START, App, make_app
from tests.web.page_client import Checked, get_page, page_text, send_form

from haulier.contexts.identity import public as access

OWNER = {"business_name": "Wheels", "name": "Ada", "email": "ada@wheels.example", "password": "four long words here"}


@pytest.fixture
async def fresh_app(database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[App]:
    async def nobody(app: App) -> None:
        pass

    monkeypatch.setattr(support, "populate", nobody)
    async with make_app(database_url) as app:
        yield app


async def test_a_new_server_opens_its_setup_and_its_owner_gets_five_steps(fresh_app: App) -> None:
    for path in ("/", "/sign-in"):
        assert (await get_page(fresh_app, path)).headers["location"] == "/setup"
    form = await get_page(fresh_app, "/setup")
    assert (form.status_code, Checked(form.text).faults) == (200, [])
    assert 'href="/sign-in"' not in form.text, "there is no account to sign in with"
    async with fresh_app.database.write(None) as work:
        link = await access.make_setup_link(work, "http://test", START)
    refused = await send_form(fresh_app, "/setup", token="hlsetup_guessed", **OWNER)
    assert refused.status_code == 403
    assert "This code is not valid" in page_text(refused)
    weak = await send_form(fresh_app, "/setup", token=str(link), **{**OWNER, "password": "short"})
    assert 'id="password-fault"' in weak.text
    made = await send_form(fresh_app, "/setup", token=str(link), **OWNER)
    assert (made.status_code, made.headers["location"]) == (303, "/desk/set-up?step=business")
    assert "haulier_session=" in made.headers["set-cookie"]


async def test_the_setup_closes_once_there_is_an_account(app: App) -> None:
    assert (await get_page(app, "/setup")).headers["location"] == "/sign-in"
    assert (await get_page(app, "/")).status_code == 200
    late = await send_form(app, "/setup", token="hlsetup_guessed", **OWNER)
    assert late.status_code == 403


async def test_a_cross_site_form_sets_nothing_up(fresh_app: App) -> None:
    headers = {"sec-fetch-site": "cross-site"}
    sent = await fresh_app.http.post("/setup", data={"token": "x", **OWNER}, headers=headers)
    assert sent.status_code == 403
    assert "set-cookie" not in sent.headers


async def test_the_start_page_shows_no_machine_endpoints(app: App) -> None:
    page = (await get_page(app, "/")).text
    for address in ("/metrics", "/readyz"):
        assert f'href="{address}"' not in page


async def test_the_print_style_hides_menus_and_buttons(app: App) -> None:
    style = (await get_page(app, "/static/app.css")).text
    hidden = re.search(r"@media print \{\s*(.*?) \{ display: none", style)
    assert hidden is not None
    assert {".bar", ".foot", "main form", "main button"} <= set(hidden[1].split(", "))
