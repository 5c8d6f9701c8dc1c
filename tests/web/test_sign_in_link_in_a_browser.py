"""Staff sign in a driver: the desk shows a QR code, and one tap opens the day."""

from io import BytesIO

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from tests.web.browser import DESK_SIZE, PHONE_SIZE, DemoApi, axe_faults, needs_chromium, open_page, sideways_overflow

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def office(demo_server: str) -> DemoApi:
    return DemoApi(demo_server, "admin")


def make_driver(office: DemoApi, name: str) -> int:
    """A driver with an account, without a password or a session."""
    driver = office.post("/v1/drivers", name=name)["driver"]["id"]
    office.post(f"/v1/drivers/{driver}/invitation", email=f"{name.lower()}@links.example")
    return driver


def shown_link(page: Page, driver: int) -> str:
    """Return the sign-in link of a driver, decoded from the QR code on the desk."""
    page.goto(f"/desk/drivers/{driver}")
    page.get_by_role("link", name="Create sign-in link").click()
    page.get_by_role("button", name="Create sign-in link").click()
    picture = page.get_by_role("img", name="QR code")
    expect(picture).to_be_visible()
    (read,) = zxingcpp.read_barcodes(Image.open(BytesIO(picture.screenshot())))
    expect(page.locator("dd", has_text=read.text)).to_be_visible()
    return read.text


def test_a_phone_scans_the_code_and_signs_the_driver_in_with_one_tap(
    demo_server: str, office: DemoApi, browser: Browser
) -> None:
    with open_page(browser, demo_server, "admin") as desk:
        link = shown_link(desk, make_driver(office, "Nadia"))
        assert axe_faults(desk, DESK_SIZE, PHONE_SIZE) == {}
        assert sideways_overflow(desk) == 0
    assert link.startswith(f"{demo_server}/sign-in-link#hlsignin_")
    with open_page(browser, demo_server, viewport=PHONE_SIZE) as phone:
        phone.goto(link)
        assert phone.url == f"{demo_server}/sign-in-link"
        assert axe_faults(phone, PHONE_SIZE) == {}
        phone.get_by_role("button", name="Sign in").click()
        expect(phone).to_have_url(f"{demo_server}/go")
        expect(phone.locator("#line")).to_have_text("Online")
    with open_page(browser, demo_server, viewport=PHONE_SIZE) as another:
        another.goto(link)
        another.get_by_role("button", name="Sign in").click()
        expect(another.get_by_role("alert")).to_contain_text("used or has expired")


def test_the_link_works_by_keyboard_and_when_pasted_as_a_whole(
    demo_server: str, office: DemoApi, browser: Browser
) -> None:
    with open_page(browser, demo_server, "admin") as desk:
        link = shown_link(desk, make_driver(office, "Omar"))
    with open_page(browser, demo_server, locale="de-DE") as page:
        page.goto("/sign-in-link")
        page.get_by_label("Link oder Code").fill(link)
        page.keyboard.press("Enter")
        expect(page).to_have_url(f"{demo_server}/go")
