"""Malicious documents are rejected clearly and at low cost."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from tests.contexts.tracking.ingest.requests import make_key, push_document
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.contexts.otep.timeline.contract import Source
from haulier.contexts.tracking.ingest.rules import epcis_xml
from haulier.contexts.tracking.ingest.rules import parsed as parsed_rules
from haulier.contexts.tracking.ingest.rules.epcis_events import read_epcis
from haulier.contexts.tracking.ingest.rules.epcis_xml import read_xml
from haulier.contexts.tracking.ingest.rules.native_document import read_native
from haulier.contexts.tracking.ingest.rules.parsed import PARTS_MAX, read_json
from haulier.kernel.operations.errors import ErrorType, OperationError

SOURCE = Source(type="carrier")
TEN_MB = 10_000_000
MEMORY_MAX_BYTES = 100_000_000
ASTRAL = "😀".encode()

Shape = Callable[[], bytes]

TURNED_DOWN: dict[str, tuple[Shape, ErrorType]] = {
    "opened and never closed": (lambda: b"[" * TEN_MB, parsed_rules.TOO_COMPLEX),
    "nested deeply": (lambda: b'{"events":' + b"[" * 100_000 + b"]" * 100_000 + b"}", parsed_rules.TOO_DEEP),
    "objects in objects": (lambda: b'{"a":' * 100_000 + b"1" + b"}" * 100_000, parsed_rules.TOO_DEEP),
    "a million empty objects": (lambda: b"[" + b"{}," * 3_000_000 + b"{}]", parsed_rules.TOO_COMPLEX),
    "one integer of ten million digits": (lambda: b"[" + b"9" * TEN_MB + b"]", parsed_rules.NUMBER_TOO_LONG),
    "the same member again and again": (
        lambda: b"{" + b",".join([b'"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":1'] * 240_000) + b"}",
        parsed_rules.DUPLICATE_KEY,
    ),
    "bytes that are no text": (lambda: b'"' + b"\xff" * TEN_MB + b'"', parsed_rules.TOO_COMPLEX),
    "a byte that is no text": (lambda: b'{"a":"' + b"a" * 4_000_000 + b'\xff"}', parsed_rules.NOT_UTF8),
    "half of a character": (lambda: b'"\xed\xa0\x80"', parsed_rules.NOT_UTF8),
    "text four bytes wide": (lambda: b'"' + ASTRAL * 2_500_000 + b'"', parsed_rules.TOO_COMPLEX),
    "not a number": (lambda: b'{"a":NaN}', parsed_rules.DOCUMENT_MALFORMED),
    "nothing": (lambda: b"", parsed_rules.DOCUMENT_MALFORMED),
}
COSTLY_BUT_TAKEN: dict[str, Shape] = {
    "as many empty objects as there may be": lambda: b"[" + b"{}," * (PARTS_MAX // 2 - 2) + b"{}]",
    "as many small objects as there may be": lambda: b"[" + b'{"a":1},' * (PARTS_MAX // 2 - 2) + b"{}]",
    "as many numbers as there may be": lambda: b"[" + b"1.5," * (PARTS_MAX - 2) + b"1]",
    "one text of ten million letters": lambda: b'"' + b"a" * TEN_MB + b'"',
    "texts with one wide letter each": lambda: b"[" + b",".join([b'"' + b"a" * 90 + ASTRAL + b'"'] * 50_000) + b"]",
}


def cost(work: Callable[[], Any]) -> int:
    """The memory that something takes at its peak, in bytes."""
    tracemalloc.start()
    try:
        work()
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return peak


@for_every(("shape", "problem"), TURNED_DOWN.values())
def test_a_hostile_document_is_refused_clearly_and_cheaply(shape: Shape, problem: ErrorType) -> None:
    body = shape()

    def read() -> None:
        with pytest.raises(OperationError) as refusal:
            read_json(body)
        assert refusal.value.error_type is problem

    assert cost(read) < MEMORY_MAX_BYTES


@pytest.mark.parametrize("shape", COSTLY_BUT_TAKEN.values(), ids=COSTLY_BUT_TAKEN)
def test_the_most_expensive_accepted_document_stays_within_its_memory_limit(shape: Shape) -> None:
    body = shape()
    assert cost(lambda: read_json(body)) + len(body) < MEMORY_MAX_BYTES


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = {"a": [value]}
    return value


@for_every("value", [deep(300), 10**300, 1e308, float("inf"), "\ud800", "\x00", "x" * 5000, [], {}, None, True])
def test_any_field_value_is_reported_and_accepted_or_refused(value: Any) -> None:
    names = ("occurred_at", "status_code", "source", "location", "extensions", "event_id", "pod", "actor")
    event = {"occurred_at": "2026-06-10T11:30:00Z", "status_code": "in_transit", "source": {"type": "carrier"}}
    for name in names:
        parsed = read_native({"subject": {"tracking_number": "A"}, "events": [{**event, name: value}]}, SOURCE)
        assert len(parsed.events) + len(parsed.refused) == 1
    for name in ("subject", "profile", "events", "voided", "current_status", "source"):
        parsed = read_native({"subject": {"tracking_number": "A"}, "events": [event], name: value}, SOURCE)
        assert len(parsed.paths) == len(parsed.events) + len(parsed.polled) + len(parsed.refused)


@for_every(
    "value",
    [deep(300), 10**300, float("inf"), "\ud800", "\x00", "x" * 5000, "urn:x:" + "y" * 3000, [], [[]], {}, 1, True],
)
def test_any_epcis_field_value_is_reported_and_accepted_or_refused(value: Any) -> None:
    event = {
        "type": "ObjectEvent",
        "eventTime": "2026-06-10T11:30:00Z",
        "eventTimeZoneOffset": "+00:00",
        "action": "OBSERVE",
        "epcList": ["urn:epc:id:sscc:0614141.1234567890"],
    }
    names = (
        "type",
        "eventTime",
        "eventTimeZoneOffset",
        "action",
        "epcList",
        "bizStep",
        "disposition",
        "readPoint",
        "eventID",
    )
    ours = ("otep:statusCode", "otep:phase", "otep:location", "otep:incidentReason", "otep:incidentNote")
    more = ("bizTransactionList", "errorDeclaration", "ilmd", "quantityList", "certificationInfo", "@context")
    source = Source(type="carrier")
    for name in (*names, *ours, *more):
        document = {"type": "EPCISDocument", "epcisBody": {"eventList": [{**event, name: value}]}}
        parsed = read_epcis(document, source)
        assert len(parsed.events) + len(parsed.refused) == 1, name


def test_xml_entities_are_refused_before_expansion() -> None:
    laughs = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 10))
    for inside in (
        laughs,
        b'<!ENTITY x SYSTEM "file:///etc/passwd">',
        b'<!ATTLIST a b CDATA "' + b"x" * 100_000 + b'">',
    ):
        body = b"<!DOCTYPE a [" + inside + b"]>" + b"<a>" + b"<a/>" * 1000 + b"</a>"
        with pytest.raises(OperationError) as refusal:
            read_xml(body)
        assert refusal.value.error_type is epcis_xml.XML_DECLARATION_REFUSED
    with pytest.raises(OperationError):
        read_xml(b'<!DOCTYPE a SYSTEM "http://elsewhere.example/a.dtd"><a/>')


@for_every(
    "body",
    [
        b"<EPCISDocument><EPCISBody><EventList>" + b"<extension>" * 90_000 + b"</extension>" * 90_000,
        b"<a>" * 3_000_000,
        b"<EPCISDocument " + b'a="1" ' * 200_000 + b"/>",
        b'<?xml version="1.0" encoding="klingon"?><a/>',
        b"<a>\xff</a>",
        b"\x00\x01",
        b"",
    ],
)
def test_hostile_xml_is_refused_clearly_and_cheaply(body: bytes) -> None:
    def read() -> None:
        with pytest.raises(OperationError) as refusal:
            read_xml(body)
        assert refusal.value.error_type.status in {400, 413}

    assert cost(read) < MEMORY_MAX_BYTES


async def test_the_size_is_checked_before_the_content(app: App) -> None:
    key = await make_key(app)
    response = await push_document(app, key, b"[" * 10_485_761)
    assert (response.status_code, response.json()["code"]) == (413, "BODY_TOO_LARGE")
    response = await push_document(app, key, b"[" * 10_000_000)
    assert (response.status_code, response.json()["code"]) == (413, "DOCUMENT_TOO_COMPLEX")
    malformed = (await push_document(app, key, b'{"a":\n oh}')).json()
    assert (malformed["code"], malformed["message"]) == (
        "DOCUMENT_MALFORMED",
        "The document is not valid JSON at line 2, column 2.",
    )


async def test_a_call_accepts_at_most_a_thousand_events(app: App) -> None:
    event = {"occurred_at": "2026-06-10T11:30:00Z", "status_code": "in_transit", "source": {"type": "carrier"}}
    document = {"subject": {"tracking_number": "A"}, "events": [event] * 1001}
    response = await push_document(app, await make_key(app), document)
    assert (response.status_code, response.json()["code"]) == (413, "INGEST_TOO_MANY_EVENTS")
