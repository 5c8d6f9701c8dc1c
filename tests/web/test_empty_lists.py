"""Empty lists say what the list is for; filtered ones offer to clear the filters."""

import re

import pytest
from tests.support.app import App
from tests.web.page_client import Checked, get_page, page_text

from haulier.app import registry
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.kernel.operations.resources import resources_of

CATALOGUES = Catalogues()
SHARED = {f"empty_list.{name}" for name in ("title", "yet", "unmatched", "unmatched_text", "on_day", "clear")}


def empty_states(language: str) -> dict[str, str]:
    words = CATALOGUES.words(language).items()
    return {id: str(text) for id, text in words if id.startswith("empty_list.") and id not in SHARED}


def empty_part(html: str) -> str:
    """Return the text of the empty state of a page."""
    return page_text_of(html[html.index('<div class="empty">') :].split("</div>")[0])


def page_text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
def test_every_list_of_the_desk_has_an_empty_state(language: str) -> None:
    lists = {noun.listing.name for noun in resources_of(registry())}
    expected = {f"empty_list.{name}.{part}" for name in lists for part in ("none", "text")}
    assert sorted(expected ^ empty_states(language).keys()) == [], "these belong in locales/*/empty_lists.po"


async def test_an_empty_list_explains_itself_and_offers_its_action(app: App) -> None:
    page = await get_page(app, "/desk/skills", "admin")
    assert Checked(page.text).faults == []
    assert empty_part(page.text) == (
        "No skills yet Skills match orders with the drivers who can deliver them, such as a crane license. Create skill"
    )
    assert 'href="/desk/act/create_skill"' in page.text


async def test_a_list_of_other_events_does_not_say_yet(app: App) -> None:
    page = await get_page(app, "/desk/exceptions", "admin")
    assert empty_part(page.text) == ("No orders that need attention Failed, held and late orders appear here.")


async def test_a_filtered_list_offers_to_clear_its_filters(app: App) -> None:
    page = await get_page(app, "/desk/orders?status=HOLD&page=2", "admin")
    assert empty_part(page.text) == (
        "No orders match these filters Remove or change a filter to see more. Clear filters"
    )
    german = await get_page(app, "/desk/orders?status=HOLD&lang=de", "admin")
    assert "Mit diesen Filtern gibt es keine Aufträge" in page_text(german)


async def test_a_day_without_records_is_named(app: App) -> None:
    page = await get_page(app, "/desk/routes?day=2026-12-01", "admin")
    assert empty_part(page.text).startswith("No routes for Tue, Dec 1")


async def test_the_parent_of_a_list_is_not_a_filter(app: App) -> None:
    number = (await app.answer("admin", "create_warehouse", {"code": "W1", "name": "One"})).warehouse.id
    page = await get_page(app, f"/desk/locations?warehouse_id={number}", "admin")
    assert "No locations yet" in page_text(page)
    filtered = await get_page(app, f"/desk/locations?warehouse_id={number}&search=none", "admin")
    assert f'href="/desk/locations?warehouse_id={number}">Clear filters' in filtered.text


async def test_a_filter_without_a_choice_shows_any(app: App) -> None:
    page = await get_page(app, "/desk/orders", "admin")
    assert '<option value="">Any</option>' in page.text
