"""The ship page in a browser: 60 labels within a budget of clicks, keyboard, axe."""

from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, expect
from pypdfium2 import PdfDocument
from tests.web.browser import DESK_SIZE, PHONE_SIZE, axe_faults, needs_chromium, open_page, sideways_overflow
from tests.web.jobs.stage import Stage, Taste

pytestmark = needs_chromium
CLICKS, KEYS, LABELS = 9, 15, 60


def test_60_cheapest_labels_by_a_day_are_bought_printed_and_closed(
    demo_server: str, demo_database: str, browser: Browser
) -> None:
    stage = Stage(browser, demo_server, demo_database, Taste("en", "desk", "light"))
    orders = stage.orders(LABELS)
    with stage.person("admin") as person:
        person.page.set_default_timeout(240_000)
        person.open(f"/desk/ship?search=J{stage.number}")
        person.click("#tick-all")
        person.type("#deliver_by", str(stage.today + timedelta(days=7)))
        person.click(person.page.locator("#picked button"))
        person.click("ship_page.buy_n", n=LABELS)
        person.sees("[role=status]")
        person.page.locator("#sort").wait_for()
        person.click("ship_page.print", n=LABELS)
        person.page.locator("#download-labels").wait_for()
        pdf = person.download("#download-labels")
        person.click(".print-bar .end")
        person.click(person.page.locator(".issue-bar button"))
        person.sees("[role=status]")
        assert person.too_wide == set()
    clicks, keys, seconds = stage.spent
    print(f"{LABELS} labels: {clicks} clicks, {keys} keys, {seconds:.1f} s of waiting")
    assert clicks <= CLICKS
    assert keys <= KEYS
    with TemporaryDirectory() as folder:
        file = Path(folder, "labels.pdf")
        file.write_bytes(pdf)
        assert len(PdfDocument(file)) == LABELS
    waiting = stage.office.get("/v1/order-ship-queue", search=f"J{stage.number}")
    assert (len(orders), waiting["total"]) == (LABELS, 0)
    assert stage.office.get("/v1/labelservice/shipments", open_manifest="true")["total"] == 0


def test_the_ship_pages_are_accessible_and_usable_by_keyboard(
    demo_server: str, demo_database: str, browser: Browser
) -> None:
    stage = Stage(browser, demo_server, demo_database, Taste("en", "desk", "light"))
    first, _ = stage.orders(2)
    with open_page(browser, demo_server, "admin") as page:
        queue = f"/desk/ship?search=J{stage.number}"
        for address in (queue, f"/desk/ship/orders/{first}", "/desk/ship/end-of-day", "/desk/ship/scan?code=NO-LABEL"):
            page.goto(address)
            assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}, address
            page.set_viewport_size(PHONE_SIZE)
            assert sideways_overflow(page) == 0, address
            page.set_viewport_size(DESK_SIZE)
        page.goto(queue)
        page.keyboard.press("j")
        page.keyboard.press("x")
        page.keyboard.press("Enter")
        expect(page.locator("#drawer .rates")).to_be_visible()
        assert axe_faults(page, DESK_SIZE) == {}
        page.keyboard.press("Escape")
        page.keyboard.press("b")
        page.wait_for_url("**/desk/ship/review")
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
        page.get_by_role("button", name="Buy 1 label").press("Enter")
        page.wait_for_url("**/desk/ship/batches/*")
        expect(page.locator("#sort")).to_be_visible(timeout=120_000)
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
        page.set_viewport_size(PHONE_SIZE)
        assert sideways_overflow(page) == 0
        page.set_viewport_size(DESK_SIZE)
        page.keyboard.press("s")
        page.wait_for_url("**/desk/ship/scan")
        page.get_by_role("textbox", name="Tracking number").fill(f"J{stage.number}-001")
        page.keyboard.press("Enter")
        expect(page.get_by_role("status").filter(has_text="Label is valid")).to_be_visible()
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
