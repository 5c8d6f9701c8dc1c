"""Staff and recipient chat in browsers: by keyboard, on a phone, and live."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from tests.web.boards import open_board
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


def test_office_and_recipient_can_exchange_messages(demo_server: str, order: dict[str, Any], browser: Browser) -> None:
    chat = f"/orders/{order['id']}/chat"
    with (
        open_page(browser, demo_server, "admin") as office,
        open_page(browser, demo_server, viewport=PHONE_SIZE, timezone_id="Asia/Tokyo") as recipient,
    ):
        office.goto(chat)
        expect(office.get_by_text("No messages yet.")).to_be_visible()
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


class Recipient:
    """A recipient who is verified on the tracking page."""

    def __init__(self, office: DemoApi, order: dict[str, Any]) -> None:
        self._api = office
        opened = office.post("/v1/tracking/deliveries/open", number=order["tracking_number"], proof="M5H 1A1")
        self._access = opened["access"]

    def say(self, text: str) -> None:
        self._api.post("/v1/tracking/deliveries/chat/messages", access=self._access, text=text)


def make_route(office: DemoApi, day: date) -> list[dict[str, Any]]:
    """Create two orders on a route of a day; return them in stop order."""
    home = {**HOME, "lat": 43.65, "lng": -79.38}
    made = [
        office.post("/v1/client/orderCreate", consignee=home, scheduled_date=str(day), order_ref=f"CHAT-{n}")["order"]
        for n in range(2)
    ]
    depot = office.get("/v1/depots")["depots"][0]["id"]
    route = office.post("/v1/routes", day=str(day), depot_id=depot, name="Tour 01")["route"]["id"]
    office.post(f"/v1/routes/{route}/orders", order_ids=[each["id"] for each in made])
    by_id = {each["id"]: each for each in made}
    return [by_id[stop["order_id"]] for stop in office.get(f"/v1/routes/{route}")["route"]["stops"]]


def test_the_chat_of_a_stop_is_shown_beside_it_on_the_board(
    demo_server: str, order: dict[str, Any], browser: Browser, days: Iterator[date]
) -> None:
    office, day = DemoApi(demo_server, "admin"), next(days)
    first, second = make_route(office, day)
    recipient = Recipient(office, first)
    recipient.say("The blue door.")
    with open_page(browser, demo_server, "admin") as page:
        complaints = open_board(page, day)
        chat, said, link = page.locator("#stop-chat"), page.locator("#chat-said"), page.locator("#chosen-chat")
        page.locator("#lanes").focus()
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        expect(link).to_have_attribute("href", f"/orders/{first['id']}/chat")
        link.focus()
        page.keyboard.press("Enter")
        expect(chat.get_by_role("heading", name=f"Chat about order {first['id']}")).to_be_visible()
        expect(said).to_contain_text("The blue door.")
        expect(page.locator("#chat-text")).to_be_focused()
        page.keyboard.type("Thank you.")
        page.keyboard.press("Enter")
        expect(said.locator("li.mine")).to_contain_text("Thank you.")
        expect(page.locator("#chat-text")).to_have_value("")
        recipient.say("Ring twice.")
        expect(said).to_contain_text("Ring twice.", timeout=LIVE_MS)
        faults = axe_faults(page, DESK_SIZE, PHONE_SIZE)
        page.set_viewport_size(PHONE_SIZE)
        assert (faults, sideways_overflow(page)) == ({}, 0)
        page.set_viewport_size(DESK_SIZE)
        page.keyboard.type("Not yet sen")
        page.keyboard.press("Escape")
        expect(chat).to_be_hidden()
        expect(link).to_be_focused()
        recipient.say("Is anybody there?")
        page.keyboard.press("ArrowRight")
        expect(link).to_have_attribute("href", f"/orders/{second['id']}/chat")
        link.click()
        expect(chat).to_contain_text("No messages yet.")
        expect(said.locator("li")).to_have_count(0)
        expect(page.locator("#chat-text")).to_have_value("")
        page.get_by_role("button", name="Close").click()
        page.keyboard.press("ArrowLeft")
        assert office.get(f"/v1/order-chats/{first['id']}")["chat"]["unread"] == 1, "what nobody saw is not read"
        expect(link).to_have_attribute("href", f"/orders/{first['id']}/chat")
        link.click()
        expect(said).to_contain_text("Is anybody there?")
        expect(page.locator("#chat-text")).to_have_value("Not yet sen")
    assert complaints == []
