"""The start page: what comes next on a new server, and no page for machines among those for people."""

import re

import pytest
from tests.support import app as support
from tests.support.app import App, an_app
from tests.web.page_client import get_page, page_text

COMMAND = "haulier user add you@example.com --client your-business"


async def test_a_new_server_says_how_its_first_user_is_made(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nobody(app: App) -> None:
        pass

    populate = support.populate
    monkeypatch.setattr(support, "populate", nobody)
    async with an_app(database_url) as app:
        assert COMMAND in page_text(await get_page(app, "/"))
        await populate(app)
        assert COMMAND not in page_text(await get_page(app, "/"))


async def test_it_shows_people_no_pages_for_machines(app: App) -> None:
    page = (await get_page(app, "/")).text
    for address in ("/metrics", "/readyz"):
        assert f'href="{address}"' not in page


async def test_paper_carries_no_menu_and_no_buttons(app: App) -> None:
    style = (await get_page(app, "/static/app.css")).text
    hidden = re.search(r"@media print \{\s*(.*?) \{ display: none", style)
    assert hidden is not None
    assert {".bar", ".foot", "main form", "main button"} <= set(hidden[1].split(", "))
