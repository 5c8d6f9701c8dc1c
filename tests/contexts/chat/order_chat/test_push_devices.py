"""Push notifications of chats: after storing, only if unread, and without content."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.adapters.push_services import DeviceBrowser, PushService, make_push_service
from tests.contexts.chat.makers import chat_of, make_chat, recipient_access, said
from tests.support.app import App
from tests.support.transport import set_order

from haulier.adapters.phone_pushes import PhonePushes, WebPushes, make_web_key
from haulier.adapters.webhooks import HttpWebhookSender
from haulier.contexts.chat.order_chat.rules import DEVICES_MAX, PUSH_AFTER
from haulier.contexts.chat.ports import PhonePusher, PushGone, PushKind, PushNote, PushTarget


@pytest.fixture
def service(app: App) -> Iterator[PushService]:
    adapters: Any = app.application.adapters
    before = adapters[PhonePusher]
    pushes = WebPushes(make_web_key(), "mailto:ops@example.com", HttpWebhookSender(private=True))
    with make_push_service() as service:
        adapters[PhonePusher] = PhonePushes({PushKind.WEB: pushes})
        yield service
    adapters[PhonePusher] = before


async def make_device(app: App, service: PushService, who: str, **words: Any) -> DeviceBrowser:
    """Register a browser of a user for push notifications."""
    device = DeviceBrowser(service.url, who)
    await app.answer(who, "register_push_device", {**device.subscription, **words})
    return device


async def devices_of(app: App, who: str) -> list[Any]:
    return (await app.answer(who, "list_push_devices")).devices


async def woken(app: App, service: PushService) -> list[str]:
    """Return the notified users after the delay for reading."""
    app.clock.forward(seconds=PUSH_AFTER.total_seconds())
    await app.work_off()
    return sorted(path.removeprefix("/send/") for path, _, _ in service.taken)


async def test_pushes_to_other_participants_name_only_the_order_and_the_author(app: App, service: PushService) -> None:
    order = await make_chat(app)
    customer = await make_device(app, service, "customer")
    for who in ("driver", "driver2"):
        await make_device(app, service, who)
    message = await said(app, "driver", order, "Call me at +1 416 555 0123")
    assert await app.work_off() == 0
    assert await woken(app, service) == ["customer"]
    number = (await app.answer("customer", "get_order_detail", {"order_id": order})).order.tracking_number
    assert customer.read(service.taken[0][2]) == {
        "type": "order_chat_message",
        "order_id": order,
        "message_id": message.id,
        "title": f"Message about {number}",
        "body": "The driver wrote.",
        "page": f"/orders/{order}/chat",
    }
    await said(app, "customer", order, "Coming")
    assert await woken(app, service) == ["customer", "driver"]


async def test_readers_and_muted_participants_get_no_push(app: App, service: PushService) -> None:
    order = await make_chat(app)
    for who in ("customer", "driver", "admin"):
        await make_device(app, service, who)
    await said(app, "admin", order, "The office takes part")
    message = await said(app, "driver", order, "I am here")
    until = (app.clock.now + timedelta(hours=1)).isoformat()
    await app.answer("customer", "mute_order_chat", {"order_id": order, "until": until})
    await app.answer("admin", "mark_chat_read", {"order_id": order, "read_up_to": message.id})
    await app.answer("driver", "mark_chat_read", {"order_id": order, "read_up_to": message.id})
    assert await woken(app, service) == []
    app.clock.forward(hours=1)
    await said(app, "driver", order, "Still here")
    assert await woken(app, service) == ["admin", "customer"]
    assert (await chat_of(app, "customer", order)).unread == 3


async def test_a_recipient_registers_a_browser_for_their_delivery_only(app: App, service: PushService) -> None:
    order, other = await make_chat(app), await make_chat(app)
    mine = {"access": await recipient_access(app, order)}
    device = DeviceBrowser(service.url, "recipient")
    asked = {**mine, **device.subscription}
    made = (await app.answer(None, "register_delivery_push_device", asked, accept_language="de")).device
    await said(app, "driver", other, "Not theirs")
    await said(app, "driver", order, "I am here")
    assert await woken(app, service) == ["recipient"]
    told = device.read(service.taken[0][2])
    assert (told["body"], told["page"].split("/")[1]) == ("Der Fahrer hat geschrieben.", "track")
    listed = await app.answer(None, "list_delivery_push_devices", mine)
    assert ([each.id for each in listed.devices], [*listed.kinds]) == ([made.id], ["web"])
    assert listed.web_push_key == app.application.adapter(PhonePusher).web_key
    theirs = {"access": await recipient_access(app, other), "device_id": made.id}
    refused = await app.call(None, "remove_delivery_push_device", theirs)
    assert refused.error
    assert refused.error["code"] == "NOT_FOUND"
    await app.answer(None, "remove_delivery_push_device", {**mine, "device_id": made.id})
    assert (await app.answer(None, "list_delivery_push_devices", mine)).devices == []


async def test_an_unavailable_push_service_is_retried_and_an_expired_device_is_deleted(
    app: App, service: PushService
) -> None:
    order = await make_chat(app)
    await make_device(app, service, "customer")
    service.says = 503
    await said(app, "driver", order, "I am here")
    assert await woken(app, service) == []
    service.says = 201
    app.clock.forward(hours=1)
    assert await woken(app, service) == ["customer"]
    service.says = 410
    await said(app, "driver", order, "Are you there?")
    await woken(app, service)
    assert await devices_of(app, "customer") == []


async def test_an_apple_device_that_registered_again_is_kept(app: App, service: PushService) -> None:
    order = await make_chat(app)
    adapters: Any = app.application.adapters
    apple = _GoneSince(app.clock.now)
    adapters[PhonePusher] = PhonePushes({PushKind.APNS: apple})
    phone = {"kind": "apns", "address": "00fc13adff785122b4ad28809a342098"}
    app.clock.forward(minutes=1)
    await app.answer("customer", "register_push_device", phone)
    for since, left in ((apple.since, 1), (app.clock.now + timedelta(minutes=1), 0)):
        apple.since = since
        await said(app, "driver", order, "I am here")
        await woken(app, service)
        assert len(await devices_of(app, "customer")) == left
    assert apple.asked == 2
    refused = await app.call("customer", "register_push_device", {**phone, "address": "../3/device/x"})
    assert refused.error
    assert refused.error["code"] == "INVALID_REQUEST"


class _GoneSince:
    """Apple, to whom the app of a device has been gone since some moment."""

    def __init__(self, since: datetime) -> None:
        self.since, self.asked = since, 0

    async def push(self, target: PushTarget, note: PushNote) -> None:
        self.asked += 1
        raise PushGone("Unregistered", since=self.since)


async def test_users_without_access_to_the_order_or_the_module_get_no_push(app: App, service: PushService) -> None:
    order = await make_chat(app)
    for who in ("driver", "driver2"):
        await make_device(app, service, who)
    await said(app, "customer", order, "Hello")
    await set_order(app, order, driver_id=app.ids["driver2"])
    assert await woken(app, service) == ["driver2"]
    await said(app, "customer", order, "Hello again")
    await app.answer("admin", "set_feature", {"feature": "order_chat", "enabled": False})
    assert await woken(app, service) == ["driver2"]


async def test_a_device_belongs_to_its_owner_and_is_stored_once(app: App, service: PushService) -> None:
    await make_chat(app)
    await make_device(app, service, "driver", name="Blue phone")
    app.clock.forward(days=1)
    await make_device(app, service, "driver", name="Red phone")
    (own,) = await devices_of(app, "driver")
    assert (own.name, own.seen_at - own.created_at) == ("Red phone", timedelta(days=1))
    refused = await app.call("customer", "remove_push_device", {"device_id": own.id})
    assert refused.error
    assert refused.error["code"] == "NOT_FOUND"
    taken = DeviceBrowser(service.url, "driver")
    await app.answer("customer", "register_push_device", taken.subscription)
    assert await devices_of(app, "driver") == [], "whoever signs in with a browser has it"
    (own,) = await devices_of(app, "customer")
    await app.answer("customer", "remove_push_device", {"device_id": own.id})
    assert await devices_of(app, "customer") == []


async def test_the_newest_devices_are_kept_above_the_limit(app: App, service: PushService) -> None:
    await make_chat(app)
    for number in range(DEVICES_MAX + 1):
        app.clock.forward(minutes=1)
        device = DeviceBrowser(service.url, f"phone-{number}")
        await app.answer("driver", "register_push_device", {**device.subscription, "name": str(number)})
    names = [each.name for each in await devices_of(app, "driver")]
    assert names == [str(number) for number in range(DEVICES_MAX, 0, -1)]


async def test_a_browser_without_keys_is_refused(app: App, service: PushService) -> None:
    await make_chat(app)
    whole = DeviceBrowser(service.url).subscription
    for wrong in ({"p256dh": None}, {"auth": None}, {"address": "a-registration-token"}):
        refused = await app.call("driver", "register_push_device", {**whole, **wrong})
        assert refused.error
        assert refused.error["code"] == "INVALID_REQUEST"


async def test_a_push_requires_that_the_registering_token_can_still_read_the_chat(
    app: App, service: PushService
) -> None:
    order = await make_chat(app)
    unread = {"name": "writer", "scopes": ["orders:write"]}
    app.tokens["writer"] = (await app.answer("customer", "issue_api_token", unread)).access_token
    device = DeviceBrowser(service.url, "customer")
    refused = await app.call("writer", "register_push_device", device.subscription)
    assert (refused.status, (refused.error or {})["code"]) == (403, "SCOPES_EXCEEDED")
    token = await app.answer(
        "customer", "issue_api_token", {"name": "phone", "scopes": ["orders:read", "orders:write"]}
    )
    app.tokens["phone"] = token.access_token
    await app.answer("phone", "register_push_device", device.subscription)
    await said(app, "driver", order, "One")
    assert await woken(app, service) == ["customer"]
    await app.answer("customer", "revoke_api_token", {"token_id": token.id})
    await said(app, "driver", order, "Two")
    assert await woken(app, service) == ["customer"]
    assert await devices_of(app, "customer") == []
