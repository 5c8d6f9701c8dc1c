"""OpenTelemetry's own classes read the traces; further rules are checked here."""

import base64
import json
import re
from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import given
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.contexts.otep.projections.timeline_factories import (
    CODES,
    make_timeline_with_incident,
    projected_json,
    timeline_of_codes,
    timelines,
)
from tests.support.every_case import for_every
from tests.support.shared import shared

from haulier.contexts.otep.timeline.contract import Timeline

ID_BYTES = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


def spans_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [s for r in document["resourceSpans"] for scope in r["scopeSpans"] for s in scope["spans"]]


def prove(document: dict[str, Any]) -> ExportTraceServiceRequest:
    """Return the request as OpenTelemetry reads it.

    Its JSON reader expects base64 ids instead of hexadecimal ones, which requires a conversion.
    """
    spans = spans_of(document)
    for span in spans:
        _well_formed(span, {other["spanId"] for other in spans})
        keys = [attribute["key"] for attribute in span.get("attributes", [])]
        assert len(keys) == len(set(keys))
    assert not [key for key in _keys(document) if "_" in key]
    copy = json.loads(json.dumps(document))
    for span in spans_of(copy):
        for name in ID_BYTES.keys() & span.keys():
            span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
    request = json_format.ParseDict(copy, ExportTraceServiceRequest(), ignore_unknown_fields=False)
    return ExportTraceServiceRequest.FromString(request.SerializeToString())


def _well_formed(span: dict[str, Any], known: set[str]) -> None:
    for name in ID_BYTES.keys() & span.keys():
        assert re.fullmatch(f"(?i)[0-9a-f]{{{ID_BYTES[name] * 2}}}", span[name])
        assert int(span[name], 16) != 0
    assert span.get("parentSpanId", next(iter(known))) in known
    assert type(span["kind"]) is int
    assert type(span["status"]["code"]) is int
    start, end = span["startTimeUnixNano"], span["endTimeUnixNano"]
    assert type(start) is type(end) is str
    assert start.isdigit()
    assert int(end) >= int(start)


def _keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for inner in value.values() for key in _keys(inner))]
    return [key for inner in value for key in _keys(inner)] if isinstance(value, list) else []


@for_every(("code", "phase", "profile"), CODES)
def test_every_code_gives_a_trace_that_opentelemetry_reads(code: str, phase: str, profile: str) -> None:
    request = prove(projected_json("otlp", make_timeline_with_incident(code, phase, profile)))
    spans = request.resource_spans[0].scope_spans[0].spans
    assert [span.name for span in spans] == ["journey", "label_created", "picked_up", code]
    assert {len(span.trace_id) for span in spans} == {16}
    assert {len(span.span_id) for span in spans} == {8}


@given(timelines())
def test_any_timeline_gives_a_trace_that_opentelemetry_reads(timeline: Timeline) -> None:
    request = prove(projected_json("otlp", timeline))
    spans = request.resource_spans[0].scope_spans[0].spans
    assert len(spans) == (len(timeline.events) + 1 if timeline.events else 0)


def test_the_opentelemetry_example_passes_the_same_check() -> None:
    example = json.loads(shared("standards/otlp/trace.json").read_text())
    (span,) = spans_of(example)
    assert set(span) - set(spans_of(projected_json("otlp", timeline_of_codes("delivered")))[1]) == set()


@pytest.mark.parametrize(
    ("field", "value"), [("kind", "SPAN_KIND_INTERNAL"), ("spanId", "0" * 16), ("start_time", "1")]
)
def test_a_trace_that_is_valid_protobuf_but_violates_the_standard_is_detected(field: str, value: str) -> None:
    document = projected_json("otlp", timeline_of_codes("delivered"))
    spans_of(document)[1][field] = value
    with pytest.raises((AssertionError, json_format.ParseError)):
        prove(document)


@for_every(
    ("codes", "journey", "last"),
    [
        (("picked_up", "delivered"), 1, 0),
        (("picked_up", "delivery_failed"), 0, 2),
        (("picked_up", "returned"), 2, 0),
        (("cancelled",), 2, 0),
        (("in_transit",), 0, 0),
    ],
)
def test_the_journey_ends_as_ok_or_error_and_an_exception_marks_its_own_span(
    codes: tuple[str, ...], journey: int, last: int
) -> None:
    root, *spans = spans_of(projected_json("otlp", timeline_of_codes(*codes)))
    assert root["status"]["code"] == journey
    assert spans[-1]["status"]["code"] == last


def test_each_event_lasts_until_the_next() -> None:
    root, first, second = spans_of(projected_json("otlp", timeline_of_codes("picked_up", "delivered")))
    assert first["endTimeUnixNano"] == second["startTimeUnixNano"] == root["endTimeUnixNano"]
    assert first["startTimeUnixNano"] == root["startTimeUnixNano"] == "1781092800000000000"
