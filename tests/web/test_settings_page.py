"""Settings with their values, message previews, and the first page of sections."""

from tests.support.app import App
from tests.web.page_client import Checked, get_page, page_text

SETTINGS = "/desk/settings"


async def test_each_setting_shows_its_value_and_links_to_its_form(app: App) -> None:
    await app.answer("admin", "update_client", {"name": "Bike Bros", "country": "DE"})
    await app.answer("admin", "set_charging_policy", {"deliveries": "on_delivery"})
    page = await get_page(app, SETTINGS, "admin")
    told = page_text(page)
    assert "Bike Bros · Germany" in told
    assert "Admins: 1" in told
    assert f'href="/desk/act/update_client?back={SETTINGS.replace("/", "%2F")}"' in page.text
    assert 'href="/desk/modules' in page.text
    assert "update_client" not in told
    assert Checked(page.text).faults == []


async def test_settings_are_for_staff_and_show_only_what_they_can_read(app: App) -> None:
    assert (await get_page(app, SETTINGS, "customer")).status_code == 404
    assert "Business details" not in page_text(await get_page(app, SETTINGS, "employee"))


async def test_messages_are_previewed_in_each_language(app: App) -> None:
    german = await get_page(app, f"{SETTINGS}/messages?language=de", "admin")
    assert 'lang="de"' in german.text
    assert "Sendung" in page_text(german)
    assert Checked(german.text).faults == []
    assert (await get_page(app, f"{SETTINGS}/messages?language=xx", "admin")).status_code == 404


async def test_a_section_starts_with_its_main_lists_and_metrics(app: App) -> None:
    await app.answer("admin", "create_vehicle", {"name": "Van"})
    page = await get_page(app, "/desk/sections/fleet", "admin")
    first, _, rest = page.text.partition('class="all-actions"')
    assert first.count('class="card"') <= 7
    assert '<span class="job-figure">1</span><a href="/desk/vehicles">' in first
    assert "/desk/act/set_driver_policy" in rest
    assert "/desk/act/set_driver_policy" not in first
    assert Checked(page.text).faults == []


async def test_all_actions_can_be_searched_without_scripts(app: App) -> None:
    page = await get_page(app, "/desk/sections/billing?q=tax rate", "admin")
    rest = page.text.partition('class="all-actions"')[2]
    assert rest.startswith(" open")
    assert "/desk/tax-rates" in rest
    assert "/desk/act/set_rate_card" not in rest
    assert "No list or action matches" in page_text(await get_page(app, "/desk/sections/billing?q=zzz", "admin"))
