"""The handheld page in a browser: scans are stored offline for an hour and synced."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy
import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from tests.web.browser import (
    CHROMIUM,
    PHONE_SIZE,
    DemoApi,
    answer_in_page,
    axe_faults,
    needs_chromium,
    open_page,
    sideways_overflow,
)

from haulier.web.rendering import WEB_FOLDER

pytestmark = needs_chromium
EAN, GS1 = "4006381333931", "(01)09506000134352(17)271231(10)L-7"
TOUCH_PX = 56
"""How high whatever is touched must be, so that a glove finds it."""


@pytest.fixture(scope="module")
def hall(demo_server: str) -> tuple[str, DemoApi, int]:
    """Yield the server, a staff user, and a warehouse with a dock and mugs."""
    office = DemoApi(demo_server, "employee")
    id = office.post("/v1/wms/warehouses", code="HANDY", name="Handheld hall")["warehouse"]["id"]
    office.post(f"/v1/wms/warehouses/{id}/locations", locations=[{"code": "DOCK"}, {"code": "A-01"}])
    office.post("/v1/wms/products", sku="MUG", name="Mug", barcodes=[EAN])
    office.post(
        "/v1/wms/products", sku="SERUM", name="Serum", tracking="lot", expires=True, barcodes=["09506000134352"]
    )
    return demo_server, office, id


def on_hand(office: DemoApi, warehouse: int) -> int:
    items = office.post("/v1/wms/inventory", warehouse_id=warehouse)["inventory"]
    return sum(item["on_hand"] for item in items)


def open_hall(page: Page, warehouse: int) -> None:
    page.goto("/handheld")
    expect(page.locator("#line")).to_have_text("Online")
    page.select_option("#warehouse", str(warehouse))


def wedge(page: Page, *codes: str) -> None:
    """Type codes as a keyboard scanner does, each with Enter."""
    for code in codes:
        page.keyboard.type(code)
        page.keyboard.press("Enter")


def test_offline_scans_are_stored_and_synced_when_back_online(hall: tuple[str, DemoApi, int], browser: Browser) -> None:
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
        expect(page.locator("#waiting")).to_have_text("3 to sync")
        expect(page.locator("#line")).to_have_text("Offline")
        assert on_hand(office, warehouse) == before
        page.reload()
        expect(page.locator("#waiting")).to_have_text("3 to sync")
        expect(page.locator("#scans li")).to_have_count(3)
        expect(page.locator("#warehouse")).to_have_value(str(warehouse))
        page.context.set_offline(False)
        page.evaluate("dispatchEvent(new Event('online'))")
        expect(page.locator("#waiting")).to_have_text("Synced")
        expect(page.locator("#scans li.done")).to_have_count(2)
        expect(page.locator("#scans li.refused")).to_contain_text("Unknown code.")
    assert on_hand(office, warehouse) == before + 2
    movements = office.get("/v1/wms/stock/movements", warehouse_id=warehouse)["movements"][:2]
    first, last = sorted(datetime.fromisoformat(one["occurred_at"]) for one in movements)
    assert last - first >= timedelta(hours=1)


@contextmanager
def browser_that_sees(
    browser: Browser, folder: Path, code: str, kind: zxingcpp.BarcodeFormat, **said: Any
) -> Generator[Browser]:
    """A browser whose camera films a barcode, held a little askew."""
    drawn = zxingcpp.write_barcode_to_image(zxingcpp.create_barcode(code, kind, **said), scale=3)
    label = Image.fromarray(numpy.array(drawn)).rotate(7, expand=True, fillcolor=255)
    frame = Image.new("L", (1280, 720), 255)
    frame.paste(label, ((frame.width - label.width) // 2, 200))
    film = folder / "film.mjpeg"
    frame.convert("RGB").save(film, format="jpeg")
    camera = ("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream")
    seeing = browser.browser_type.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", *camera, f"--use-file-for-fake-video-capture={film}"]
    )
    try:
        yield seeing
    finally:
        seeing.close()


@pytest.mark.parametrize(
    ("code", "kind", "said", "shown"),
    [
        (EAN, zxingcpp.BarcodeFormat.EAN13, {}, "Receive · MUG · 1"),
        (GS1, zxingcpp.BarcodeFormat.DataMatrix, {"gs1": True}, "Receive · SERUM · 1"),
        (GS1, zxingcpp.BarcodeFormat.Code128, {"gs1": True}, "Receive · SERUM · 1"),
    ],
    ids=["EAN-13", "GS1 DataMatrix", "GS1-128"],
)
def test_the_camera_reads_barcodes_without_browser_support_even_offline(
    hall: tuple[str, DemoApi, int],
    browser: Browser,
    tmp_path: Path,
    code: str,
    kind: zxingcpp.BarcodeFormat,
    said: dict[str, Any],
    shown: str,
) -> None:
    base, office, warehouse = hall
    before = on_hand(office, warehouse)
    with (
        browser_that_sees(browser, tmp_path, code, kind, **said) as seeing,
        open_page(seeing, base, "employee", viewport=PHONE_SIZE, permissions=["camera"]) as page,
    ):
        page.add_init_script("delete window.BarcodeDetector")
        open_hall(page, warehouse)
        for address in ("/handheld/reader.js", "/static/vendor/zxing-reader.js", "/static/vendor/zxing-reader.wasm"):
            wait_until_kept(page, address)
        page.context.set_offline(True)
        page.reload()
        page.fill("#location", "HANDY-DOCK")
        page.focus("#code")
        page.click("#camera")
        expect(page.locator("#waiting")).to_contain_text("1")
        expect(page.locator("#sight")).to_be_hidden()
        page.context.set_offline(False)
        page.evaluate("dispatchEvent(new Event('online'))")
        expect(page.locator("#scans li.done")).to_contain_text(shown)
    assert on_hand(office, warehouse) == before + 1


def test_the_bundled_barcode_reader_matches_its_script() -> None:
    folder = WEB_FOLDER / "static" / "vendor"
    digest = sha256((folder / "zxing-reader.wasm").read_bytes()).hexdigest()
    assert digest in (folder / "zxing-reader.js").read_text()


def wait_until_kept(page: Page, address: str) -> None:
    """Wait until the worker has kept what the page loads."""
    answer_in_page(page, f"caches.match('{address}', {{ ignoreVary: true }}).then(Boolean)")


SEE = """
  navigator.mediaDevices.getUserMedia = async () => (window.shown = document.createElement("canvas")).captureStream();
  window.BarcodeDetector = class {
    static async getSupportedFormats() { return ["code_128", "ean_13", "itf", "qr_code"]; }
    async detect(sight) { return sight.videoWidth && window.before ? [{ rawValue: window.before }] : []; }
  };
