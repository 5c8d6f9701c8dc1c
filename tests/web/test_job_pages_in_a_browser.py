"""Customers, fleet and settings in a browser: no axe findings, keyboard, phone."""

import pytest
from playwright.sync_api import Browser, expect
from tests.web.browser import DESK_SIZE, PHONE_SIZE, DemoApi, axe_faults, needs_chromium, open_page, sideways_overflow

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def customer(demo_server: str) -> int:
    found = DemoApi(demo_server, "admin").get("/v1/customers", search="customer@demo.example")
    return found["customers"][0]["customer_id"]


def test_customers_are_accessible_and_reached_by_keyboard(demo_server: str, browser: Browser, customer: int) -> None:
    with open_page(browser, demo_server, "admin") as page:
        for address in ("/desk/customers", f"/desk/customers/{customer}", f"/desk/customers/{customer}/portal"):
            page.goto(address)
            assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}, address
            page.set_viewport_size(PHONE_SIZE)
            assert sideways_overflow(page) == 0, address
            page.set_viewport_size(DESK_SIZE)
        page.goto("/desk/customers")
        page.get_by_role("searchbox", name="Search").fill("customer@demo")
        page.keyboard.press("Enter")
        page.wait_for_url("**/desk/customers?search=*")
        page.get_by_role("rowheader").get_by_role("link").first.press("Enter")
        page.wait_for_url("**/desk/customers/*")
        page.get_by_text("More actions").press("Enter")
        expect(page.get_by_role("link", name="Set customer billing identity")).to_be_visible()


def test_the_portal_is_accessible_and_its_further_services_open_by_keyboard(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, "customer") as page:
        for address in ("/desk", "/desk/orders", "/desk/order-returns"):
            page.goto(address)
            assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}, address
            page.set_viewport_size(PHONE_SIZE)
            assert sideways_overflow(page) == 0, address
            page.set_viewport_size(DESK_SIZE)
        page.locator(".rail").get_by_text("More", exact=True).press("Enter")
        page.locator(".rail").get_by_role("link", name="Shipping").press("Enter")
        page.wait_for_url("**/desk/sections/shipping")


def test_the_fleet_is_accessible_and_its_tabs_work_by_keyboard(demo_server: str, browser: Browser) -> None:
    office = DemoApi(demo_server, "admin")
    driver = office.get("/v1/drivers", search="Dana")["drivers"][0]["id"]
    new = office.post("/v1/drivers", name="Nadia Fleet")["driver"]["id"]
    with open_page(browser, demo_server, "admin") as page:
        tabs = ("/desk/fleet", "/desk/fleet?show=vehicles", "/desk/fleet?show=contractors")
        for address in (*tabs, f"/desk/drivers/{driver}", f"/desk/drivers/{new}/invite"):
            page.goto(address)
            assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}, address
            page.set_viewport_size(PHONE_SIZE)
            assert sideways_overflow(page) == 0, address
            page.set_viewport_size(DESK_SIZE)
        page.get_by_role("textbox", name="Email").fill("nadia.fleet@links.example")
        page.keyboard.press("Enter")
        expect(page.get_by_role("img", name="QR code")).to_be_visible()
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
        page.goto("/desk/fleet")
        page.get_by_role("link", name="Vehicles").press("Enter")
        page.wait_for_url("**/desk/fleet?show=vehicles")


def test_settings_and_sections_are_accessible_and_searched_by_keyboard(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, "admin") as page:
        for address in ("/desk/settings", "/desk/settings/messages?language=de", "/desk/sections/warehouse"):
            page.goto(address)
            assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}, address
            page.set_viewport_size(PHONE_SIZE)
            assert sideways_overflow(page) == 0, address
            page.set_viewport_size(DESK_SIZE)
        page.locator("summary", has_text="All actions").press("Enter")
        page.get_by_role("searchbox", name="Search lists and actions").fill("carton")
        page.keyboard.press("Enter")
        page.wait_for_url("**/desk/sections/warehouse?q=carton")
        expect(page.get_by_role("link", name="Get carton advice")).to_be_visible()
        assert axe_faults(page, DESK_SIZE) == {}


def test_labels_of_an_order_stand_beside_their_values_on_a_phone(demo_server: str, browser: Browser) -> None:
    order = DemoApi(demo_server, "admin").get("/v1/orders", per_page=1)["orders"][0]["id"]
    with open_page(browser, demo_server, "admin", viewport=PHONE_SIZE) as page:
        page.goto(f"/desk/orders/{order}")
        apart = page.evaluate(
            """[...document.querySelectorAll(".order-page dl > dt")].filter((dt) =>
              dt.getBoundingClientRect().top !== dt.nextElementSibling.getBoundingClientRect().top)
              .map((dt) => dt.textContent)"""
        )
        assert apart == []


def test_the_shortcut_of_the_search_fits_in_every_language(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, "admin") as page:
        for language in SUPPORTED_LANGUAGES:
            page.goto(f"/desk?lang={language}")
            hint = page.locator("#open-palette kbd")
            expect(hint).to_be_visible()
            assert hint.evaluate("(kbd) => kbd.scrollWidth <= kbd.clientWidth"), language
