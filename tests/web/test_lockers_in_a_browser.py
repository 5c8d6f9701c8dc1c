"""Lockers in browsers: the public screen of a site, and the operator pages."""

import re
import time
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.invariants.dry_run_steps import PHOTO
from tests.web.browser import DESK_SIZE, PHONE_SIZE, DemoApi, axe_faults, needs_chromium, open_page, sideways_overflow
from tests.web.cards import take_cards
from tests.web.jobs.stage import Stage, Taste
from tests.web.locker_sites import Site

pytestmark = needs_chromium
LIVE_MS = 60_000
QUIET_S = 5.0
"""Three seconds without an answer from a door, and the time of a busy machine."""
KIOSK_SIZE = {"width": 1080, "height": 1400}
SENDER = {"name": "Ada", "address": "1 King St W", "city": "Toronto", "country": "CA", "lat": 43.65, "lng": -79.38}


@pytest.fixture(scope="module")
def site(demo_server: str) -> Site:
    return Site(demo_server)


def at_the_start(page: Page, site: Site, language: str = "en") -> None:
    page.goto(f"/kiosk?lang={language}#key={site.key}")
    expect(page.locator("#step-start")).to_be_visible()


def test_a_recipient_collects_at_a_screen_by_touch_and_keyboard(demo_server: str, site: Site, browser: Browser) -> None:
    parcel = site.parcel()
    with open_page(browser, demo_server, viewport=KIOSK_SIZE) as page, site.obeying():
        at_the_start(page, site)
        assert site.key not in page.url
        expect(page.locator("#site")).to_have_text(site.name)
        assert axe_faults(page, KIOSK_SIZE, PHONE_SIZE) == {}
        page.get_by_role("button", name="Collect").click()
        for digit in "00000000":
            page.get_by_role("button", name=digit, exact=True).click()
        page.get_by_role("button", name="OK").click()
        expect(page.locator("#said")).to_contain_text("Attempts left: 4")
        expect(page.locator("#code")).to_be_focused()
        page.keyboard.type(site.code(parcel))  # as a reader of QR codes types it
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading")).to_have_text("Compartment A-1 is open", timeout=LIVE_MS)
        assert axe_faults(page, PHONE_SIZE) == {}
        assert sideways_overflow(page) <= 0
        page.get_by_role("button", name="Finish").click()
        expect(page.locator("#step-start")).to_be_visible()
        expect(page.locator("#code")).to_have_value("")


def test_a_wheelchair_user_drops_off_and_a_courier_collects(demo_server: str, site: Site, browser: Browser) -> None:
    order = site.office.post("/v1/client/orderCreate", type="P", shipper=SENDER)["order"]["id"]
    wanted = {"site_id": site.id, "size": "m"}
    code = site.office.put(f"/v1/orders/{order}/locker-drop-off", **wanted)["code"]
    courier = site.office.post(f"/v1/lockers/sites/{site.id}/courier-codes")["code"]
    with open_page(browser, demo_server, viewport=KIOSK_SIZE) as page:
        at_the_start(page, site)
        page.get_by_role("button", name="Larger text").click()
        page.get_by_role("button", name="High contrast").click()
        assert axe_faults(page, KIOSK_SIZE) == {}
        page.get_by_role("button", name="Drop off").click()
        page.keyboard.type(code)
        page.keyboard.press("Enter")
        expect(page.locator("#step-door")).to_be_visible()
        assert site.obey("failed") == 1
        expect(page.get_by_role("button", name="Enter code again")).to_be_visible(timeout=LIVE_MS)
        with site.obeying():
            page.get_by_role("button", name="Enter code again").click()
            page.keyboard.type(code)
            page.keyboard.press("Enter")
            expect(page.locator("#door-said")).to_contain_text("Put your parcel in", timeout=LIVE_MS)
            page.get_by_role("button", name="Finish").click()
            page.get_by_role("button", name="Courier").click()
            page.keyboard.type(courier)
            page.keyboard.press("Enter")
            expect(page.locator("#errands")).to_contain_text(f"Order {order}")
            page.get_by_role("button", name="Empty compartment").click()
            expect(page.locator("#door-said")).to_contain_text("Take the parcel out", timeout=LIVE_MS)
            page.get_by_role("button", name="Continue").click()
            expect(page.locator("#no-errands")).to_be_visible()
            page.get_by_role("button", name="Sign out").click()
    assert site.office.get(f"/v1/orders/{order}")["order"]["status"] == "PICKED_UP"


def test_a_screen_resets_after_inactivity_and_shows_when_it_is_offline(
    demo_server: str, site: Site, browser: Browser
) -> None:
    with open_page(browser, demo_server, viewport=KIOSK_SIZE) as page:
        page.clock.install()
        at_the_start(page, site)
        page.locator(".languages").get_by_role("link", name="Deutsch").click()
        expect(page.get_by_role("heading")).to_have_text("Wählen Sie eine Aktion")
        page.get_by_role("button", name="Abholen").click()
        page.keyboard.type("1234")
        page.clock.fast_forward(65_000)
        expect(page.get_by_role("dialog")).to_contain_text("Sind Sie noch da?")
        page.clock.fast_forward(25_000)
        expect(page.get_by_role("heading")).to_have_text("Choose an action", timeout=LIVE_MS)
        page.context.set_offline(True)
        expect(page.get_by_role("alert")).to_contain_text("No connection")
        page.context.set_offline(False)
        page.goto("/kiosk#key=hlscreen_of_nobody")
        expect(page.locator("#setup-said")).to_contain_text("not active", timeout=LIVE_MS)


