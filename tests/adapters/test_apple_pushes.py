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


async def test_an_app_is_told_which_order_and_who_wrote(apple: AppleService, pushes: ApplePushes) -> None:
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


async def test_a_note_that_is_tried_again_has_the_same_id_and_another_has_another(
    apple: AppleService, pushes: ApplePushes
) -> None:
    other = PushNote(order_id=62, message_id=10, title="", body="", page="")
    for note in (NOTE, NOTE, other):
        await pushes.push(PHONE, note)
    first, again, second = (headers["apns-id"] for headers, _ in apple.taken)
    assert first == again != second


async def test_many_notes_go_over_one_connection_with_one_token_that_is_renewed_within_the_hour(
    apple: AppleService, pushes: ApplePushes
) -> None:
    await asyncio.gather(*(pushes.push(PHONE, NOTE) for _ in range(20)))
    assert (len(apple.taken), len(apple.connections), len(apple.signed)) == (20, 1, 1)
    for seconds, tokens in ((49 * 60, 1), (2 * 60, 2), (20 * 60, 2)):
        apple.now += seconds
        await pushes.push(PHONE, NOTE)
        assert len(apple.signed) == tokens
    assert len(apple.connections) == 1


async def test_a_connection_that_apple_ended_is_opened_again(apple: AppleService, pushes: ApplePushes) -> None:
    await pushes.push(PHONE, NOTE)
    apple.hang_up()
    await pushes.push(PHONE, NOTE)
    await pushes.close()
    await pushes.push(PHONE, NOTE)
    assert (len(apple.taken), len(apple.connections)) == (3, 3)


async def test_apple_says_whether_a_device_is_gone_or_to_be_tried_again(
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


async def test_a_token_that_apple_calls_old_is_replaced_but_never_within_twenty_minutes(
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


async def test_an_address_never_leads_to_another_path(apple: AppleService, pushes: ApplePushes) -> None:
    await pushes.push(PushTarget(kind=PushKind.APNS, address="../../admin?x=1"), NOTE)
    ((headers, _),) = apple.taken
    assert headers[":path"] == "/3/device/..%2F..%2Fadmin%3Fx%3D1"


async def test_a_server_whose_certificate_nobody_trusts_is_told_nothing(apple: AppleService) -> None:
    distrusting = ApplePushes(apple.account, lambda: apple.now)
    with pytest.raises(OSError, match="did not answer"):
        await distrusting.push(PHONE, NOTE)
    await distrusting.close()


async def test_the_setting_names_a_key_or_is_refused(apple: AppleService, tmp_path: Path) -> None:
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
