"""Chats replace phone calls: no participant sees any phone number."""

import re
from typing import Any

import msgspec
import pytest
from tests.contexts.chat.makers import POSTAL_CODE, make_chat, recipient_access, said
from tests.invariants.dry_run_steps import PHOTO
from tests.support.app import App
from tests.support.transport import make_contact, set_order
from tests.web.page_client import get_page

from haulier.contexts.chat.ports import PhonePusher, PushKind, PushNote, PushTarget
from haulier.contexts.identity.accounts.actions import set_member
from haulier.contexts.messaging.public import Channel

PEOPLE = {who: f"416555010{n}" for n, who in enumerate(("admin", "employee", "customer", "driver", "contractor"))}
SENDER, RECEIVER = "4165550108", "4165550109"
NUMBERS = {*PEOPLE.values(), SENDER, RECEIVER}
PHOTO_SENT = {"content": PHOTO["content"], "media_type": "image/png"}
BETWEEN_DIGITS = re.compile(r"(?<=\d)[\s().\-]+(?=\d)")


class Devices:
    """A service of pushes that notes what it is handed."""

    kinds, web_key = frozenset({PushKind.FCM}), None

    def __init__(self) -> None:
        self.notes: list[PushNote] = []

    async def push(self, target: PushTarget, note: PushNote) -> None:
        self.notes.append(note)


class Broker:
    """A broker that notes what is published."""

    configured, asks_sign_ins, addresses, prefix = True, True, ("mqtts://chat.example:8883",), "haulier"

    def __init__(self) -> None:
        self.payloads: list[bytes] = []

    async def publish(self, topic: str, *payloads: bytes) -> None:
        self.payloads += payloads


@pytest.fixture
def outside(app: App, monkeypatch: pytest.MonkeyPatch) -> tuple[Devices, Broker]:
    devices, broker = Devices(), Broker()
    replaced: Any = {**app.application.adapters, PhonePusher: devices, Channel: broker}
    monkeypatch.setattr(app.application, "adapters", replaced)
    return devices, broker


async def parties_with_numbers(app: App) -> int:
    """Create an order whose parties have numbers and wrote messages; return its id."""
    ends = {"shipper": make_contact(phone=f"+1{SENDER}"), "consignee": make_contact(phone=f"+1{RECEIVER}")}
    order = await make_chat(app, type="P2P", **ends)
    await set_order(app, order, contractor_id=app.ids["contractor"])
    driver = {"user_id": app.ids["driver"], "name": "Driver", "phone": f"+1{PEOPLE['driver']}"}
    await app.answer("admin", "create_driver", driver)
    for who, number in PEOPLE.items():
        async with app.database.write(app.clients["demo"]) as work:
            await set_member(work, app.ids[who], phone=f"+1{number}")
        await app.answer(who, "register_push_device", {"kind": "fcm", "address": f"token-of-{who}"})
        await said(app, who, order, "Hello")
    return order


async def answers_to(app: App, who: str, order: int) -> dict[str, str]:
    """Return every response about the chat that a user can get."""
    chat = f"/v1/order-chats/{order}"
    asked: list[tuple[str, str, Any]] = [
        ("GET", "/v1/order-chats", None),
        ("GET", chat, None),
        ("GET", f"{chat}/messages", None),
        ("POST", f"{chat}/messages", {"quick_reply": "thank_you"}),
        ("POST", f"{chat}/photos", PHOTO_SENT),
        ("PUT", f"{chat}/marks", {"read_up_to": 1}),
        ("PUT", f"{chat}/mute", {"until": None}),
        ("POST", f"{chat}/channel", {}),
        ("GET", "/v1/push-devices", None),
    ]
    told = {f"{how} {path}": await app.rest(who, how, path, body) for how, path, body in asked}
    told["page"] = await get_page(app, f"/orders/{order}/chat", who)
    assert {name: each.status_code for name, each in told.items()} == dict.fromkeys(told, 200)
    return {f"{who}: {name}": each.text for name, each in told.items()}


async def answers_to_the_office(app: App, order: int) -> dict[str, str]:
    """Return the responses for staff only."""
    first = (await app.answer("driver", "list_chat_messages", {"order_id": order, "order": "oldest"})).messages[0]
    await app.answer("driver", "report_chat_message", {"order_id": order, "message_id": first.id, "reason": "other"})
    paths = ("/v1/order-chat-reports", "/v1/order-chat-settings")
    return {path: (await app.rest("admin", "GET", path)).text for path in paths}


async def answers_to_the_recipient(app: App, order: int) -> dict[str, str]:
    """Return the responses for a verified recipient."""
    access = {"access": await recipient_access(app, order)}
    chat = "/v1/tracking/deliveries/chat"
    asked = {
        "read": {},
        "messages": {"quick_reply": "thank_you"},
        "photos": PHOTO_SENT,
        "marks": {"read_up_to": 1},
        "channel": {},
        "push-devices": {"kind": "fcm", "address": "token-of-recipient"},
        "push-devices/list": {},
    }
    told = {name: await app.rest(None, "POST", f"{chat}/{name}", {**access, **body}) for name, body in asked.items()}
    number = (await app.answer("admin", "get_order_detail", {"order_id": order})).order.tracking_number
    await app.http.post(f"/track/{number}/open", data={"proof": POSTAL_CODE})
    told["page"] = await app.http.get(f"/track/{number}")
    assert 'data-kind="delivery"' in told["page"].text
    assert {name: each.status_code for name, each in told.items()} == dict.fromkeys(told, 200)
    return {f"recipient: {name}": each.text for name, each in told.items()}


def numbers_in(text: str) -> set[str]:
    """The numbers of the parties that stand in a text, however they are grouped."""
    return {number for number in NUMBERS if number in BETWEEN_DIGITS.sub("", text)}


async def test_phone_numbers_appear_in_no_response_page_or_push(app: App, outside: tuple[Devices, Broker]) -> None:
    devices, broker = outside
    order = await parties_with_numbers(app)
    paths = (f"/v1/orders/{order}", "/v1/drivers", f"/v1/customers/{app.ids['customer']}/settings")
    kept = [(await app.rest("admin", "GET", path)).text for path in paths]
    seen = {SENDER, RECEIVER, PEOPLE["driver"], PEOPLE["customer"]}
    assert numbers_in(" ".join(kept)) >= seen, "the numbers are there, and would be found"
    told = await answers_to_the_recipient(app, order)
    for who in PEOPLE:
        told |= await answers_to(app, who, order)
    told |= await answers_to_the_office(app, order)
    await said(app, "driver", order, "I am at the gate.")
    app.clock.forward(minutes=1)
    await app.work_off()
    told |= {f"device {n}": msgspec.json.encode(note).decode() for n, note in enumerate(devices.notes)}
    told |= {f"broker {n}": payload.decode() for n, payload in enumerate(broker.payloads)}
    assert len(devices.notes) > len(PEOPLE)
    assert any(b"I am at the gate." in payload for payload in broker.payloads)
    assert {name: found for name, text in told.items() if (found := numbers_in(text))} == {}
