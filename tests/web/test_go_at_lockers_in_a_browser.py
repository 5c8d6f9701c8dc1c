"""A driver at a locker with a phone: doors open at once or by code offline."""

import re
from typing import Any

from playwright.sync_api import Browser, Page, expect
from tests.web.browser import (
    CONSIGNEE,
    PHONE_SIZE,
    answer_in_page,
    axe_faults,
    needs_chromium,
    open_page,
    sideways_overflow,
)
from tests.web.locker_errands import LIVE_MS, Errand
from tests.web.locker_sites import Site

pytestmark = needs_chromium
NARROW: Any = {"width": 320, "height": 640}
ONE_BOX = [{"size": "s", "count": 1}]


def fits(page: Page) -> bool:
    """Check that a page is accessible, also on a small phone."""
    faults = axe_faults(page, PHONE_SIZE, NARROW)
    assert faults == {}
    overflow = sideways_overflow(page)
    page.set_viewport_size(PHONE_SIZE)
    return overflow == 0


def refresh(page: Page) -> None:
    """Refresh the day on the page."""
    page.evaluate("dispatchEvent(new Event('online'))")


def test_a_compartment_opens_for_the_driver_another_if_it_is_stuck_and_the_stop_is_completed(
    demo_server: str, browser: Browser
) -> None:
    site = Site(demo_server, opening_hours="Mo-Su 06:00-22:00", access_notes="Behind the ticket office")
    errand = Errand(site)
    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE) as page:
        errand.begin(page)
        expect(errand.section(page)).to_contain_text("Deliver to locker")
        locker = errand.open_stop(page)
        for said in (
            site.name,
            "65 Front St W",
            "06:00 AM–10:00 PM",
            "Behind the ticket office",
            "Locker A, compartment 1",
        ):
            expect(locker).to_contain_text(said)
        assert fits(page)
        page.locator("#open-box").focus()
        page.keyboard.press("Enter")
        expect(locker.get_by_role("status")).to_contain_text("Compartment A-1 is opening", timeout=LIVE_MS)
        page.keyboard.press("Enter")
        assert site.obey("failed") == 1
        said = "Compartment A-1 did not open. Compartment A-2 is reserved instead"
        expect(locker.get_by_role("status")).to_contain_text(said, timeout=LIVE_MS)
        expect(locker.locator(".box-number")).to_have_text("Locker A, compartment 2")
        assert fits(page)
        assert site.obey() == 0, "no door is asked for unless the driver presses"
        with site.obeying():
            page.get_by_role("button", name="Open compartment").press("Enter")
            expect(locker.get_by_role("status")).to_contain_text("Compartment A-2 is open", timeout=LIVE_MS)
        done = page.get_by_role("button", name="Parcel inside, door closed")
        expect(page.locator("#locker-code")).to_have_count(0)
        assert fits(page)
        done.press("Enter")
        page.wait_for_url("**/go#day")
        expect(page.locator("#waiting")).to_have_text("Synced", timeout=LIVE_MS)
    assert (errand.stop()["status"], errand.delivery()["status"]) == ("completed", "deposited")
    assert errand.office.get(f"/v1/orders/{errand.order}")["order"]["status"] == "OUT_FOR_DELIVERY"


def test_offline_a_code_opens_the_compartment_instead_of_a_remote_request(demo_server: str, browser: Browser) -> None:
    site = Site(demo_server)
    errand = Errand(site)
    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE) as page:
        page.goto("/go")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        errand.begin(page)
        answer_in_page(page, "Object.keys(localStorage).some((name) => name.startsWith('haulier-go-codes'))")
        keypad = site.loses_its_line()
        page.context.set_offline(True)
        page.reload()
        locker = errand.open_stop(page)
        page.get_by_role("button", name="Open compartment").press("Enter")
        expect(locker.get_by_role("status")).to_contain_text("You are offline, so no compartment can be opened")
        page.get_by_text("Offline code").click()
        code = page.locator(".box-code")
        expect(code).to_have_text(re.compile(r"^\d{4} \d{4}$"))
        expect(page.locator("#locker-code")).to_contain_text("Enter it at locker A. It opens compartment A-1 once")
        assert fits(page)
        assert site.opens_alone(keypad, code.inner_text().replace(" ", ""))
        page.locator("#put-in").press("Enter")
        expect(page.locator("#locker-code")).to_contain_text("Parcel deposited at")
        assert fits(page)
        page.get_by_role("link", name="All stops").click()
        expect(errand.section(page).locator("li.stop")).to_contain_text("waiting for locker")
        page.reload()
        page.context.set_offline(False)
        refresh(page)
        expect(page.locator("#line")).to_have_text("Online", timeout=LIVE_MS)
        expect(errand.section(page).locator("li.stop")).to_contain_text("waiting for locker")
        assert (errand.stop()["status"], site.obey()) == ("planned", 0)
        assert site.tells(keypad) == ["settled"]
        refresh(page)
        expect(errand.section(page)).to_contain_text("1 of 1", timeout=LIVE_MS)
        expect(page.locator("#waiting")).to_have_text("Synced", timeout=LIVE_MS)
        answer_in_page(page, 'Object.values(localStorage).every((kept) => !/"code":"\\d{8}"/.test(kept))')
    assert (errand.stop()["status"], errand.delivery()["status"]) == ("completed", "deposited")


