"""Maps of pages in a real browser: streets, still maps, privacy, accessibility."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browser import DESK_SIZE, PHONE_SIZE, DemoApi, answer_in_page, axe_faults, needs_chromium, open_page

pytestmark = needs_chromium
NO_WEBGL = """const real = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  return kind.startsWith("webgl") ? null : real.call(this, kind, ...more);
};"""


@pytest.fixture(scope="module")
def maps(demo_server: str) -> list[tuple[str, str, str]]:
    """Return every page with a map: user, path and the selector of its map."""
    admin = DemoApi(demo_server, "admin")
    order = admin.make_order()["id"]
    route = next(each["id"] for each in admin.get("/v1/routes")["routes"] if each["stops_total"])
    depot = admin.get("/v1/depots")["depots"][0]["id"]
    zone_maps = [each["id"] for each in admin.get("/v1/zone-maps")["zone_maps"]]
    zones = next(each for each in zone_maps if admin.get(f"/v1/zone-maps/{each}/zones")["zones"])
    return [
        ("admin", "/dispatch", "#map"),
        ("admin", "/desk/lockers/map", "#map"),
        ("admin", f"/desk/orders/{order}", ".record-map"),
        ("admin", f"/desk/routes/{route}", ".record-map"),
        ("admin", f"/desk/depots/{depot}", ".record-map"),
        ("admin", f"/desk/zone-maps/{zones}", ".record-map"),
        ("admin", "/desk/act/create_depot", ".pin-map"),
        ("driver", "/go#map", ".day-map .map"),
    ]


def each_map(
    browser: Browser, base: str, maps: list[tuple[str, str, str]], script: str = "", **words: Any
) -> Iterator[tuple[str, Page, Any]]:
    """Yield each page with its drawn map."""
    for who, path, selector in maps:
        with open_page(browser, base, who, **words) as page:
            if script:
                page.add_init_script(script)
            asked: list[str] = []
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.goto(path)
            page.locator(selector).scroll_into_view_if_needed()
            drawn = page.locator(f"{selector}[data-drawn]")
            expect(drawn).to_be_visible()
            yield path, page, drawn
            outside = [url for url in asked if not url.startswith((base, "data:", "blob:"))]
            assert outside == [], path


def test_every_map_is_drawn_without_a_request_to_another_server(
    demo_server: str, browser: Browser, maps: list[tuple[str, str, str]]
) -> None:
    for path, _, drawn in each_map(browser, demo_server, maps):
        assert drawn.get_attribute("data-map") == "streets", path
        expect(drawn.get_by_label("Zoom in")).to_be_visible()


def test_every_map_is_usable_without_webgl(
    demo_server: str, browser: Browser, maps: list[tuple[str, str, str]]
) -> None:
    for path, page, drawn in each_map(browser, demo_server, maps, NO_WEBGL, viewport=PHONE_SIZE):
        assert drawn.get_attribute("data-map") == "still", path
        expect(drawn.locator("svg.map-still")).to_be_attached()
        drawn.get_by_label("Zoom in").click()
        answer_in_page(page, "() => !document.querySelector('.map-still .land')?.getAttribute('d')?.includes('NaN')")


def test_map_controls_use_the_page_language(
    demo_server: str, browser: Browser, maps: list[tuple[str, str, str]]
) -> None:
    for _, _, drawn in each_map(browser, demo_server, maps[1:2], locale="de"):
        expect(drawn.get_by_label("Vergrößern")).to_be_visible()


def test_record_pages_with_a_map_are_accessible(
    demo_server: str, browser: Browser, maps: list[tuple[str, str, str]]
) -> None:
    for path, page, _ in each_map(browser, demo_server, maps[2:4]):
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}, path


def test_the_board_draws_stops_drivers_and_published_zones(demo_server: str, browser: Browser) -> None:
    admin = DemoApi(demo_server, "admin")
    zone_map = admin.post("/v1/zone-maps", name="Town")["zone_map"]["id"]
    admin.put(
        f"/v1/zone-maps/{zone_map}/zones/a",
        name="A",
        geometry={"type": "LineString", "coordinates": [[24.92, 60.16], [24.95, 60.18]]},
    )
    admin.post(f"/v1/zone-maps/{zone_map}/publish")
    with open_page(browser, demo_server, "admin") as page:
        page.goto("/dispatch")
        expect(page.locator("#zones:checked")).to_be_attached()
        expect(page.locator('#map[data-drawn]:not([data-areas="0"]):not([data-points="0"])')).to_be_visible()


def test_a_theme_switch_redraws_the_map(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, "admin") as page:
        page.goto("/desk/lockers/map")
        expect(page.locator("#map[data-drawn] a.map-mark").first).to_be_visible()
        light = page.locator("#map canvas.maplibregl-canvas").screenshot()
        page.emulate_media(color_scheme="dark")
        page.wait_for_timeout(2000)
        assert page.locator("#map canvas.maplibregl-canvas").screenshot() != light
