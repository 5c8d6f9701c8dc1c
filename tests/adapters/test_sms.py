"""SMS: a file for development, and a provider as documented by Twilio."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.adapters.fake_sms_provider import ACCOUNT, TEXT, TO, TOKEN, FakeSmsProvider, run_sms_provider
from tests.support.every_case import for_every

from haulier.adapters.sms import FileSms, NoSms, TwilioSms, sms_for
from haulier.app import build_application
from haulier.contexts.messaging.ports import SmsRefused, SmsSender
from haulier.settings import Settings


@pytest.fixture
def desk() -> Iterator[FakeSmsProvider]:
    with run_sms_provider() as desk:
        yield desk


async def test_a_message_is_submitted_as_the_provider_documents(desk: FakeSmsProvider) -> None:
    await TwilioSms(ACCOUNT, TOKEN, "+15005550006", desk.url).send(TO, TEXT)
    assert desk.taken == [{"To": TO, "Body": TEXT, "From": "+15005550006"}]


async def test_a_messaging_service_uses_its_own_sender(desk: FakeSmsProvider) -> None:
    service = "MG" + "0" * 32
    await TwilioSms(ACCOUNT, TOKEN, service, desk.url).send(TO, TEXT)
    assert desk.taken == [{"To": TO, "Body": TEXT, "MessagingServiceSid": service}]


@for_every(("status", "code"), [(400, 21211), (400, 21614), (403, 20403), (404, 20404)])
async def test_a_permanently_rejected_message_fails_without_logging_its_number(
    desk: FakeSmsProvider, status: int, code: int
) -> None:
    desk.fault = (status, code)
    with pytest.raises(SmsRefused, match=str(code)) as info:
        await TwilioSms(ACCOUNT, TOKEN, "+15005550006", desk.url).send(TO, TEXT)
    assert TO not in str(info.value)


async def test_wrong_provider_credentials_are_final(desk: FakeSmsProvider) -> None:
    with pytest.raises(SmsRefused, match="20003"):
        await TwilioSms(ACCOUNT, "wrong", "+15005550006", desk.url).send(TO, TEXT)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_busy_provider_is_retried(desk: FakeSmsProvider, status: int) -> None:
    desk.fault = (status, 20429)
    with pytest.raises(OSError, match=str(status)):
        await TwilioSms(ACCOUNT, TOKEN, "+15005550006", desk.url).send(TO, TEXT)


async def test_an_unreachable_provider_is_retried() -> None:
    with run_sms_provider() as gone:
        pass
    with pytest.raises(OSError, match="did not answer"):
        await TwilioSms(ACCOUNT, TOKEN, "+15005550006", gone.url).send(TO, TEXT)


async def test_a_message_file_is_readable_only_by_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "sms.jsonl"
    carrier = FileSms(path)
    await carrier.send(TO, TEXT)
    await carrier.send(TO, "once more")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines == [{"to": TO, "text": TEXT}, {"to": TO, "text": "once more"}]
    assert path.stat().st_mode & 0o777 == 0o600


async def test_without_a_setting_no_messages_are_sent(tmp_path: Path) -> None:
    nobody = sms_for(None, None)
    assert isinstance(nobody, NoSms)
    assert not nobody.configured
    with pytest.raises(SmsRefused):
        await nobody.send(TO, TEXT)
    assert isinstance(sms_for(f"file:{tmp_path}/sms.jsonl", None), FileSms)
    assert isinstance(sms_for("twilio://AC1:se%40cret@api.example", "+15005550006"), TwilioSms)


@for_every("where", ["twilio://AC1:secret@api.example", "pigeon://roof", "file:", "twilio://api.example"])
def test_an_invalid_setting_is_refused(where: str) -> None:
    with pytest.raises(ValueError, match="text messages"):
        sms_for(where, None)


@pytest.mark.parametrize(
    ("base_url", "carrier"),
    [("http://127.0.0.1:8000", FileSms), ("http://localhost", FileSms), ("https://a.example", NoSms)],
)
def test_messages_are_written_to_a_file_on_private_instances(base_url: str, carrier: type[SmsSender]) -> None:
    application = build_application(Settings(base_url=base_url, database="sqlite:///unopened.db"))
    assert isinstance(application.adapters[SmsSender], carrier)
