"""The storage page in a browser: axe, keyboard and phone."""

from playwright.sync_api import Browser, expect
from tests.web.browser import DESK_SIZE, PHONE_SIZE, axe_faults, needs_chromium, open_page, sideways_overflow

pytestmark = needs_chromium


def test_storage_is_accessible_and_its_units_are_reached_by_keyboard(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, "admin") as page:
        page.goto("/desk/storage")
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
        page.get_by_role("rowheader").get_by_role("link").first.press("Enter")
        page.wait_for_url("**/desk/storage?customer=*")
        expect(page.get_by_role("link", name="Winter tyres").first).to_be_visible()
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
        page.set_viewport_size(PHONE_SIZE)
        assert sideways_overflow(page) == 0
        page.goto("/desk/storage")
        assert sideways_overflow(page) == 0