def test_a_product_is_bought_at_a_screen_and_paid_on_a_phone(demo_server: str, browser: Browser) -> None:
    site = Site(demo_server)
    take_cards(site.office)
    with open_page(browser, demo_server, viewport=KIOSK_SIZE) as page:
        tea = stock_product(site)
        at_the_start(page, site)
        page.get_by_role("button", name="Buy").click()
        expect(page.locator("#no-goods")).to_have_text("Nothing for sale here right now.")
        page.get_by_role("button", name="Back").click()
        put_on_sale(site, tea, pieces=2)
        page.get_by_role("button", name="Buy").click()
        expect(page.locator("#goods")).to_contain_text("€8.50")
        expect(page.locator("#goods img")).to_be_visible(timeout=LIVE_MS)
        assert axe_faults(page, KIOSK_SIZE, PHONE_SIZE) == {}
        assert sideways_overflow(page) <= 0
        page.get_by_role("button", name="Earl Grey").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#pay-said")).to_contain_text("Scan the code", timeout=LIVE_MS)
        assert axe_faults(page, PHONE_SIZE) == {}
        page.get_by_role("button", name="Cancel purchase").click()
        for outcome, said in (("failed", "did not open"), ("done", "Take Earl Grey")):
            page.get_by_role("button", name="Buy").click()
            page.get_by_role("button", name="Earl Grey").click()
            expect(page.locator("#pay-qr")).to_be_visible(timeout=LIVE_MS)
            with open_page(browser, demo_server, viewport=PHONE_SIZE) as phone, site.obeying(outcome):
                pay_by_phone(phone, str(page.locator("#step-pay").get_attribute("data-url")))
                expect(page.locator("#pay-said")).to_contain_text(said, timeout=LIVE_MS)
            page.get_by_role("button", name="Finish").click()
            expect(page.locator("#step-start")).to_be_visible()
    sold = site.office.get("/v1/lockers/shop-purchases", site_id=site.id)["purchases"]
    assert sorted(each["status"] for each in sold) == ["collected", "expired", "refunded"]


def stock_product(site: Site) -> int:
    """Create a product with a picture; purchases are booked on the demo customer."""
    code = f"TEA-{uuid4().hex[:8]}"
    office = site.office
    made = office.post("/v1/lockers/shop-products", code=code, name="Earl Grey, tin", shelf_price_minor=850)["product"]
    office.post(f"/v1/lockers/shop-products/{made['id']}/picture", picture=PHOTO)
    me = DemoApi(site.server, "customer").get("/v1/user/me")["user"]["id"]
    office.put("/v1/lockers/shop-settings", walk_in_customer_id=me)
    return int(made["id"])


def put_on_sale(site: Site, product: int, *, pieces: int) -> None:
    """Put items of a product on sale in compartments of a site."""
    wanted = {"site_id": site.id, "shop_product_id": product, "quantity": pieces}
    task = site.office.post("/v1/lockers/restock-tasks", **wanted)["task"]["id"]
    for _ in range(pieces):
        site.office.post(f"/v1/lockers/restock-tasks/{task}/fill")
        assert site.obey() == 1


def pay_by_phone(phone: Page, url: str) -> None:
    """Pay what the address behind a QR code is for, with a card."""
    phone.goto(f"/pay?lang=en#{url.partition('#')[2]}")
    phone.get_by_role("button", name="Pay by card").click()
    phone.get_by_role("button", name="Pay €").click(timeout=LIVE_MS)


def test_the_operator_finds_a_locker_and_uses_its_diagram_by_keyboard(
    demo_server: str, site: Site, browser: Browser
) -> None:
    site.parcel()
    site.parcel(inside=False)
    with open_page(browser, demo_server, "admin") as page:
        page.goto("/desk/lockers")
        page.get_by_role("searchbox", name="Search").fill(site.name)
        page.keyboard.press("Enter")
        card = page.locator(".locker-cards li")
        expect(card).to_have_count(1)
        expect(card.get_by_role("img", name="Front of locker A")).to_be_visible()
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
        assert sideways_overflow(page) <= 0
        page.set_viewport_size(DESK_SIZE)
        card.get_by_role("link", name=site.name).press("Enter")
        expect(page.get_by_role("heading", name=site.name)).to_be_visible()
        page.get_by_role("link", name="Compartment A-1,").focus()
        page.keyboard.press("ArrowDown")
        expect(page.get_by_role("link", name="Compartment A-2,")).to_be_focused()
        page.keyboard.press("ArrowRight")
        expect(page.locator(".boxes a:focus")).to_have_attribute("aria-label", re.compile("^Compartment A-9,"))
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
        assert sideways_overflow(page) <= 0
        page.set_viewport_size(DESK_SIZE)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Compartment A-9")).to_be_visible()
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
        page.emulate_media(color_scheme="dark")
        assert axe_faults(page, DESK_SIZE) == {}
    with open_page(browser, demo_server, "customer") as page:
        assert page.goto("/desk/lockers").status == 403  # type: ignore[union-attr]