def test_when_nothing_opens_the_driver_sees_the_fallback(demo_server: str, browser: Browser) -> None:
    place: dict[str, Any] = {"lat": 44.91, "lng": -79.38}
    site, other = Site(demo_server, ONE_BOX, **place), Site(demo_server, **place, address="9 Other St")
    errand = Errand(site)
    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE) as page:
        errand.begin(page)
        locker = errand.open_stop(page)
        page.get_by_role("button", name="Open compartment").click()
        expect(locker.get_by_role("status")).to_contain_text("is opening", timeout=LIVE_MS)
        assert site.obey("failed") == 1
        expect(locker.get_by_role("status")).to_contain_text("goes to the nearest locker", timeout=LIVE_MS)
        page.get_by_role("button", name="Open compartment").click()
        expect(page.locator("#view .notice.warn").first).to_contain_text(f"now goes to {other.name}", timeout=LIVE_MS)
        expect(page.get_by_role("heading", name="9 Other St")).to_be_visible()
        expect(locker).to_contain_text(other.name)
    assert errand.delivery()["site_id"] == other.id


def test_a_failed_locker_delivery_goes_to_the_address_in_the_drivers_language(
    demo_server: str, browser: Browser
) -> None:
    errand = Errand(Site(demo_server), if_full="address")
    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE, locale="de-DE") as page:
        errand.begin(page)
        errand.open_stop(page)
        page.get_by_text("Hier öffnet sich kein Fach").click()
        expect(page.locator("#giving-up")).to_contain_text("Das Paket geht an die Adresse des Empfängers.")
        page.get_by_role("button", name="Schließfachzustellung abbrechen").click()
        expect(page.locator("#view .notice.warn").first).to_contain_text(
            "Die Zustellung ins Schließfach wurde abgebrochen. Stellen Sie an der oben genannten Adresse des Empfängers zu",
            timeout=LIVE_MS,
        )
        expect(page.get_by_role("heading", name=str(CONSIGNEE["address"]))).to_be_visible()
        expect(page.get_by_role("button", name="Zugestellt")).to_be_visible()
        assert fits(page)
    assert errand.delivery()["status"] == "fallen_back"


def test_a_door_request_with_a_lost_response_differs_from_an_unsent_one(demo_server: str, browser: Browser) -> None:
    site = Site(demo_server)
    errand = Errand(site)
    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE, service_workers="block") as page:
        errand.begin(page)
        locker = errand.open_stop(page)

        def lose(route: Any) -> None:
            route.fetch()
            route.abort()

        page.route("**/go/ask/rider_open_locker", lose, times=1)
        page.get_by_role("button", name="Open compartment").click()
        expect(locker.get_by_role("status")).to_contain_text("A compartment may still open", timeout=LIVE_MS)
        page.get_by_role("button", name="Open compartment").click()
        expect(locker.get_by_role("status")).to_contain_text("Compartment A-1 is opening", timeout=LIVE_MS)
        assert site.obey() == 1, "two presses, one door"


def test_an_offline_locker_is_reported_and_a_replaced_code_is_hidden(demo_server: str, browser: Browser) -> None:
    site = Site(demo_server)
    errand = Errand(site)
    with open_page(browser, demo_server, "driver", viewport=PHONE_SIZE) as page:
        page.clock.install()
        errand.begin(page)
        locker = errand.open_stop(page)
        page.get_by_text("Offline code").click()
        code = page.locator(".box-code")
        expect(code).to_be_visible(timeout=LIVE_MS)
        first = code.inner_text()
        page.get_by_role("button", name="Open compartment").click()
        expect(locker.get_by_role("status")).to_contain_text("Compartment A-1 is opening", timeout=LIVE_MS)
        page.clock.fast_forward(40_000)
        expect(locker.get_by_role("status")).to_contain_text("The locker is not responding", timeout=LIVE_MS)
        site.code(errand.delivery()["locker_parcel_id"])
        refresh(page)
        expect(page.locator("#locker-code")).to_contain_text(
            "A newer code replaced the one on this phone", timeout=LIVE_MS
        )
        expect(code).to_have_count(0)
        page.get_by_role("button", name="Create new code").click()
        expect(code).to_be_visible(timeout=LIVE_MS)
        keypad = site.loses_its_line()
        assert not site.opens_alone(keypad, first.replace(" ", ""))
        assert site.opens_alone(keypad, code.inner_text().replace(" ", ""))
