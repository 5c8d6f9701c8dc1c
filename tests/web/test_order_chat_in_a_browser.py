"""Office and recipient write to each other in real browsers: by keyboard, on a phone, and live."""

from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from tests.web.browser import DESK_SIZE, PHONE_SIZE, DemoApi, axe_faults, needs_chromium, open_page, sideways_overflow

pytestmark = needs_chromium
HOME = {"name": "Zoë", "address": "1 King St W", "city": "Toronto", "country": "CA", "postal_code": "M5H 1A1"}
LIVE_MS = 60_000


@pytest.fixture
def order(demo_server: str) -> dict[str, Any]:
    """An order of a business that chats."""
    office = DemoApi(demo_server, "admin")
    office.put("/v1/client/profile/features/order_chat", enabled=True)
    return office.post("/v1/client/orderCreate", consignee={**HOME, "lat": 43.65, "lng": -79.38})["order"]


def test_office_and_recipient_write_to_each_other(demo_server: str, order: dict[str, Any], browser: Browser) -> None:
    chat = f"/orders/{order['id']}/chat"
    with (
        open_page(browser, demo_server, "admin") as office,
        open_page(browser, demo_server, viewport=PHONE_SIZE, timezone_id="Asia/Tokyo") as recipient,
    ):
        office.goto(chat)
        expect(office.get_by_text("Nobody has written yet.")).to_be_visible()
        office.get_by_label("Your message").fill("Which door is it?")
        office.keyboard.press("Enter")
        expect(office.locator("#chat-said li.mine")).to_contain_text("Which door is it?")
        recipient.goto(f"/track/{order['tracking_number']}")
        recipient.get_by_label("postal code").fill("M5H 1A1")
        recipient.keyboard.press("Enter")
        expect(recipient.locator("#chat-said")).to_contain_text("Which door is it?")
        here = office.locator("#chat-said time").first.inner_text()
        expect(recipient.locator("#chat-said time").first).to_have_text(here)
        expect(office.locator("#chat-said li.mine .read")).to_have_text("Read: recipient", timeout=LIVE_MS)
        recipient.get_by_role("button", name="Please leave it at the door.").click()
        expect(office.locator("#chat-said")).to_contain_text("Please leave it at the door.", timeout=LIVE_MS)
        assert sideways_overflow(recipient) <= 0
        assert axe_faults(recipient, PHONE_SIZE) == {}
        assert axe_faults(office, DESK_SIZE, PHONE_SIZE) == {}
