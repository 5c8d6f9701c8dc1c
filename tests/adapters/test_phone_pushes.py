"""Pushes to browsers and apps over real HTTP, with the documented protocols."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.adapters.push_services import DeviceBrowser, FirebaseService, PushService, make_firebase, make_push_service

from haulier.adapters.phone_pushes import (
    FcmAccount,
    FcmPushes,
    WebPushes,
    encrypt_push,
    from_base64url,
    make_web_key,
    phone_pushes_for,
    to_base64url,
)
from haulier.adapters.webhooks import HttpWebhookSender
from haulier.contexts.chat.ports import PushGone, PushKind, PushNote, PushRefused, PushTarget
from haulier.settings import InvalidSetting

NOTE = PushNote(order_id=62, message_id=9, title="Message about HL1", body="The driver wrote.", page="/orders/62/chat")
CONTACT = "mailto:ops@example.com"
LATER_OR_NEVER = ((404, PushGone), (410, PushGone), (413, PushRefused), (429, OSError), (500, OSError))


@pytest.fixture
def service() -> Iterator[PushService]:
    with make_push_service() as service:
        yield service


@pytest.fixture
def firebase() -> Iterator[FirebaseService]:
    with make_firebase() as firebase:
        yield firebase


def web(*, private: bool = True) -> WebPushes:
    return WebPushes(make_web_key(), CONTACT, HttpWebhookSender(private=private))


def browser_at(service: PushService) -> tuple[DeviceBrowser, PushTarget]:
    device = DeviceBrowser(service.url)
    return device, PushTarget(**{**device.subscription, "kind": PushKind.WEB})


def test_push_encryption_matches_the_example_of_the_standard() -> None:
    device = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    body = encrypt_push(
        b"When I grow up, I want to be a watermelon",
        from_base64url(device),
        from_base64url("BTBZMqHH6r4Tts7J_aSIgg"),
        own_key=from_base64url("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
        salt=from_base64url("DGv6ra1nlYgDCS1FRnbzlw"),
    )
    assert to_base64url(body) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_"
        "yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


async def test_only_the_browser_can_decrypt_a_push(service: PushService) -> None:
    device, target = browser_at(service)
    await web().push(target, NOTE)
    ((path, headers, body),) = service.taken
    assert (path, headers["Topic"], headers["Urgency"]) == ("/send/phone", "order-62", "high")
    assert device.read(body) == {
        "type": "order_chat_message",
        "order_id": 62,
        "message_id": 9,
        "title": "Message about HL1",
        "body": "The driver wrote.",
        "page": "/orders/62/chat",
    }


async def test_the_response_tells_a_removed_device_from_a_temporary_error(service: PushService) -> None:
    _, target = browser_at(service)
    for service.says, expected in LATER_OR_NEVER:
        with pytest.raises(expected):
            await web().push(target, NOTE)
    with pytest.raises(PushGone):
        await web(private=False).push(target, NOTE)
    with pytest.raises(OSError, match="unreachable"):
        await web().push(PushTarget(**{**_words(target), "address": "http://127.0.0.1:9/send"}), NOTE)
    with pytest.raises(PushGone):
        await web().push(PushTarget(**{**_words(target), "p256dh": "BAAA"}), NOTE)


def _words(target: PushTarget) -> dict[str, Any]:
    return {name: getattr(target, name) for name in target.__struct_fields__}


async def test_firebase_pushes_share_one_token_per_hour(firebase: FirebaseService) -> None:
    now = 1_750_000_000.0
    pushes = FcmPushes(FcmAccount(**_account(firebase)), firebase.url, lambda: now)
    target = PushTarget(kind=PushKind.FCM, address="registration-token")
    await pushes.push(target, NOTE)
    await pushes.push(target, NOTE)
    assert firebase.asked == 1
    first, _ = firebase.taken
    assert first["token"] == "registration-token"
    assert first["notification"] == {"title": "Message about HL1", "body": "The driver wrote."}
    told = {"type": "order_chat_message", "order_id": "62", "message_id": "9", "page": "/orders/62/chat"}
    assert (first["data"], first["android"]["collapse_key"]) == (told, "order-62")
    now += 3600
    await pushes.push(target, NOTE)
    assert firebase.asked == 2


def _account(firebase: FirebaseService) -> dict[str, str]:
    return {name: text for name, text in firebase.account.items() if name != "type"}


async def test_firebase_tells_a_removed_app_from_a_temporary_error(firebase: FirebaseService) -> None:
    pushes = FcmPushes(FcmAccount(**_account(firebase)), firebase.url)
    target = PushTarget(kind=PushKind.FCM, address="registration-token")
    for firebase.fault, expected in (
        ((404, "UNREGISTERED"), PushGone),
        ((403, "SENDER_ID_MISMATCH"), PushRefused),
        ((400, "INVALID_ARGUMENT"), PushRefused),
        ((429, "QUOTA_EXCEEDED"), OSError),
        ((503, "UNAVAILABLE"), OSError),
    ):
        with pytest.raises(expected):
            await pushes.push(target, NOTE)
    firebase.fault, firebase.asked = (0, ""), 7
    with pytest.raises(OSError, match="401"):
        await pushes.push(target, NOTE)
    await pushes.push(target, NOTE)
    assert len(firebase.taken) == 1


async def test_invalid_push_settings_are_refused() -> None:
    sender = HttpWebhookSender()
    none = phone_pushes_for(None, None, None, None, sender)
    assert (none.kinds, none.web_key) == (frozenset(), None)
    with pytest.raises(PushRefused):
        await none.push(PushTarget(kind=PushKind.FCM, address="token"), NOTE)
    for words in (("short", CONTACT), (make_web_key(), None)):
        with pytest.raises(InvalidSetting):
            phone_pushes_for(*words, None, None, sender)
