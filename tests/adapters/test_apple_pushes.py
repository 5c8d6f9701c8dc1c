"""Pushes through Apple's service, over real HTTP/2 and TLS."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.adapters.apple_service import KEY_ID, TEAM, TOPIC, AppleService

from haulier.adapters.apple_pushes import ApplePushes
from haulier.adapters.phone_pushes import phone_pushes_for
from haulier.adapters.webhooks import HttpWebhookSender
from haulier.contexts.chat.ports import PushGone, PushKind, PushNote, PushRefused, PushTarget
from haulier.settings import InvalidSetting

NOTE = PushNote(order_id=62, message_id=9, title="Message about HL1", body="The driver wrote.", page="/orders/62/chat")
PHONE = PushTarget(kind=PushKind.APNS, address="00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0")


@pytest.fixture
async def apple(tmp_path: Path) -> AsyncIterator[AppleService]:
    async with AppleService(tmp_path).running() as apple:
        yield apple


@pytest.fixture
async def pushes(apple: AppleService) -> AsyncIterator[ApplePushes]:
    pushes = ApplePushes(apple.account, lambda: apple.now, apple.trusted)
    yield pushes
    await pushes.close()


async def test_an_app_gets_the_order_and_the_author(apple: AppleService, pushes: ApplePushes) -> None:
    await pushes.push(PHONE, NOTE)
    ((headers, payload),) = apple.taken
    assert headers[":path"] == f"/3/device/{PHONE.address}"
    told = {name: headers[name] for name in ("apns-topic", "apns-push-type", "apns-priority", "apns-collapse-id")}
    assert told == {
        "apns-topic": TOPIC,
        "apns-push-type": "alert",
        "apns-priority": "10",
        "apns-collapse-id": "order-62",
    }
    alert = {"title": "Message about HL1", "body": "The driver wrote."}
    assert payload == {
        "aps": {"alert": alert, "sound": "default", "thread-id": "order-62"},
        "type": "order_chat_message",
        "order_id": 62,
        "message_id": 9,
        "page": "/orders/62/chat",
    }


async def test_a_retried_notification_keeps_its_id_and_others_have_their_own(
    apple: AppleService, pushes: ApplePushes
) -> None:
    other = PushNote(order_id=62, message_id=10, title="", body="", page="")
    for note in (NOTE, NOTE, other):
        await pushes.push(PHONE, note)
    first, again, second = (headers["apns-id"] for headers, _ in apple.taken)
    assert first == again != second


async def test_many_notifications_share_a_connection_and_a_token_renewed_hourly(
    apple: AppleService, pushes: ApplePushes
) -> None:
    await asyncio.gather(*(pushes.push(PHONE, NOTE) for _ in range(20)))
    assert (len(apple.taken), len(apple.connections), len(apple.signed)) == (20, 1, 1)
    for seconds, tokens in ((49 * 60, 1), (2 * 60, 2), (20 * 60, 2)):
        apple.now += seconds
        await pushes.push(PHONE, NOTE)
        assert len(apple.signed) == tokens
    assert len(apple.connections) == 1


async def test_a_closed_connection_is_reopened(apple: AppleService, pushes: ApplePushes) -> None:
    await pushes.push(PHONE, NOTE)
    apple.hang_up()
    await pushes.push(PHONE, NOTE)
    await pushes.close()
    await pushes.push(PHONE, NOTE)
    assert (len(apple.taken), len(apple.connections)) == (3, 3)


async def test_the_response_tells_a_removed_device_from_a_temporary_error(
    apple: AppleService, pushes: ApplePushes
) -> None:
    for status, reason, expected in (
        (400, "BadDeviceToken", PushGone),
        (410, "Unregistered", PushGone),
        (410, "ExpiredToken", PushGone),
        (400, "DeviceTokenNotForTopic", PushRefused),
        (403, "InvalidProviderToken", PushRefused),
        (413, "PayloadTooLarge", PushRefused),
        (429, "TooManyRequests", OSError),
        (429, "TooManyProviderTokenUpdates", OSError),
        (500, "InternalServerError", OSError),
        (503, "Shutdown", OSError),
    ):
        apple.fault = (status, {"reason": reason})
        with pytest.raises(expected, match=reason):
            await pushes.push(PHONE, NOTE)
    apple.fault = (503, {})
    with pytest.raises(OSError, match="503"):
        await pushes.push(PHONE, NOTE)
    moment = datetime(2026, 6, 10, 12, tzinfo=UTC)
    apple.fault = (410, {"reason": "Unregistered", "timestamp": int(moment.timestamp() * 1000)})
    with pytest.raises(PushGone) as gone:
        await pushes.push(PHONE, NOTE)
    assert gone.value.since == moment


async def test_a_rejected_token_is_replaced_at_most_every_twenty_minutes(
    apple: AppleService, pushes: ApplePushes
) -> None:
    await pushes.push(PHONE, NOTE)
    for minutes, tokens in ((19, 1), (1, 2)):
        apple.now += minutes * 60
        apple.fault = (403, {"reason": "ExpiredProviderToken"})
        with pytest.raises(OSError, match="ExpiredProviderToken"):
            await pushes.push(PHONE, NOTE)
        apple.fault = (0, {})
        await pushes.push(PHONE, NOTE)
        assert len(apple.signed) == tokens


async def test_a_device_address_cannot_change_the_path(apple: AppleService, pushes: ApplePushes) -> None:
    await pushes.push(PushTarget(kind=PushKind.APNS, address="../../admin?x=1"), NOTE)
    ((headers, _),) = apple.taken
    assert headers[":path"] == "/3/device/..%2F..%2Fadmin%3Fx%3D1"


async def test_a_server_with_an_untrusted_certificate_gets_nothing(apple: AppleService) -> None:
    distrusting = ApplePushes(apple.account, lambda: apple.now)
    with pytest.raises(OSError, match="did not answer"):
        await distrusting.push(PHONE, NOTE)
    await distrusting.close()


async def test_the_setting_must_name_a_valid_key(apple: AppleService, tmp_path: Path) -> None:
    key = tmp_path / "AuthKey.p8"
    key.write_text(apple.account.key)
    rest = f"key_id={KEY_ID}&team={TEAM}&topic={TOPIC}"
    named = phone_pushes_for(None, None, None, f"{apple.url}?key={key}&{rest}", HttpWebhookSender())
    assert named.kinds == {PushKind.APNS}
    await named.close()
    key.with_name("other.p8").write_text(json.dumps({"not": "a key"}))
    for wrong in (f"key={tmp_path / 'none.p8'}&{rest}", f"key={key.with_name('other.p8')}&{rest}", rest):
        with pytest.raises(InvalidSetting):
            phone_pushes_for(None, None, None, f"https://api.push.apple.com?{wrong}", HttpWebhookSender())
