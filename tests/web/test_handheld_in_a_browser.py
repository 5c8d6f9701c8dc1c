"""The handheld page in a real browser: scans are kept for an hour without a network, and settled once there is one."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browser import PHONE_SIZE, DemoApi, axe_faults, needs_chromium, open_page, sideways_overflow

pytestmark = needs_chromium
TOUCH_PX = 56
"""How high whatever is touched must be, so that a glove finds it."""


@pytest.fixture(scope="module")
def hall(demo_server: str) -> tuple[str, DemoApi, int]:
    """The server, somebody of the office, and a warehouse with a dock and mugs."""
    office = DemoApi(demo_server, "employee")
    id = office.post("/v1/wms/warehouses", code="HANDY", name="Handheld hall")["warehouse"]["id"]
    office.post(f"/v1/wms/warehouses/{id}/locations", locations=[{"code": "DOCK"}, {"code": "A-01"}])
    office.post("/v1/wms/products", sku="MUG", name="Mug", barcodes=["4006381333931"])
    return demo_server, office, id


def on_hand(office: DemoApi, warehouse: int) -> int:
    items = office.post("/v1/wms/inventory", warehouse_id=warehouse)["inventory"]
    return sum(item["on_hand"] for item in items)


def open_hall(page: Page, warehouse: int) -> None:
    page.goto("/handheld")
    expect(page.locator("#line")).to_have_text("Online")
    page.select_option("#warehouse", str(warehouse))


def wedge(page: Page, *codes: str) -> None:
    """What a scanner types that is a keyboard to the device: each code, and Enter."""
    for code in codes:
        page.keyboard.type(code)
        page.keyboard.press("Enter")


def test_scans_without_a_network_are_kept_and_settled_when_it_is_back(
    hall: tuple[str, DemoApi, int], browser: Browser
) -> None:
    base, office, warehouse = hall
    before = on_hand(office, warehouse)
    with open_page(browser, base, "employee", viewport=PHONE_SIZE) as page:
        page.clock.install(time=datetime.now(UTC) - timedelta(hours=1))
        open_hall(page, warehouse)
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.reload()
        expect(page.locator("#line")).to_have_text("Online")
        page.fill("#location", "HANDY-DOCK")
        page.context.set_offline(True)
        page.focus("#code")
        wedge(page, "4006381333931")
        expect(page.locator("#waiting")).to_contain_text("1")
        page.clock.fast_forward("01:00:00")
        wedge(page, "4006381333931", "NOBODY")
        expect(page.locator("#waiting")).to_have_text("3 wait to be sent")
        expect(page.locator("#line")).to_have_text("Offline")
        assert on_hand(office, warehouse) == before
        page.reload()
        expect(page.locator("#waiting")).to_have_text("3 wait to be sent")
        expect(page.locator("#scans li")).to_have_count(3)
        assert page.input_value("#warehouse") == str(warehouse)
        page.context.set_offline(False)
        page.evaluate("dispatchEvent(new Event('online'))")
        expect(page.locator("#waiting")).to_have_text("Everything is sent")
        expect(page.locator("#scans li.done")).to_have_count(2)
        expect(page.locator("#scans li.refused")).to_contain_text("Nobody knows this code.")
    assert on_hand(office, warehouse) == before + 2
    movements = office.get("/v1/wms/stock/movements", warehouse_id=warehouse)["movements"][:2]
    first, last = sorted(datetime.fromisoformat(one["occurred_at"]) for one in movements)
    assert last - first >= timedelta(hours=1)


SEE = """
  navigator.mediaDevices.getUserMedia = async () => (window.shown = document.createElement("canvas")).captureStream();
  window.BarcodeDetector = class {
    async detect(sight) { return sight.videoWidth && window.before ? [{ rawValue: window.before }] : []; }
  };
