"""The map of the driver app: loaded on demand, cached offline, with directions."""

import re
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.web.browser import (
    CONSIGNEE,
    DESK_SIZE,
    PHONE_SIZE,
    DemoApi,
    answer_in_page,
    axe_faults,
    needs_chromium,
    open_page,
    sideways_overflow,
)

pytestmark = needs_chromium
DOORS = ((43.646, -79.40), (43.662, -79.38), (43.662, -79.38), (43.671, -79.36))
"""Two parcels go to one house."""
HERE = {"latitude": 43.65, "longitude": -79.39, "accuracy": 30}


@pytest.fixture(scope="module")
def orders(demo_server: str) -> list[dict[str, Any]]:
    """The orders of a route of today for the demo's driver, in the order of its stops."""
    office = DemoApi(demo_server, "admin")
    driver = office.get("/v1/drivers", search="Dana")["drivers"][0]["id"]
    day = datetime.now(UTC).astimezone(ZoneInfo("Europe/Helsinki")).date().isoformat()
    depot = office.get("/v1/depots")["depots"][0]["id"]
    places = [{**CONSIGNEE, "address": f"{n} Map St", "lat": lat, "lng": lng} for n, (lat, lng) in enumerate(DOORS, 1)]
    made = [office.post("/v1/client/orderCreate", consignee=place)["order"] for place in places]
    route = office.post("/v1/routes", day=day, depot_id=depot, driver_id=driver, name="Seen on a map")["route"]["id"]
    office.post(f"/v1/routes/{route}/orders", order_ids=[order["id"] for order in made])
    return made


def fetched(page: Page) -> set[str]:
    """The files that the page loaded."""
    return set(page.evaluate("performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)"))


def open_map(page: Page) -> None:
    page.locator("#tabs a[href='#map']").click()
    expect(page.locator(".map[data-drawn]")).to_be_attached()


def pin(page: Page, address: str) -> Any:
    """Return the marker of an address."""
    return page.locator(f'.map-mark[aria-label*="{address}"]')


def test_the_day_loads_quickly_and_the_map_links_to_each_stop(
    demo_server: str, orders: list[dict[str, Any]], browser: Browser
) -> None:
    allowed: dict[str, Any] = {"permissions": ["geolocation"], "geolocation": HERE}
    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE, **allowed) as page:
        page.goto("/go")
        expect(page.locator("#line")).to_have_text("Online")
        assert not {each for each in fetched(page) if "maplibre" in each or "pmtiles" in each or "go-map.js" in each}
        open_map(page)
        expect(page.locator(".map-mark.next")).to_have_count(1)
        expect(page.locator(".me")).to_have_count(1)
        expect(pin(page, "2 Map St")).to_have_attribute("aria-label", re.compile("3 Map St"))
        assert page.locator(".day-map ol.stops li").count() >= len(orders)
        assert axe_faults(page, PHONE_SIZE, DESK_SIZE) == {}
        page.set_viewport_size({"width": PHONE_SIZE["width"], "height": PHONE_SIZE["height"]})
        assert sideways_overflow(page) == 0
        pin(page, "4 Map St").dispatch_event("click")
        expect(page.get_by_role("heading", name="4 Map St")).to_be_visible()
        page.go_back()
        pin(page, "2 Map St").dispatch_event("click")
        page.locator(".map-card a", has_text="3 Map St").click()
        expect(page.get_by_role("heading", name="3 Map St")).to_be_visible()


def test_a_map_seen_once_is_available_offline_and_follows_the_day(
    demo_server: str, orders: list[dict[str, Any]], browser: Browser
) -> None:
    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE, color_scheme="dark") as page:
        page.goto("/go")
        answer_in_page(page, "navigator.serviceWorker.ready.then((worker) => Boolean(worker.active))")
        page.reload()
        expect(page.locator("#line")).to_have_text("Online")
        open_map(page)
        page.context.set_offline(True)
        page.reload()
        expect(page.locator(".map[data-map=streets][data-drawn]")).to_be_attached()
        over = page.locator(".map-mark.over").count()
        page.locator("#tabs a[href='#day']").click()
        mine = page.get_by_role("region", name="Seen on a map")
        mine.get_by_role("button", name="Start route").click()
        mine.locator("li.stop", has_text="1 Map St").click()
        page.get_by_role("button", name="Delivered").click()
        open_map(page)
        expect(page.locator(".map-mark.over")).to_have_count(over + 1)


def test_a_map_never_loaded_is_reported_offline(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE) as page:
        page.goto("/go")
        answer_in_page(page, "navigator.serviceWorker.ready.then((worker) => Boolean(worker.active))")
        page.reload()
        expect(page.locator("#line")).to_have_text("Online")
        page.context.set_offline(True)
        page.locator("#tabs a[href='#map']").click()
        expect(page.get_by_text("The map is not on this phone yet")).to_be_visible()


def test_a_day_still_loading_is_not_reported_as_unknown(
    demo_server: str, orders: list[dict[str, Any]], browser: Browser
) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE, service_workers="block") as page:
        page.route("**/go/ask/get_rider_day", hold)
        page.goto("/go")
        expect(page.locator("#view .empty")).to_have_text("Loading …")
        while not held:
            page.wait_for_timeout(50)
        held.pop().abort()
        expect(page.locator("#view .empty")).to_contain_text("Your day has not been loaded yet")
        page.goto("about:blank")
        held.clear()
        page.goto("/go#map")
        expect(page.locator("#view .empty")).to_have_text("Loading …")
        while not held:
            page.wait_for_timeout(50)
        held.pop().continue_()
        expect(page.locator(".map-mark.next")).to_have_count(1)
