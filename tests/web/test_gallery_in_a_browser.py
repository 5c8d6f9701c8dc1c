"""The gallery shows every component in every state, without axe findings."""

from playwright.sync_api import Browser
from tests.web.browser import DESK_SIZE, PHONE_SIZE, axe_faults, needs_chromium, open_page, sideways_overflow


@needs_chromium
def test_every_component_is_accessible_in_light_and_dark(browser: Browser, demo_server: str) -> None:
    with open_page(browser, demo_server, "admin") as page:
        page.goto("/desk/gallery")
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
        assert sideways_overflow(page) == 0
