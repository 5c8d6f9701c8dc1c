"""SMPP 3.4 over real TCP: submissions, receipts and broken connections."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import smpp34
from tests.adapters.certificates import write_certificate
from tests.adapters.message_centre import LISTEN, Centre, make_centre, make_scripted_centre

from haulier.adapters.smpp.gateway import SmppGateway, Transmitter
from haulier.adapters.smpp.lines import SmppLines, parse_centres
from haulier.adapters.smpp.pdus import BadPdu, Command, parse_deliver
from haulier.adapters.smpp.session import MessageCentre, SmppSession
from haulier.adapters.smpp.texts import encode_text, read_delivery, split_text
from haulier.contexts.messaging.campaigns.rules.campaigns import TextEncoding, measure_text
from haulier.contexts.messaging.ports import (
    ReceiptState,
    SmsAccountRefused,
    SmsAnswered,
    SmsBusy,
    SmsReceipt,
    SmsRefused,
    SmsSubmission,
)
from haulier.kernel.values.gsm7 import BASIC, EXTENSION, decode_gsm7, encode_gsm7
from haulier.settings import InvalidSetting

ACCOUNT, SECRET, SENDER, TO = "shop@acme", "secret", "+15005550006", "+14165550123"
BOUND = (0, b"centre\x00")
SUBMITTED = (0, b"m1\x00")


@pytest.fixture
async def centre() -> AsyncIterator[Centre]:
    async with make_centre() as centre:
        yield centre


def lines(port: int, options: str = "") -> SmppLines:
    return SmppLines(parse_centres(f"acme=smpp://127.0.0.1:{port}{options}"))


def text(words: str) -> SmsSubmission:
    return SmsSubmission(to=TO, text=words, reference="7", callback="")


async def submit(lines: SmppLines, words: str = "Hi") -> str:
    try:
        return await lines.gateway(ACCOUNT, SECRET, SENDER).submit(text(words))
    finally:
        await lines.close()


async def test_a_message_is_submitted_with_a_receipt_request(centre: Centre) -> None:
    assert await submit(lines(centre.port), "Für 5 €: {ok}") == "m1"
    (taken,) = centre.taken
    assert (taken.destination_addr, taken.dest_addr_ton, taken.dest_addr_npi) == ("14165550123", 1, 1)
    assert (taken.source_addr, taken.source_addr_ton) == ("15005550006", 1)
    assert (taken.data_coding, taken.esm_class, taken.registered_delivery) == (0, 0, 1)
    assert taken.short_message == b"F\x7er 5 \x1b\x65: \x1b\x28ok\x1b\x29"


async def test_text_outside_the_gsm_alphabet_is_sent_as_ucs_2(centre: Centre) -> None:
    await submit(lines(centre.port), "Привет 🚚")
    (taken,) = centre.taken
    assert (taken.data_coding, taken.short_message) == (8, "Привет 🚚".encode("utf-16-be"))


async def test_a_long_message_is_split_and_its_last_part_reports_the_status(centre: Centre) -> None:
    words = "0123456789" * 16 + "€ and more"
    assert await submit(lines(centre.port), words) == "m2"
    first, second = centre.taken
    assert [each.esm_class for each in centre.taken] == [0x40, 0x40]
    assert [each.registered_delivery for each in centre.taken] == [0, 1]
    assert first.short_message[:6] == b"\x05\x00\x03\x01\x02\x01"
    assert second.short_message[:6] == b"\x05\x00\x03\x01\x02\x02"
    assert decode_gsm7(first.short_message[6:] + second.short_message[6:]) == words


async def test_a_centre_can_accept_long_messages_whole(centre: Centre) -> None:
    assert await submit(lines(centre.port, "?long=payload"), "x" * 400) == "m1"
    (taken,) = centre.taken
    assert [tlv.value for tlv in taken.tlvs if tlv.tag == smpp34.TLV_MESSAGE_PAYLOAD] == [b"x" * 400]
    assert (taken.short_message, taken.registered_delivery) == (b"", 1)


@pytest.mark.parametrize("words", ["x" * 160, "x" * 161, "€" * 81, "ж" * 70, "ж" * 71, "🚚" * 36, "{" * 154 + "x"])
def test_parts_match_the_billed_segments(words: str) -> None:
    size, parts = measure_text(words), split_text(words, 1, payload=False)
    assert len(parts) == size.segments
    assert (encode_text(words)[0] == 0) == (size.encoding is TextEncoding.GSM_7)
    assert all(len(part.message) <= (160 if part.data_coding == 0 else 140) for part in parts)


def test_the_gsm_alphabet_is_complete() -> None:
    every = BASIC + "".join(EXTENSION)
    octets = encode_gsm7(every)
    assert octets is not None
    assert decode_gsm7(b"".join(octets)) == every
    assert encode_gsm7("ж") is None


@pytest.mark.parametrize("status", [smpp34.ESME_RTHROTTLED, smpp34.ESME_RMSGQFUL])
async def test_a_throttled_message_was_not_accepted(centre: Centre, status: int) -> None:
    centre.statuses = [status]
    with pytest.raises(SmsBusy) as busy:
        await submit(lines(centre.port))
    assert not isinstance(busy.value, SmsAccountRefused)


async def test_other_responses_are_final_or_uncertain(centre: Centre) -> None:
    centre.statuses = [smpp34.ESME_RINVDSTADR, smpp34.ESME_RSYSERR]
    with pytest.raises(SmsRefused) as refused:
        await submit(lines(centre.port))
    assert refused.value.code == "0x0B"
    with pytest.raises(OSError) as fault:
        await submit(lines(centre.port))
    assert not isinstance(fault.value, SmsBusy)


async def test_another_part_is_retried_soon(centre: Centre, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("haulier.adapters.smpp.gateway.LATER_S", 0)
    centre.statuses = [0, smpp34.ESME_RTHROTTLED]
    assert await submit(lines(centre.port), "x" * 200) == "m2"
    assert centre.statuses == []
    assert b"".join(each.short_message[6:] for each in centre.taken) == b"x" * 200


async def test_an_unreachable_centre_accepted_nothing() -> None:
    async with make_centre() as gone:
        pass
    with pytest.raises(SmsBusy):
        await submit(lines(gone.port))


async def test_over_tls_an_untrusted_centre_gets_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate, context = write_certificate(tmp_path), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    trusting = ssl.create_default_context(cafile=str(certificate))
    async with make_scripted_centre(lambda command, body: SUBMITTED, context) as centre:
        own = SmppLines(parse_centres(f"acme=smpps://localhost:{centre.port}"))
        with pytest.raises(SmsBusy):
            await submit(own)
        assert centre.asked == []
        monkeypatch.setattr("ssl.create_default_context", lambda: trusting)
        assert await submit(own) == "m1"


async def test_a_wrong_password_and_a_full_centre_are_distinguished() -> None:
    for status, wrong in ((0x0E, True), (0x0F, True), (0x0D, True), (0x05, False), (0x14, False)):
        async with make_scripted_centre(lambda command, body, status=status: (status, b"\x00")) as centre:
            with pytest.raises(SmsBusy) as fault:
                await submit(lines(centre.port))
        assert isinstance(fault.value, SmsAccountRefused) is wrong


async def test_a_broken_connection_leaves_the_status_unknown() -> None:
    def answer(command: int, body: bytes) -> tuple[int, bytes] | None:
        if command == Command.SUBMIT_SM:
            centre.writers[-1].close()
            return None
        return BOUND

    async with make_scripted_centre(answer) as centre:
        with pytest.raises(OSError) as fault:
            await submit(lines(centre.port))
        assert not isinstance(fault.value, SmsBusy)


async def test_a_broken_connection_is_reopened_for_the_next_message() -> None:
    async with make_scripted_centre(
        lambda command, body: SUBMITTED if command == Command.SUBMIT_SM else BOUND
    ) as centre:
        own = lines(centre.port)
        gateway = own.gateway(ACCOUNT, SECRET, SENDER)
        assert await gateway.submit(text("one")) == "m1"
        session = await gateway._transmitter.session()
        centre.writers[-1].close()
        async with asyncio.timeout(60):
            assert await session.deliveries.get() is None
        assert await gateway.submit(text("two")) == "m1"
        assert len(centre.writers) == 2
        await own.close()


async def test_pending_messages_stay_within_the_window() -> None:
    waiting, two = list[int](), asyncio.Event()

    def answer(command: int, body: bytes) -> tuple[int, bytes] | None:
        waiting.append(command)
        if waiting.count(Command.SUBMIT_SM) == 2:
            two.set()
        return None if command == Command.SUBMIT_SM else BOUND

    async with make_scripted_centre(answer) as centre:
        own = lines(centre.port, "?window=2")
        gateway = own.gateway(ACCOUNT, SECRET, SENDER)
        sending = [asyncio.create_task(gateway.submit(text(str(number)))) for number in range(5)]
        async with asyncio.timeout(60):
            await two.wait()
        for sequence in (2, 3):
            centre.send(Command.SUBMIT_SM | 0x80000000, 0, b"m\x00", sequence=sequence)
        await asyncio.wait(sending, return_when=asyncio.FIRST_COMPLETED)
        assert waiting.count(Command.SUBMIT_SM) <= 4
        await own.close()
        await asyncio.gather(*sending, return_exceptions=True)


async def test_an_unresponsive_centre_is_disconnected() -> None:
    async with make_scripted_centre(lambda command, body: None if command == Command.ENQUIRE_LINK else BOUND) as centre:
        where = MessageCentre(host="127.0.0.1", port=centre.port, tls=False)
        session = await SmppSession.open(where, Command.BIND_RECEIVER, "shop", SECRET, enquire_s=0.02)
        async with asyncio.timeout(60):
            assert await session.deliveries.get() is None
        assert session.closed
        assert Command.ENQUIRE_LINK in centre.asked
        await session.close()


async def test_link_enquiries_are_answered() -> None:
    async with make_scripted_centre(lambda command, body: BOUND) as centre:
        where = MessageCentre(host="127.0.0.1", port=centre.port, tls=False)
        session = await SmppSession.open(where, Command.BIND_RECEIVER, "shop", SECRET)
        centre.send(Command.ENQUIRE_LINK, 0)
        assert await centre.heard.get() == (Command.ENQUIRE_LINK | 0x80000000, 0)
        centre.send(0x103, 0)
        assert await centre.heard.get() == (Command.GENERIC_NACK, 0x03)
        centre.send(Command.UNBIND, 0)
        assert await centre.heard.get() == (Command.UNBIND | 0x80000000, 0)
        assert await session.deliveries.get() is None
        await session.close()


async def test_an_idle_transmitter_unbinds(centre: Centre) -> None:
    where = MessageCentre(host="127.0.0.1", port=centre.port, tls=False)
    gateway = SmppGateway(Transmitter(where, "shop", SECRET, idle_s=0.01), SENDER)
    await gateway.submit(text("Hi"))
    await centre.until(lambda: not centre.sessions)


async def hear(port: int, told: list[Any], fault: list[Exception]) -> None:
    async def take(news: Sequence[Any]) -> None:
        if news and fault:
            raise fault[0]
        told.extend(news)

    await lines(port, f"?{LISTEN}").listen(ACCOUNT, SECRET, take)


async def test_receipts_and_replies_are_received(centre: Centre) -> None:
    told: list[Any] = []
    listening = asyncio.create_task(hear(centre.port, told, []))
    number = TO.removeprefix("+")
    assert await centre.tell("0a", number, "DELIVRD") == 0
    assert await centre.tell("12", number, "UNDELIV", "027") == 0
    state = [smpp34.Tlv(smpp34.TLV_RECEIPTED_MESSAGE_ID, b"m9\0"), smpp34.Tlv(smpp34.TLV_MESSAGE_STATE, b"\x08")]
    assert await centre.deliver(number, b"", esm_class=0x04, tlvs=state) == 0
    assert await centre.deliver(number, b"STOP") == 0
    assert await centre.deliver(number, "停止".encode("utf-16-be"), data_coding=8) == 0
    udh = b"\x05\x00\x03\x09\x02\x01"
    assert await centre.deliver(number, udh + b"arr\x05t", esm_class=0x40) == 0
    assert await centre.deliver(number, b"\x00\x01", data_coding=4) == 0
    assert await centre.deliver("ACME", b"STOP", source_addr_ton=5) == 0
    listening.cancel()
    assert told == [
        SmsReceipt(provider_ref="0a", state=ReceiptState.DELIVERED, phone=TO, other_refs=("10",)),
        SmsReceipt(
            provider_ref="12",
            state=ReceiptState.UNDELIVERED,
            code="UNDELIV:027",
            phone=TO,
            other_refs=("0000000C", "0000000c", "18", "C", "c"),
        ),
        SmsReceipt(provider_ref="m9", state=ReceiptState.FAILED, code="REJECTD", phone=TO),
        *(SmsAnswered(provider_ref="", phone=TO, text=words) for words in ("STOP", "停止", "arrét")),
    ]


async def test_unstored_receipts_are_requested_again(centre: Centre) -> None:
    told, fault = list[Any](), list[Exception]([OSError("the database is away")])
    listening = asyncio.create_task(hear(centre.port, told, fault))
    assert await centre.deliver(TO.removeprefix("+"), b"STOP") == 0x64
    assert told == []
    fault.clear()
    assert await centre.deliver(TO.removeprefix("+"), b"STOP") == 0
    assert [each.text for each in told] == ["STOP"]
    listening.cancel()


async def test_a_refused_receiver_is_reported() -> None:
    async with make_scripted_centre(lambda command, body: (0x0E, b"\x00")) as centre:
        with pytest.raises(SmsAccountRefused):
            await hear(centre.port, [], [])
    with pytest.raises(SmsBusy):
        await hear(centre.port, [], [])


def test_a_truncated_receipt_is_ignored() -> None:
    options = [smpp34.Tlv(smpp34.TLV_SOURCE_PORT, b"\0\1")]
    whole = smpp34.DeliverSm("1", "2", b"hello", tlvs=options).encode()[16:]
    assert parse_deliver(whole).options == {smpp34.TLV_SOURCE_PORT: b"\0\1"}
    without_options = len(whole) - 6
    for cut in {*range(len(whole))} - {without_options}:
        with pytest.raises(BadPdu):
            parse_deliver(whole[:cut])


def test_an_empty_message_id_is_ignored() -> None:
    plain = smpp34.DeliverSm(TO, "1", b"id: stat:DELIVRD", esm_class=4).encode()[16:]
    assert read_delivery(parse_deliver(plain)) == []


def test_message_centres_are_configured_by_a_setting() -> None:
    known = parse_centres("a=smpps://smsc.example b=smpp://10.0.0.4:2776?window=50&long=payload&system_type=VMS")
    assert known["a"] == MessageCentre(host="smsc.example", port=3550, tls=True)
    assert known["b"] == MessageCentre(
        host="10.0.0.4", port=2776, tls=False, window=50, payload=True, system_type="VMS"
    )
    assert SmppLines(known).offers("shop@a")
    assert not SmppLines(known).offers("shop")
    for wrong in ("a=smpp://h?window=0", "a=smpp://h?size=1", "a=smpp://h a=smpp://i"):
        with pytest.raises(InvalidSetting):
            parse_centres(wrong)
