"""The driver app in a browser: a day offline is synchronised correctly later."""

from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from PIL import Image
from playwright.sync_api import Browser, FilePayload, Page, expect
from tests.web.browser import (
    CONSIGNEE,
    PHONE_SIZE,
    DemoApi,
    axe_faults,
    deliver_push,
    needs_chromium,
    open_page,
    sideways_overflow,
)

pytestmark = needs_chromium
TOUCH_PX = 44
"""How high whatever is touched must be (WCAG 2.5.5)."""
DELIVER = "Delivered"

QUEUED = """async () => {
  const { openQueue } = await import("/static/device-queue.js");
  return (await openQueue("go", document.getElementById("go").dataset.user)).list();
}"""


def make_photo() -> FilePayload:
    """A picture as a phone takes it, larger than what is sent."""
    file = BytesIO()
    Image.effect_noise((2400, 1800), 60).convert("RGB").save(file, "JPEG", quality=95)
    return {"name": "door.jpg", "mimeType": "image/jpeg", "buffer": file.getvalue()}


@pytest.fixture(scope="module")
def office(demo_server: str) -> DemoApi:
    return DemoApi(demo_server, "admin")


@pytest.fixture
def route(office: DemoApi) -> dict[str, Any]:
    """Create a route of today with three stops for the demo driver, and its orders."""
    driver = office.get("/v1/drivers", search="Dana")["drivers"][0]["id"]
    day = datetime.now(UTC).astimezone(ZoneInfo("Europe/Helsinki")).date().isoformat()
    depot = office.get("/v1/depots")["depots"][0]["id"]
    orders = [
        office.post(
            "/v1/client/orderCreate", consignee={**CONSIGNEE, "name": name}, packages=[{"weight_g": 900}], **more
        )["order"]
        for name, more in (("Zoë", {}), ("Ali", {"cod_minor": 2_400}), ("Bea", {"pin_required": True}))
    ]
    made = office.post("/v1/routes", day=day, depot_id=depot, driver_id=driver, name=f"Phone {orders[0]['id']}")[
        "route"
    ]
    office.post(f"/v1/routes/{made['id']}/orders", order_ids=[order["id"] for order in orders])
    return {"id": made["id"], "name": made["name"], "orders": [order["id"] for order in orders]}


def open_day(page: Page) -> None:
    page.goto("/go")
    expect(page.locator("#line")).to_have_text("Online")


def section(page: Page, route: dict[str, Any]) -> Any:
    return page.get_by_role("region", name=route["name"])


def open_stop(page: Page, route: dict[str, Any], name: str) -> None:
    section(page, route).locator("li.stop", has_text=name).click()
    expect(page.get_by_role("link", name="All stops")).to_be_visible()


def stops_of(office: DemoApi, route: dict[str, Any]) -> list[Any]:
    return office.get(f"/v1/routes/{route['id']}")["route"]["stops"]


def sent(page: Page) -> None:
    expect(page.locator("#waiting")).to_have_text("Synced", timeout=40_000)


def test_a_day_offline_is_stored_and_synced_when_back_online(
    demo_server: str, office: DemoApi, route: dict[str, Any], browser: Browser
) -> None:
    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE) as page:
        page.clock.install(time=datetime.now(UTC) - timedelta(hours=2))
        open_day(page)
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.reload()
        expect(page.locator("#line")).to_have_text("Online")
        page.context.set_offline(True)
        section(page, route).get_by_role("button", name="Start route").click()
        page.clock.fast_forward("01:00:00")
        open_stop(page, route, "Zoë")
        page.set_input_files("#photos", make_photo())
        expect(page.locator(".pictures img")).to_have_count(1)
        page.fill("#recipient", "Zoë herself")
        page.get_by_role("button", name=DELIVER).dblclick()
        expect(page.locator("#waiting")).to_have_text("3 to sync")
        page.clock.fast_forward("00:30:00")
        open_stop(page, route, "Ali")
        page.get_by_role("button", name=DELIVER).click()
        expect(page.locator("#waiting")).to_have_text("4 to sync")
        page.clock.fast_forward("00:30:00")
        open_stop(page, route, "Bea")
        page.get_by_text("Can’t deliver").click()
        page.locator(".reasons button").first.click()
        expect(page.locator("#waiting")).to_have_text("5 to sync")
        entries = page.evaluate(QUEUED)
        assert [bool(entry.get("large")) for entry in entries] == [False, True, False, False, False]
        assert len(str(entries)) < 4_000, "the queue is read without its pictures"
        page.reload()
        expect(section(page, route)).to_contain_text("3 of 3")
        expect(page.locator("#waiting")).to_have_text("5 to sync")
        assert {stop["status"] for stop in stops_of(office, route)} == {"planned"}
        page.context.set_offline(False)
        page.evaluate("dispatchEvent(new Event('online'))")
        sent(page)
        back = section(page, route).get_by_role("button", name="Back at depot")
        back.click()
        expect(back).to_have_count(0)
        sent(page)
    zoe, ali, bea = stops_of(office, route)
    assert [zoe["status"], ali["status"], bea["status"]] == ["completed", "completed", "brought_back"]
    assert (zoe["proof"]["recipient"], len(zoe["proof"]["photo_urls"])) == ("Zoë herself", 1)
    ended = [datetime.fromisoformat(stop["ended_at"]) for stop in (zoe, ali)]
    assert timedelta(minutes=29) < ended[1] - ended[0] < timedelta(minutes=31)
    assert office.get(f"/v1/routes/{route['id']}")["route"]["status"] == "finished"
    entries = office.get("/v1/cod/entries", order_id=route["orders"][1])["entries"]
    assert ("cash", 2_400) in [(entry["method"], entry["amount_minor"]) for entry in entries]


