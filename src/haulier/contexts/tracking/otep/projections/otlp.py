"""OpenTelemetry: the journey is a trace, each event a span that lasts until the next one.

The document is the JSON encoding of an ExportTraceServiceRequest: ids in hexadecimal, enumerations as numbers, times
as texts of digits (nanoseconds since 1970), keys in lower camel case.
"""

from datetime import datetime
from functools import lru_cache

from msgspec import UNSET, Struct, UnsetType

from haulier.contexts.tracking.otep.model import OTEP_VERSION, Event, Location, Timeline
from haulier.contexts.tracking.otep.projections.charts import Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document, Part
from haulier.contexts.tracking.otep.projections.moments import current, epoch_ns, in_order
from haulier.contexts.tracking.otep.projections.naming import digest, number, place, point, said

_INTERNAL = 1
_ERROR = 2


class Row(Struct, frozen=True):
    """Status codes of the event's span and of the journey's: 0 unset, 1 ok, 2 error."""

    span: int = 0
    journey: int = 0


class Value(Part, rename="camel"):
    """An AnyValue: exactly one of its fields. A time is written as text."""

    string_value: str | datetime | UnsetType = UNSET
    double_value: float | UnsetType = UNSET


class KeyValue(Part):
    """An attribute."""

    key: str
    value: Value


class Status(Part):
    """How a span ended; a message only with an error."""

    code: int
    message: str | UnsetType = UNSET


class Span(Part, kw_only=True, rename="camel"):
    """A part of the journey."""

    trace_id: str
    span_id: str
    parent_span_id: str | UnsetType = UNSET
    name: str
    kind: int = _INTERNAL
    start_time_unix_nano: str
    end_time_unix_nano: str
    attributes: list[KeyValue]
    status: Status


CHART = Chart(read("otlp"), Row)
_STATUS = [Status(code=code) for code in range(3)]


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


def _spans(timeline: Timeline) -> list[Span]:
    events = in_order(timeline)
    if not events:
        return []
    about = _text("otep.subject", number(timeline.subject))
    trace = digest(f"otep:{number(timeline.subject)}")
    starts = [str(epoch_ns(event.occurred_at)) for event in events]
    last = current(events)
    root = Span(
        trace_id=trace[:32],
        span_id=trace[32:48],
        name="journey",
        start_time_unix_nano=starts[0],
        end_time_unix_nano=starts[-1],
        attributes=[about, _text("otep.profile", timeline.profile)],
        status=_STATUS[CHART.row(last).journey if last else 0],
    )
    ends = [*starts[1:], starts[-1]]
    return [
        root,
        *[_span(event, start, end, root, about) for event, start, end in zip(events, starts, ends, strict=True)],
    ]


def _span(event: Event, start: str, end: str, root: Span, about: KeyValue) -> Span:
    code = CHART.row(event).span
    return Span(
        trace_id=root.trace_id,
        span_id=digest(event.event_id)[:16],
        parent_span_id=root.span_id,
        name=event.status_code,
        start_time_unix_nano=start,
        end_time_unix_nano=end,
        attributes=_attributes(event, about),
        status=Status(code=_ERROR, message=said(event)) if code == _ERROR else _STATUS[code],
    )


def _attributes(event: Event, about: KeyValue) -> list[KeyValue]:
    attributes = [about, _shared("otep.status_code", event.status_code), _shared("otep.phase", event.phase)]
    if event.recorded_at:
        attributes.append(_text("otep.recorded_at", event.recorded_at))
    if reason := event.incident_reason:
        attributes.append(_shared("otep.incident_reason", reason.code))
        if reason.note:
            attributes.append(_text("otep.incident_note", reason.note))
    if event.location:
        attributes += _where(event.location)
    return attributes


@lru_cache(maxsize=1024)
def _where(location: Location) -> tuple[KeyValue, ...]:
    """A place and its coordinates, as far as they are known. Depots come again and again."""
    name, at = place(location), point(location)
    named = (_text("otep.place", name),) if name else ()
    if at is None:
        return named
    lat, lon = (Value(double_value=degrees) for degrees in at)
    return (*named, KeyValue(key="geo.lat", value=lat), KeyValue(key="geo.lon", value=lon))


def _text(key: str, value: str | datetime) -> KeyValue:
    return KeyValue(key=key, value=Value(string_value=value))


_shared = lru_cache(maxsize=4096)(_text)
