"""The map of the dispatch board in a real browser: what lies under the routes."""

from playwright.sync_api import Browser, expect
from tests.web.browser import DemoApi, needs_chromium, open_page

pytestmark = needs_chromium


def test_the_map_has_ground_and_the_zones_in_force(demo_server: str, browser: Browser) -> None:
    admin = DemoApi(demo_server, "admin")
    zone_map = admin.post("/v1/zone-maps", name="Town")["zone_map"]["id"]
    admin.put(
        f"/v1/zone-maps/{zone_map}/zones/a",
        name="A",
        geometry={"type": "LineString", "coordinates": [[-79.40, 43.64], [-79.37, 43.66]]},
    )
    admin.post(f"/v1/zone-maps/{zone_map}/publish")
    with open_page(browser, demo_server, "admin") as page:
        page.goto("/dispatch")
        for drawn in (".leaflet-ground-pane canvas", ".leaflet-zones-pane canvas", "#zones:checked", ".town"):
            expect(page.locator(drawn).first).to_be_attached()