"""
"""A browser that reads barcodes itself, which is none on Linux, and a camera that sees a canvas."""


def test_the_camera_fills_the_focused_field_using_the_browsers_reader_if_available(
    hall: tuple[str, DemoApi, int], browser: Browser
) -> None:
    base, office, warehouse = hall
    before = on_hand(office, warehouse)
    with open_page(browser, base, "employee", viewport=PHONE_SIZE) as page:
        page.add_init_script(SEE)
        open_hall(page, warehouse)
        expect(page.locator("#no-camera")).to_be_hidden()
        for field, code in (("#location", "HANDY-DOCK"), ("#code", "MUG")):
            page.evaluate("window.before = ''")
            page.focus(field)
            page.click("#camera")
            expect(page.locator("#sight")).to_be_visible()
            page.evaluate("code => { shown.getContext('2d').fillRect(0, 0, 9, 9); window.before = code; }", code)
            expect(page.locator("#sight")).to_be_hidden()
        expect(page.locator("#scans li.done")).to_have_count(1)
    assert on_hand(office, warehouse) == before + 1


def test_a_denied_or_missing_camera_is_reported(hall: tuple[str, DemoApi, int], browser: Browser) -> None:
    base, _, warehouse = hall
    with open_page(browser, base, "employee", viewport=PHONE_SIZE) as page:
        page.add_init_script("navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no'))")
        open_hall(page, warehouse)
        page.click("#camera")
        expect(page.locator("#no-camera")).to_contain_text("Allow it in the browser settings")
        expect(page.locator("#camera")).to_have_text("Scan with camera")
        page.add_init_script("delete MediaDevices.prototype.getUserMedia; delete navigator.mediaDevices.getUserMedia")
        page.reload()
        expect(page.locator("#no-camera")).to_contain_text("HTTPS")
        expect(page.locator("#camera")).to_be_hidden()


def test_scanning_moves_from_location_to_item_without_touch(hall: tuple[str, DemoApi, int], browser: Browser) -> None:
    base, office, warehouse = hall
    with open_page(browser, base, "employee", viewport=PHONE_SIZE) as page:
        open_hall(page, warehouse)
        page.check("input[value=put_away]", force=True)
        wedge(page, "HANDY-DOCK", "HANDY-A-01", "MUG", "MUG")
        expect(page.locator("#scans li.done")).to_have_count(2)
    moved = office.get("/v1/wms/stock/movements", warehouse_id=warehouse)["movements"][:2]
    assert [(one["kind"], one["quantity"]) for one in moved] == [("put_away", 1)] * 2


def test_one_visit_makes_the_page_available_offline(hall: tuple[str, DemoApi, int], browser: Browser) -> None:
    base, _, warehouse = hall
    with open_page(browser, base, "employee", viewport=PHONE_SIZE) as page:
        open_hall(page, warehouse)
        for address in ("/handheld", "/static/handheld.css", "/static/app.css", "/static/handheld-send.js"):
            wait_until_kept(page, address)
        page.context.set_offline(True)
        page.reload()
        expect(page.locator("#line")).to_have_text("Offline")
        expect(page.locator("#warehouse")).to_have_value(str(warehouse))


def test_a_scan_with_a_lost_response_is_not_repeated(hall: tuple[str, DemoApi, int], browser: Browser) -> None:
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
        expect(page.locator("#waiting")).to_have_text("Synced")
        expect(page.locator("#scans li.done")).to_have_count(1)
    assert on_hand(office, warehouse) == before + 1


def test_a_package_of_another_warehouse_is_added_to_a_transfer_with_one_tap(
    hall: tuple[str, DemoApi, int], browser: Browser
) -> None:
    base, office, warehouse = hall
    other = office.post("/v1/wms/warehouses", code="HANDY-2", name="Other hall")["warehouse"]["id"]
    office.post("/v1/wms/arrivals", warehouse_id=other, day="2026-06-10", numbers=["HANDY-BOX"])
    with open_page(browser, base, "employee", viewport=PHONE_SIZE) as page:
        open_hall(page, warehouse)
        page.focus("#code")
        wedge(page, "HANDY-BOX")
        page.get_by_role("button", name="Add to transfer").click()
        expect(page.locator("#scans li.wrong")).to_have_count(2)
    (transfer,) = office.get("/v1/wms/transfers", to_warehouse_id=other)["transfers"]
    assert (transfer["status"], transfer["packages"]) == ("draft", 1)


def test_the_page_fits_a_phone_and_is_accessible(hall: tuple[str, DemoApi, int], browser: Browser) -> None:
    base, _, warehouse = hall
    with open_page(browser, base, "employee", viewport=PHONE_SIZE) as page:
        open_hall(page, warehouse)
        for kind in ("receive", "move", "pick", "load", "exception"):
            page.check(f"input[value={kind}]", force=True)
            assert sideways_overflow(page) == 0, kind
            touched = page.locator("#handheld :is(button, select, .kinds span, .field input):visible")
            assert [box for each in touched.all() if (box := each.bounding_box()) and box["height"] < TOUCH_PX] == []
        assert axe_faults(page, PHONE_SIZE) == {}


def test_the_page_can_be_installed(hall: tuple[str, DemoApi, int], browser: Browser) -> None:
    base, _, _ = hall
    with open_page(browser, base, "employee", locale="de-DE") as page:
        page.goto("/handheld")
        address = page.locator("link[rel=manifest]").get_attribute("href")
        manifest = page.evaluate("address => fetch(address).then((answer) => answer.json())", address)
        assert (manifest["start_url"], manifest["display"], manifest["lang"]) == ("/handheld", "standalone", "de")
        scope = page.evaluate("navigator.serviceWorker.ready.then((known) => new URL(known.scope).pathname)")
        assert scope == "/handheld"
