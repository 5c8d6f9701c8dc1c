"""A pin for an unknown address in a browser: set by keys or pointer, and saved."""

import re

from playwright.sync_api import Browser, expect
from tests.web.browser import DESK_SIZE, PHONE_SIZE, DemoApi, axe_faults, needs_chromium, open_page, sideways_overflow

pytestmark = needs_chromium
TORONTO = (43.7, -79.4)


def test_a_pin_can_be_set_by_keyboard_when_the_search_finds_nothing(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, "admin", viewport=PHONE_SIZE) as page:
        page.goto("/desk/new-order")
        page.fill("#q", "Nowhere Lane 9999 xyz")
        expect(page.locator("#addresses")).to_contain_text("set its location")
        page.get_by_role("link", name="Location on the map").press("Enter")
        expect(page.locator("#pin-fields input[type=search]")).to_be_focused()
        for part, text in {"name": "Zoe", "address": "Nowhere Lane 9999", "city": "Toronto"}.items():
            page.fill(f'[name="consignee.{part}"]', text)
        place = page.locator(".pin-map[data-drawn] canvas.maplibregl-canvas")
        place.focus()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        expect(page.locator('[name="consignee.lat"]')).to_have_value(re.compile(r"^60\.\d{6}$"))
        expect(page.locator('[name="consignee.lng"]')).to_have_value(re.compile(r"^24\.\d{6}$"))
        expect(page.locator(".pin-mark")).to_be_visible()
        expect(page.locator("#routes")).not_to_contain_text("Choose an address")
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
        assert sideways_overflow(page) == 0
        lat = float(page.input_value('[name="consignee.lat"]'))
        page.locator("#order button[value=do]").click()
        page.wait_for_url(re.compile(r"/desk/orders/\d+"))
        order = int(page.url.partition("?")[0].rpartition("/")[2])
    consignee = DemoApi(demo_server, "admin").get(f"/v1/orders/{order}")["order"]["consignee"]
    assert consignee["lat"] == lat


def test_a_pin_can_be_placed_and_moved_by_pointer_in_any_location_form(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, "admin") as page:
        page.goto("/desk/act/create_depot")
        page.get_by_text("Coordinates").click()
        page.fill("#lat", str(TORONTO[0]))
        page.fill("#lng", str(TORONTO[1]))
        page.locator("#lng").press("Tab")
        expect(page.locator(".pin-map[data-drawn]")).to_be_visible()
        pin = page.locator(".pin-mark")
        expect(pin).to_be_visible()
        page.locator(".pin-map").click(position={"x": 150, "y": 100})
        expect(page.locator("#lat")).not_to_have_value(str(TORONTO[0]))
        moved = page.input_value("#lng")
        pin.drag_to(page.locator(".pin-map"), target_position={"x": 250, "y": 220})
        expect(page.locator("#lng")).not_to_have_value(moved)
        expect(page.locator(".pin [role=status]")).to_contain_text("The pin is set")


def test_a_found_address_sets_the_pin(demo_server: str, browser: Browser) -> None:
    known = DemoApi(demo_server, "admin").get("/v1/addresses")["addresses"][0]["address"]
    with open_page(browser, demo_server, "admin") as page:
        page.goto("/desk/act/create_depot")
        expect(page.locator("#lat")).to_be_hidden()
        page.get_by_label("Search address").fill(known)
        page.locator(".pin-found button").first.click()
        expect(page.locator("#lat")).to_have_value(re.compile(r"^60\."))
        expect(page.locator("#address")).to_have_value(known)
        expect(page.locator(".pin-mark")).to_be_visible()


def test_a_form_without_a_required_location_explains_how_to_set_it(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, "admin") as page:
        page.goto("/desk/act/create_depot")
        page.fill("#name", "North")
        page.fill("#address", "1 Far St")
        page.get_by_role("button", name="Create depot").click()
        expect(page.locator(".pin [role=status]")).to_contain_text("Set a location")


def test_an_area_can_be_drawn_by_clicks_on_the_map(demo_server: str, browser: Browser) -> None:
    zone_map = DemoApi(demo_server, "admin").post("/v1/zone-maps", name="Drawn")["zone_map"]["id"]
    with open_page(browser, demo_server, "admin") as page:
        page.goto(f"/desk/act/put_zone?zone_map_id={zone_map}&code=north")
        place = page.locator(".pin-map[data-drawn]")
        for x, y in ((120, 80), (300, 90), (240, 220)):
            place.click(position={"x": x, "y": y})
        expect(page.locator(".corner")).to_have_count(3)
        expect(page.locator("#geometry")).to_have_value(re.compile(r'^\{"type":"Polygon"'))
        page.get_by_role("button", name="Undo corner").click()
        expect(page.locator("#geometry")).to_have_value("")
        page.fill("#name", "North")
        page.get_by_role("button", name=re.compile("zone", re.IGNORECASE)).last.click()
        expect(page.locator(".pin [role=status]")).to_contain_text("Draw the area")


def test_without_scripts_coordinates_can_be_entered(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, "admin", java_script_enabled=False) as page:
        page.goto("/desk/new-order?q=Nowhere+Lane+9999+xyz")
        expect(page.locator('[name="consignee.lat"]')).to_be_visible()