def test_a_report_can_be_undone_for_a_few_seconds(
    demo_server: str, office: DemoApi, route: dict[str, Any], browser: Browser
) -> None:
    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE) as page:
        open_day(page)
        section(page, route).get_by_role("button", name="Start route").click()
        sent(page)
        open_stop(page, route, "Zoë")
        page.get_by_role("button", name=DELIVER).click()
        page.get_by_role("button", name="Undo").click()
        page.wait_for_url("**/go#stop-*")
        expect(page.get_by_role("button", name=DELIVER)).to_be_visible()
        sent(page)
    assert stops_of(office, route)[0]["status"] == "planned"


def test_missing_proof_is_reported_before_saving(
    demo_server: str, office: DemoApi, route: dict[str, Any], browser: Browser
) -> None:
    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE) as page:
        open_day(page)
        section(page, route).get_by_role("button", name="Start route").click()
        open_stop(page, route, "Ali")
        page.fill("#cash", "20")
        page.get_by_role("button", name=DELIVER).click()
        expect(page.locator("form.door [role=alert]")).to_contain_text("collected less than is due")
        page.fill("#cod_reason", "Had only 20.")
        page.get_by_role("button", name=DELIVER).click()
        page.wait_for_url("**/go#day")
        sent(page)
    assert stops_of(office, route)[1]["status"] == "completed"


def test_a_report_refused_by_the_server_is_explained_and_can_be_repeated(
    demo_server: str, office: DemoApi, route: dict[str, Any], browser: Browser
) -> None:
    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE, service_workers="block") as page:
        open_day(page)
        section(page, route).get_by_role("button", name="Start route").click()
        open_stop(page, route, "Bea")
        page.fill("#pin", "00000000")
        page.get_by_role("button", name=DELIVER).click()
        alert = page.get_by_role("alert").filter(has_text="rejected")
        expect(alert).to_be_visible(timeout=40_000)
        alert.get_by_role("button", name="OK").click()
        expect(alert).to_have_count(0)
        open_stop(page, route, "Bea")
        expect(page.get_by_role("button", name=DELIVER)).to_be_visible()


def test_packages_are_scanned_while_loading_and_unknown_ones_reported(
    demo_server: str, route: dict[str, Any], office: DemoApi, browser: Browser
) -> None:
    number = stops_of(office, route)[0]["tracking_number"]
    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE) as page:
        open_day(page)
        form = section(page, route).locator("form.scanning")
        form.locator("input").fill(number)
        form.locator("input").press("Enter")
        expect(section(page, route)).to_contain_text("1 of 3 packages loaded")
        form.locator("input").fill("NOBODY")
        form.locator("input").press("Enter")
        expect(form.locator(".said")).to_contain_text("unknown on this phone")
        sent(page)


@pytest.mark.parametrize("view", ["day", "stop", "offers", "board", "money"])
def test_the_app_fits_a_phone_and_is_accessible(
    demo_server: str, office: DemoApi, browser: Browser, view: str, request: pytest.FixtureRequest
) -> None:
    route = request.getfixturevalue("route")
    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE) as page:
        open_day(page)
        if view == "stop":
            section(page, route).get_by_role("button", name="Start route").click()
            open_stop(page, route, "Ali")
        else:
            page.goto(f"/go#{view}")
        expect(page.locator("#view :is(h2, h3)").first).to_be_visible()
        assert sideways_overflow(page) == 0
        touched = page.locator("#view :is(button:not(.text), select, input:not([type=checkbox])):visible")
        assert [box for each in touched.all() if (box := each.bounding_box()) and box["height"] < TOUCH_PX] == []
        assert axe_faults(page, PHONE_SIZE) == {}


def test_the_app_can_be_installed_and_is_the_drivers_home_page(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, "driver", locale="de-DE") as page:
        page.goto("/sign-in")
        page.wait_for_url("**/go")
        address = page.locator("link[rel=manifest]").get_attribute("href")
        manifest = page.evaluate("address => fetch(address).then((answer) => answer.json())", address)
        assert (manifest["start_url"], manifest["display"], manifest["lang"]) == ("/go", "standalone", "de")
        scope = page.evaluate("navigator.serviceWorker.ready.then((known) => new URL(known.scope).pathname)")
        assert scope == "/go"


def test_the_app_is_for_drivers_only(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, "employee") as page:
        answer = page.goto("/go")
        assert answer is not None
        assert answer.status == 403
        expect(page.get_by_role("main")).to_contain_text("for drivers")


def test_a_push_notification_shows_the_order_and_its_chat(demo_server: str, browser: Browser) -> None:
    told = {"title": "Message about HL1", "body": "The dispatcher wrote.", "order_id": 62, "page": "/orders/62/chat"}
    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE) as page:
        page.context.grant_permissions(["notifications"], origin=demo_server)
        open_day(page)
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        shown = deliver_push(page, demo_server, "/go", told)
    assert shown == {
        **{name: told[name] for name in ("title", "body", "page")},
        "tag": "order-chat-62",
    }
