"""Staff and recipients turn push notifications on and off."""

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browser import DESK_SIZE, PHONE_SIZE, DemoApi, axe_faults, deliver_push, needs_chromium, open_page

pytestmark = needs_chromium
BEGIN, END = "Turn on notifications", "Turn off notifications"
# The test browser has no push service that would assign an address.
PUSH_SERVICE = """
  const keys = { auth: "BTBZMqHH6r4Tts7J_aSIgg" };
  keys.p256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
  const endpoint = "https://push.example/send/kq3Nw0tyVHo";
  const unsubscribe = async () => localStorage.removeItem("subscribed");
  const made = { toJSON: () => ({ endpoint, keys }), unsubscribe };
  PushManager.prototype.getSubscription = async () => (localStorage.getItem("subscribed") ? made : null);
  PushManager.prototype.subscribe = async () => (localStorage.setItem("subscribed", "yes"), made);
"""
WORKERS = """() => navigator.serviceWorker.getRegistrations()
  .then((known) => known.map((worker) => new URL(worker.scope).pathname))"""


@pytest.fixture(scope="module")
def office(demo_server: str) -> DemoApi:
    """The office of a business that chats."""
    api = DemoApi(demo_server, "admin")
    api.put("/v1/client/profile/features/order_chat", enabled=True)
    return api


def allow_pushes(page: Page, base: str) -> None:
    page.context.grant_permissions(["notifications"], origin=base)
    page.add_init_script(PUSH_SERVICE)


def test_the_desk_settings_offer_push_notifications(demo_server: str, office: DemoApi, browser: Browser) -> None:
    told = {"title": "Message about HL1", "body": "The driver wrote.", "order_id": 62, "page": "/orders/62/chat"}
    with open_page(browser, demo_server, "admin") as page:
        allow_pushes(page, demo_server)
        page.goto("/desk/sections/messages")
        page.get_by_role("button", name=BEGIN).press("Enter")
        expect(page.get_by_role("button", name=END)).to_be_focused()
        assert [device["kind"] for device in office.get("/v1/push-devices")["devices"]] == ["web"]
        [scope] = page.evaluate(WORKERS)
        assert scope.startswith("/push/desk/")
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
        page.reload()
        expect(page.get_by_role("button", name=END)).to_be_visible()
        assert page.evaluate("navigator.serviceWorker.controller") is None, "the desk is kept by no worker"
        assert page.evaluate("caches.keys()") == []
        shown = deliver_push(page, demo_server, scope, told)
        assert shown == {**{name: told[name] for name in ("title", "body", "page")}, "tag": "order-chat-62"}
        page.get_by_role("button", name=END).press("Enter")
        expect(page.get_by_role("button", name=BEGIN)).to_be_focused()
        assert page.evaluate(WORKERS) == []
    assert office.get("/v1/push-devices")["devices"] == []


def test_a_recipient_is_offered_push_notifications_for_one_delivery_beside_the_chat(
    demo_server: str, office: DemoApi, browser: Browser
) -> None:
    consignee = {"name": "Zoë", "address": "1 King St W", "city": "Toronto", "country": "CA", "postal_code": "M5H 1A1"}
    order = office.post("/v1/client/orderCreate", consignee={**consignee, "lat": 43.65, "lng": -79.38})["order"]
    with open_page(browser, demo_server, viewport=PHONE_SIZE) as page:
        allow_pushes(page, demo_server)
        page.goto(f"/track/{order['tracking_number']}")
        page.get_by_label("postal code").fill("M5H 1A1")
        page.keyboard.press("Enter")
        page.get_by_role("button", name=BEGIN).press("Enter")
        expect(page.get_by_role("button", name=END)).to_be_focused()
        assert page.evaluate(WORKERS) == [f"/push/track/{order['tracking_number']}/chat/"]
        assert axe_faults(page, PHONE_SIZE) == {}
        with page.expect_response("**/remove_delivery_push_device") as removed:
            page.get_by_role("button", name=END).press("Enter")
        assert removed.value.ok
        expect(page.get_by_role("button", name=BEGIN)).to_be_focused()


def test_blocked_notifications_are_explained(demo_server: str, office: DemoApi, browser: Browser) -> None:
    with open_page(browser, demo_server, "admin") as page:
        page.add_init_script("Notification.requestPermission = async () => 'denied'")
        page.goto("/desk/sections/messages")
        page.get_by_role("button", name=BEGIN).click()
        expect(page.locator("#alerts-place")).to_contain_text("blocks notifications from this site")
        assert page.evaluate(WORKERS) == []
