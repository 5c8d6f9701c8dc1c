"""A recipient returns a delivery by phone: chosen by keyboard, shown, cancelled."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browser import (
    DESK_SIZE,
    PHONE_SIZE,
    DemoApi,
    axe_faults,
    needs_chromium,
    open_page,
    reload_until,
    sideways_overflow,
)
from tests.web.locker_sites import Site

pytestmark = needs_chromium
FAR_NORTH: dict[str, Any] = {"lat": 46.49, "lng": -81.01}
"""Where no other locker is near."""
POSTAL_CODE = "P3C 1T1"
HOME = {"name": "Zoë", "address": "9 Elm St", "city": "Sudbury", "country": "CA", "postal_code": POSTAL_CODE}
SETTINGS = "/v1/client/return-settings"
REASONS = [{"code": "too_small", "texts": {"en": "It does not fit", "de": "Es passt nicht"}}]


@pytest.fixture
def site(demo_server: str) -> Iterator[Site]:
    """Create a site near the recipient of a business that accepts returns."""
    site = Site(demo_server, address="2 Elm St", **FAR_NORTH)
    site.office.put(SETTINGS, reasons=REASONS)
    yield site
    site.office.put(SETTINGS, reasons=REASONS, active=False)


def make_delivered_order(office: DemoApi) -> str:
    """The tracking number of an order that its recipient has."""
    order = office.post("/v1/client/orderCreate", consignee={**HOME, **FAR_NORTH})["order"]
    day = datetime.now(UTC).astimezone(ZoneInfo("Europe/Helsinki")).date().isoformat()
    driver, depot = office.get("/v1/drivers")["drivers"][0]["id"], office.get("/v1/depots")["depots"][0]["id"]
    route = office.post("/v1/routes", day=day, depot_id=depot, driver_id=driver)["route"]["id"]
    office.post(f"/v1/routes/{route}/orders", order_ids=[order["id"]])
    office.post(f"/v1/routes/{route}/start")
    stop = office.get(f"/v1/routes/{route}")["route"]["stops"][0]["id"]
    office.post(f"/v1/routes/{route}/stops/{stop}/deliver")
    return str(order["tracking_number"])


def fits(page: Page) -> bool:
    """Check that a page is accessible on phone and desktop."""
    faults = axe_faults(page, DESK_SIZE, PHONE_SIZE)
    assert faults == {}
    return sideways_overflow(page) <= 0


def send_back(page: Page, site: Site) -> str:
    """Fill the form in with the keyboard alone; the code that is shown then."""
    page.get_by_label("Reason", exact=True).focus()
    page.keyboard.press("ArrowDown")
    page.get_by_role("radio", name=f"Drop off at {site.name}, 2 Elm St").focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Return this parcel").press("Enter")
    code = page.locator("p.code")
    expect(code).to_have_text(re.compile(r"^\d{8}$"))
    return code.inner_text()


def test_a_return_can_be_started_cancelled_and_finally_dropped_off(
    demo_server: str, site: Site, browser: Browser
) -> None:
    with open_page(browser, demo_server, viewport=PHONE_SIZE) as page:
        page.goto(f"/track/{make_delivered_order(site.office)}")
        page.get_by_label("postal code").fill(POSTAL_CODE)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Return this parcel")).to_be_visible()
        assert fits(page)
        beside = page.get_by_role("radio").first.bounding_box()
        assert beside
        assert beside["width"] < PHONE_SIZE["width"] / 8, "what is chosen has the room, not the mark before it"
        first = send_back(page, site)
        assert fits(page)
        page.get_by_role("link", name="Back to my delivery").press("Enter")
        expect(page.locator("#return-title")).to_be_visible()
        assert fits(page)
        page.get_by_role("button", name="Show new code").press("Enter")
        expect(page.locator("p.code")).not_to_have_text(first)
        page.get_by_role("link", name="Back to my delivery").press("Enter")
        page.get_by_role("button", name="Cancel return").press("Enter")
        expect(page.get_by_text("You keep the parcel")).to_be_visible()
        code = send_back(page, site)
        page.get_by_role("link", name="Back to my delivery").press("Enter")
        site.sequence += 1
        typed = {"credential": site.credential, "sequence": site.sequence, "code": code}
        assert site.says("device/codes", **typed)["accepted"]
        assert site.obey() == 1
        reload_until(page, "In the locker")  # the return follows its parcel in the background
        expect(page.get_by_role("button", name="Cancel return")).to_have_count(0)
        assert fits(page)