"""
"""A camera that sees a canvas, and a reader that finds in it what the test holds before it: no barcode is really decoded."""


def test_the_camera_scans_where_the_browser_reads_barcodes_and_elsewhere_the_page_says_so(
    hall: tuple[str, DemoApi, int], browser: Browser
) -> None:
    base, office, warehouse = hall
    before = on_hand(office, warehouse)
    with open_page(browser, base, "employee", viewport=PHONE_SIZE) as page:
        page.add_init_script("delete window.BarcodeDetector")
        open_hall(page, warehouse)
        expect(page.locator("#no-camera")).to_be_visible()
        expect(page.locator("#camera")).to_be_hidden()
        page.add_init_script(SEE)
        page.reload()
        expect(page.locator("#no-camera")).to_be_hidden()
        page.fill("#location", "HANDY-DOCK")
        page.focus("#code")
        page.click("#camera")
        expect(page.locator("#sight")).to_be_visible()
        page.evaluate("window.shown.getContext('2d').fillRect(0, 0, 9, 9); window.before = 'MUG'")
        expect(page.locator("#scans li.done")).to_have_count(1)
        expect(page.locator("#sight")).to_be_hidden()
    assert on_hand(office, warehouse) == before + 1


def test_a_scan_whose_answer_was_lost_is_not_done_twice(hall: tuple[str, DemoApi, int], browser: Browser) -> None:
    base, office, warehouse = hall
    before = on_hand(office, warehouse)
    with open_page(browser, base, "employee", viewport=PHONE_SIZE, service_workers="block") as page:
        open_hall(page, warehouse)
        lost: list[int] = []

        def lose(route: object) -> None:
            """The server hears it, and the device hears nothing."""
            lost.append(route.fetch().status)  # type: ignore[attr-defined]
            route.abort()  # type: ignore[attr-defined]

        page.route("**/handheld/ask/*_scan*", lose, times=1)
        page.fill("#location", "HANDY-DOCK")
        page.focus("#code")
        wedge(page, "MUG")
        expect(page.locator("#line")).to_have_text("Offline")
        assert (lost, on_hand(office, warehouse)) == ([200], before + 1)
        page.evaluate("dispatchEvent(new Event('online'))")
        expect(page.locator("#waiting")).to_have_text("Everything is sent")
        expect(page.locator("#scans li.done")).to_have_count(1)
    assert on_hand(office, warehouse) == before + 1


def test_a_package_of_another_warehouse_is_put_on_a_transfer_with_one_touch(
    hall: tuple[str, DemoApi, int], browser: Browser
) -> None:
    base, office, warehouse = hall
    other = office.post("/v1/wms/warehouses", code="HANDY-2", name="Other hall")["warehouse"]["id"]
    office.post("/v1/wms/arrivals", warehouse_id=other, day="2026-06-10", numbers=["HANDY-BOX"])
    with open_page(browser, base, "employee", viewport=PHONE_SIZE) as page:
        open_hall(page, warehouse)
        page.focus("#code")
        wedge(page, "HANDY-BOX")
        page.get_by_role("button", name="Put it on a transfer").click()
        expect(page.locator("#scans li.wrong")).to_have_count(2)
    (transfer,) = office.get("/v1/wms/transfers", to_warehouse_id=other)["transfers"]
    assert (transfer["status"], transfer["packages"]) == ("draft", 1)


def test_it_fits_a_phone_and_a_glove_and_everybody_can_use_it(hall: tuple[str, DemoApi, int], browser: Browser) -> None:
    base, _, warehouse = hall
    with open_page(browser, base, "employee", viewport=PHONE_SIZE) as page:
        open_hall(page, warehouse)
        for kind in ("receive", "move", "pick", "load", "exception"):
            page.check(f"input[value={kind}]", force=True)
            assert sideways_overflow(page) == 0, kind
            touched = page.locator("#handheld :is(button, select, .kinds span, .field input):visible")
            assert [box for each in touched.all() if (box := each.bounding_box()) and box["height"] < TOUCH_PX] == []
        assert axe_faults(page, PHONE_SIZE) == {}


def test_it_can_be_installed(hall: tuple[str, DemoApi, int], browser: Browser) -> None:
    base, _, _ = hall
    with open_page(browser, base, "employee", locale="de-DE") as page:
        page.goto("/handheld")
        address = page.locator("link[rel=manifest]").get_attribute("href")
        manifest = page.evaluate("address => fetch(address).then((answer) => answer.json())", address)
        assert (manifest["start_url"], manifest["display"], manifest["lang"]) == ("/handheld", "standalone", "de")
        scope = page.evaluate("navigator.serviceWorker.ready.then((known) => new URL(known.scope).pathname)")
        assert scope == "/handheld"