def test_a_door_is_opened_with_a_reason_and_a_compartment_taken_out_of_service(
    demo_server: str, site: Site, browser: Browser
) -> None:
    with open_page(browser, demo_server, "admin") as page, site.obeying():
        page.goto(f"/desk/lockers/{site.id}")
        page.get_by_role("link", name="Compartment A-10,").click()
        page.get_by_role("textbox", name="Reason").fill("The lamp inside is on")
        page.get_by_role("button", name="Open remotely").click()
        expect(page.locator("#open-said")).to_have_text("The door is open.", timeout=LIVE_MS)
        page.get_by_role("textbox", name="Fault").fill("hinge is bent")
        page.get_by_role("button", name="Mark as faulty").click()
        expect(page.locator("#use-said")).to_contain_text("Faulty", timeout=LIVE_MS)
        expect(page.get_by_role("link", name="Compartment A-10, Faulty")).to_be_visible(timeout=LIVE_MS)
        expect(page.locator("[data-id=faults]")).to_contain_text("hinge is bent")
        page.get_by_role("button", name="Put back in service").click()
        expect(page.get_by_role("link", name="Compartment A-10, Free")).to_be_visible(timeout=LIVE_MS)
        focused = page.get_by_role("link", name="Compartment A-8,")
        focused.focus()
        reserved = page.locator("[data-id=sum-reserved] strong")
        before = int(reserved.inner_text())
        site.parcel(inside=False)
        expect(reserved).to_have_text(str(before + 1), timeout=LIVE_MS)
        expect(focused).to_be_focused()


def test_a_stuck_door_is_reported_within_three_seconds(
    demo_server: str, demo_database: str, site: Site, browser: Browser
) -> None:
    parcel = site.parcel()
    box = site.office.get(f"/v1/lockers/parcels/{parcel}")["parcel"]["box"]
    stage = Stage(browser, demo_server, demo_database, Taste("en", "desk", "light"))
    with stage.person("admin") as person:
        person.open("/desk/lockers")
        person.click(person.page.get_by_role("link", name=site.name))
        person.click(person.page.get_by_role("link", name=f"Compartment A-{box},"))
        person.click("locker_page.reason_stuck")
        person.click(person.page.get_by_role("checkbox"))
        person.click("locker_page.open")
        begun = time.monotonic()
        expect(person.page.locator("#open-said")).to_contain_text("No answer from the door. It can still open until")
        assert time.monotonic() - begun < QUIET_S
        person.click("locker_page.take_out")
        expect(person.page.locator("#use-said")).to_contain_text("Disabled", timeout=LIVE_MS)
        assert site.obey("failed") == 1
        expect(person.page.locator("#open-said")).to_have_text(
            "The door did not open. The compartment is marked as faulty.", timeout=LIVE_MS
        )
        assert (person.clicks, person.keys) <= (8, 0)


def test_the_operator_sees_why_a_compartment_opened_offline_is_out_of_service(
    demo_server: str, site: Site, browser: Browser
) -> None:
    given_up = site.parcel(inside=False)
    box = site.office.get(f"/v1/lockers/parcels/{given_up}")["parcel"]["box"]
    site.office.post(f"/v1/lockers/parcels/{given_up}/cancel")
    now, site.sequence = datetime.now(UTC).isoformat(), site.sequence + 2
    opened = {"code_id": given_up, "box": box, "purpose": "deposit", "opened_at": now, "sequence": site.sequence - 1}
    site.says(
        "device/offline-openings",
        credential=site.credential,
        sequence=site.sequence,
        sent_at=now,
        openings=[opened],
    )
    with open_page(browser, demo_server, "admin") as page:
        page.goto(f"/desk/lockers/{site.id}")
        page.get_by_role("link", name=f"Compartment A-{box},").click()
        expect(page.locator("#compartment")).to_contain_text("Opened offline for a parcel")


def test_an_operator_without_sites_gets_the_next_step_instead_of_a_world_map(
    demo_server: str, browser: Browser
) -> None:
    with open_page(browser, demo_server, "admin", viewport=PHONE_SIZE) as page:
        nothing: dict[str, Any] = {"content_type": "text/event-stream", "body": 'data: {"sites": []}\n\n'}
        page.route("**/desk/lockers/stream", lambda route: route.fulfill(**nothing))
        page.goto("/desk/lockers/map")
        expect(page.get_by_role("heading", name="No sites yet.")).to_be_visible()
        expect(page.locator("#map")).to_be_hidden()
        assert axe_faults(page, PHONE_SIZE) == {}
        page.locator("#nothing a.button").press("Enter")
        expect(page).to_have_url(f"{demo_server}/desk/act/create_locker_site")
