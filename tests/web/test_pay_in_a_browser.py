"""Paying by card with a payment link on a phone, localised and without an account."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, expect
from tests.contexts.lockers.luggage.examples import HOTEL, SERVICE, TRAVELLER
from tests.web.browser import DESK_SIZE, PHONE_SIZE, DemoApi, axe_faults, needs_chromium, open_page, sideways_overflow
from tests.web.cards import take_cards

pytestmark = needs_chromium
LIVE_MS = 60_000


@pytest.fixture(scope="module")
def office(demo_server: str) -> DemoApi:
    office = DemoApi(demo_server, "admin")
    take_cards(office)
    return office


def make_booking(office: DemoApi, customer: DemoApi) -> Any:
    """Luggage of the demo's customer that waits for its money."""
    code = f"bags-{uuid4().hex[:8]}"
    office.post("/v1/billing/services", **{**SERVICE, "code": code})
    now = datetime.now(UTC)
    times = {"drop_from": now, "drop_until": now + timedelta(hours=2), "pick_from": now + timedelta(hours=6)}
    places = {"origin": {"kind": "address", "address": "1 King St W", "city": "Toronto"}, "destination": HOTEL}
    wish = {"service_code": code, "bags": [{"size": "m"}], "traveller": TRAVELLER, **places}
    return customer.post("/v1/luggage", **wish, **{name: at.isoformat() for name, at in times.items()})["luggage"]


def test_a_traveller_pays_for_luggage_on_a_phone(demo_server: str, office: DemoApi, browser: Browser) -> None:
    booking = make_booking(office, DemoApi(demo_server, "customer"))
    made = office.post("/v1/payment-links", purpose="luggage", subject_id=booking["id"])
    with open_page(browser, demo_server, viewport=PHONE_SIZE) as page:
        page.goto(f"/pay?lang=en#{made['link']}")
        expect(page.locator("#what")).to_contain_text(f"Luggage {booking['id']}")
        assert made["link"] not in page.url
        assert axe_faults(page, PHONE_SIZE, DESK_SIZE) == {}
        page.set_viewport_size({"width": 390, "height": 844})
        for language in ("de", "zh-Hant", "en"):
            page.locator(f".languages a[hreflang='{language}']").click()
            expect(page.locator("html")).to_have_attribute("lang", language)
            expect(page.locator("#what")).to_contain_text(str(booking["id"]))
            assert sideways_overflow(page) <= 0
        page.get_by_role("button", name="Pay by card").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Pay €")).to_be_focused(timeout=LIVE_MS)
        expect(page.locator("#card")).to_contain_text("4242")
        page.keyboard.press("Enter")
        expect(page.locator("#said")).to_have_text("Payment received. Thank you!", timeout=LIVE_MS)
        assert axe_faults(page, PHONE_SIZE) == {}
    assert office.get(f"/v1/luggage/{booking['id']}")["luggage"]["paid"] is True


def test_an_unknown_link_is_reported_and_another_can_be_entered(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, viewport=PHONE_SIZE) as page:
        page.goto("/pay?lang=en#hlpay_nothing_at_all")
        expect(page.locator("#said")).to_contain_text("This payment link is not valid", timeout=LIVE_MS)
        page.get_by_label("Your payment link").fill("something else")
        page.keyboard.press("Enter")
        expect(page.locator("#said")).to_have_text("This payment link is not valid.")
    with open_page(browser, demo_server, java_script_enabled=False) as page:
        page.goto("/pay?lang=en")
        expect(page.locator("noscript p")).to_contain_text("needs JavaScript")
