"""The setup page in a browser: prefilled code, keyboard only, no axe findings."""

from playwright.sync_api import Browser, expect
from tests.web.browser import DESK_SIZE, PHONE_SIZE, axe_faults, needs_chromium, open_page, sideways_overflow
from tests.web.jobs.stage import Stage, Taste

pytestmark = needs_chromium


def test_the_owner_can_set_up_the_server_by_keyboard_alone(browser: Browser) -> None:
    bare = Stage(browser, "", "", Taste("de", "phone", "dark"))
    with bare.new_server() as (stage, link), open_page(browser, stage.base, viewport=PHONE_SIZE) as page:
        page.goto("/")
        expect(page).to_have_url(f"{stage.base}/setup")
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
        assert sideways_overflow(page) == 0
        page.goto(link)
        expect(page.locator("#field-token")).to_be_hidden()
        assert "#" not in page.url
        page.locator(".languages").get_by_role("link", name="Français").click()
        expect(page.locator("html")).to_have_attribute("lang", "fr")
        expect(page.locator("#field-token")).to_be_hidden()
        assert "#" not in page.url
        page.locator("#business_name").focus()
        for text in ("Wheels", "Ada", "ada@wheels.example", "short"):
            page.keyboard.type(text)
            page.keyboard.press("Tab")
        page.locator("#password").press("Enter")
        expect(page.locator("#password-fault")).to_be_visible()
        expect(page.locator("#business_name")).to_have_value("Wheels")
        page.locator("#password").fill("four long words here")
        page.locator("#password").press("Enter")
        expect(page.locator("ol.step-bar li")).to_have_count(5)
        for step in ("business", "location", "drivers", "prices"):
            page.goto(f"/desk/set-up?step={step}")
            expect(page.locator("[aria-current=step]")).to_be_visible()
            assert (step, axe_faults(page, DESK_SIZE, PHONE_SIZE)) == (step, {})
            page.set_viewport_size(PHONE_SIZE)
            assert (step, sideways_overflow(page)) == (step, 0)
        unit, amount = page.locator(".how-flat .unit"), page.locator("#price")
        heights = [(each.bounding_box() or {})["height"] for each in (unit, amount)]
        assert heights[0] == heights[1], "the currency stands beside the amount"
        page.goto("/desk/set-up?step=drivers")
        page.locator("[name=mine]").check()
        page.locator("#name_0").press("Enter")
        expect(page.locator(".driver-link img")).to_be_visible()
        assert (axe_faults(page, DESK_SIZE, PHONE_SIZE), sideways_overflow(page)) == ({}, 0)
        page.goto("/setup")
        expect(page).not_to_have_url(f"{stage.base}/setup")
