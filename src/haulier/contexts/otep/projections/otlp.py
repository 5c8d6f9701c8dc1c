"""OpenTelemetry: the journey is a trace, each event a span until the next one.

The document is the JSON encoding of an ExportTraceServiceRequest: ids in hexadecimal, enumerations as numbers, times as
texts of digits (nanoseconds since 1970), keys in lower camel case.
"""

from datetime import datetime
from functools import lru_cache

from msgspec import UNSET, Struct, UnsetType

from haulier.contexts.otep.projections.contract import DocumentPart, ProjectedDocument
from haulier.contexts.otep.projections.rules import (
    MappingTable,
    current_event,
    epoch_ns,
    event_description,
    events_in_order,
    location_name,
    location_point,
    read_mapping_table,
    sha256_hex,
    subject_number,
)
from haulier.contexts.otep.timeline.contract import OTEP_VERSION, DeliveryOutcome, Location, Timeline, TrackingEvent

_INTERNAL = 1
_ERROR = 2


class OtlpRow(Struct, frozen=True):
    """Status codes of the event's span and of the journey's: 0 unset, 1 ok, 2 error."""

    span: int = 0
    journey: int = 0


class OtlpValue(DocumentPart, rename="camel"):
    """An AnyValue: exactly one of its fields. A time is written as text."""

    string_value: str | datetime | UnsetType = UNSET
    double_value: float | UnsetType = UNSET


class OtlpKeyValue(DocumentPart):
    """An attribute."""

    key: str
    value: OtlpValue


class SpanStatus(DocumentPart):
    """End of a span; a message only with an error."""

    code: int
    message: str | UnsetType = UNSET


class Span(DocumentPart, kw_only=True, rename="camel"):
    """A part of the journey."""

    trace_id: str
    span_id: str
    parent_span_id: str | UnsetType = UNSET
    name: str
    kind: int = _INTERNAL
    start_time_unix_nano: str
    end_time_unix_nano: str
    attributes: list[OtlpKeyValue]
    status: SpanStatus


MAPPING = MappingTable(read_mapping_table("otlp"), OtlpRow)
_STATUS = [SpanStatus(code=code) for code in range(3)]


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """Return one trace, without spans if there are no events."""
    return {
        "resourceSpans": [
            {
                "resource": {
                    "attributes": [
                        _text_attribute("service.name", "otep"),
                        _text_attribute("service.namespace", base_url),
                    ]
                },
                "scopeSpans": [{"scope": {"name": "otep", "version": OTEP_VERSION}, "spans": _spans(timeline)}],
            }
        ]
    }


def _spans(timeline: Timeline) -> list[Span]:
    events = events_in_order(timeline)
    if not events:
        return []
    about = _text_attribute("otep.subject", subject_number(timeline.subject))
    trace = sha256_hex(f"otep:{subject_number(timeline.subject)}")
    starts = [str(epoch_ns(event.occurred_at)) for event in events]
    last = current_event(events)
    root = Span(
        trace_id=trace[:32],
        span_id=trace[32:48],
        name="journey",
        start_time_unix_nano=starts[0],
        end_time_unix_nano=starts[-1],
        attributes=[about, _text_attribute("otep.profile", timeline.profile)],
        status=_STATUS[MAPPING.row(last).journey if last else 0],
    )
    ends = [*starts[1:], starts[-1]]
    return [
        root,
        *[_span(event, start, end, root, about) for event, start, end in zip(events, starts, ends, strict=True)],
    ]


def _span(event: TrackingEvent, start: str, end: str, root: Span, about: OtlpKeyValue) -> Span:
    code = MAPPING.row(event).span
    return Span(
        trace_id=root.trace_id,
        span_id=sha256_hex(event.event_id)[:16],
        parent_span_id=root.span_id,
        name=event.status_code,
        start_time_unix_nano=start,
        end_time_unix_nano=end,
        attributes=_attributes(event, about),
        status=SpanStatus(code=_ERROR, message=event_description(event)) if code == _ERROR else _STATUS[code],
    )


def _attributes(event: TrackingEvent, about: OtlpKeyValue) -> list[OtlpKeyValue]:
    attributes = [
        about,
        _shared_text_attribute("otep.status_code", event.status_code),
        _shared_text_attribute("otep.phase", event.phase),
    ]
    if event.recorded_at:
        attributes.append(_text_attribute("otep.recorded_at", event.recorded_at))
    if reason := event.incident_reason:
        attributes.append(_shared_text_attribute("otep.incident_reason", reason.code))
        if reason.note:
            attributes.append(_text_attribute("otep.incident_note", reason.note))
    if event.outcome:
        attributes += _outcome_attributes(event.outcome)
    if event.location:
        attributes += _location_attributes(event.location)
    return attributes


@lru_cache(maxsize=1024)
def _location_attributes(location: Location) -> tuple[OtlpKeyValue, ...]:
    """Return the known attributes of a place, cached because depots repeat."""
    name, point = location_name(location), location_point(location)
    named = (_text_attribute("otep.place", name),) if name else ()
    if point is None:
        return named
    lat, lon = (OtlpValue(double_value=degrees) for degrees in point)
    return (*named, OtlpKeyValue(key="geo.lat", value=lat), OtlpKeyValue(key="geo.lon", value=lon))


def _outcome_attributes(outcome: DeliveryOutcome) -> tuple[OtlpKeyValue, ...]:
    """Return the kind of recipient and the pieces delivered; names stay out of traces."""
    counts = {"delivered": outcome.pieces.delivered, "total": outcome.pieces.total} if outcome.pieces else {}
    texts = {"handed_to": outcome.handed_to, **{f"pieces_{name}": str(count) for name, count in counts.items()}}
    return tuple(_shared_text_attribute(f"otep.outcome.{name}", text) for name, text in texts.items() if text)


def _text_attribute(key: str, value: str | datetime) -> OtlpKeyValue:
    return OtlpKeyValue(key=key, value=OtlpValue(string_value=value))


_shared_text_attribute = lru_cache(maxsize=4096)(_text_attribute)
