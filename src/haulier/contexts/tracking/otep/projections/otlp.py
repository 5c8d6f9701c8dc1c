"""OpenTelemetry: the journey is a trace, each event a span that lasts until the next one.

The document is the JSON encoding of an ExportTraceServiceRequest: ids in hexadecimal, enumerations as numbers, times
as texts of digits (nanoseconds since 1970), keys in lower camel case.
"""

from functools import lru_cache
from typing import Any

from msgspec import Struct

from haulier.contexts.tracking.otep.model import OTEP_VERSION, Event, Timeline
from haulier.contexts.tracking.otep.projections.charts import Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document
from haulier.contexts.tracking.otep.projections.moments import current, epoch_ns, in_order, stamp
from haulier.contexts.tracking.otep.projections.naming import digest, number, place, point, said

_INTERNAL = 1
_ERROR = 2


class Row(Struct, frozen=True):
    """Status codes of the event's span and of the journey's: 0 unset, 1 ok, 2 error."""

    span: int = 0
    journey: int = 0


CHART = Chart(read("otlp"), Row)


def project(timeline: Timeline, base_url: str) -> Document:
    """One trace; without any event it has no span, because nothing has a beginning."""
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": [_text("service.name", "otep"), _text("service.namespace", base_url)]},
                "scopeSpans": [{"scope": {"name": "otep", "version": OTEP_VERSION}, "spans": _spans(timeline)}],
            }
        ]
    }


def _spans(timeline: Timeline) -> list[Document]:
    events = in_order(timeline)
    if not events:
        return []
    subject = number(timeline.subject)
    trace = digest(f"otep:{subject}")
    about = _text("otep.subject", subject)
    ids = {"traceId": trace[:32], "parentSpanId": trace[32:48]}
    starts = [str(epoch_ns(event.occurred_at)) for event in events]
    ends = [*starts[1:], starts[-1]]
    spans = [_span(event, start, end, ids, about) for event, start, end in zip(events, starts, ends, strict=True)]
    last = current(events)
    root: Document = {
        "traceId": trace[:32],
        "spanId": trace[32:48],
        "name": "journey",
        "kind": _INTERNAL,
        "startTimeUnixNano": starts[0],
        "endTimeUnixNano": starts[-1],
        "attributes": [about, _text("otep.profile", timeline.profile)],
        "status": {"code": CHART.row(last).journey if last else 0},
    }
    return [root, *spans]


def _span(event: Event, start: str, end: str, ids: Document, about: Document) -> Document:
    row = CHART.row(event)
    return {
        "traceId": ids["traceId"],
        "spanId": digest(event.event_id)[:16],
        "parentSpanId": ids["parentSpanId"],
        "name": event.status_code,
        "kind": _INTERNAL,
        "startTimeUnixNano": start,
        "endTimeUnixNano": end,
        "attributes": [about, *_attributes(event)],
        "status": {"code": _ERROR, "message": said(event)} if row.span == _ERROR else {"code": row.span},
    }


def _attributes(event: Event) -> list[Document]:
    attributes = [
        _shared("otep.status_code", event.status_code),
        _shared("otep.phase", event.phase),
        _text("otep.event_id", event.event_id),
    ]
    if event.recorded_at:
        attributes.append(_text("otep.recorded_at", stamp(event.recorded_at)))
    if reason := event.incident_reason:
        attributes.append(_shared("otep.incident_reason", reason.code))
        if reason.note:
            attributes.append(_text("otep.incident_note", reason.note))
    if location := event.location:
        if name := place(location):
            attributes.append(_text("otep.place", name))
        if at := point(location):
            attributes.append(_number("geo.lat", at[0]))
            attributes.append(_number("geo.lon", at[1]))
    return attributes


def _text(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value}}


_shared = lru_cache(maxsize=1024)(_text)


def _number(key: str, value: float) -> dict[str, Any]:
    return {"key": key, "value": {"doubleValue": value}}
