"""Native documents: one timeline, or several under `timelines`.

A timeline that has a `current_status` and no events comes from a source that shows no more than that.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct, convert
from msgspec.json import Encoder

from haulier.contexts.otep.public import (
    CORRECTION_CHECK,
    EVENT_CHECK,
    PROFILES,
    SOURCE_CHECK,
    SUBJECT_CHECK,
    UNIVERSAL_PROFILE,
    Correction,
    Finding,
    Severity,
    Source,
    TrackingEvent,
    check_codes,
    sscc_digits,
    status_code_row,
)
from haulier.contexts.tracking.ingest.rules.carrier_statuses import translate_event_status
from haulier.contexts.tracking.ingest.rules.parsed import (
    ParsedDocument,
    ParsedEvent,
    PolledStatus,
    RefusalReason,
    SubjectNames,
    empty_document,
    require_event_limit,
)
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, declare_error

NOT_A_TIMELINE = declare_error("ingest_not_a_timeline", 422)

ON_ERROR = ("rollback", "proceed")
SUBJECT_NUMBERS = ("tracking_number", "external_tracking_number", "gs1_sscc", "piece_id")
"""What a subject can be found by. Order and package ids are the client's own business."""

NUMBER_MAX = 100
"""Characters of a number under which a timeline is kept."""

EXTENSIONS_MAX_BYTES = 8_192
EXTENSIONS_MAX_PARTS = 200
"""Objects and lists in one event's extensions, and so also how deep they can be nested."""

_SOURCE_FIELDS = (
    "event_id",
    "occurred_at",
    "source",
    "location",
    "incident_reason",
    "actor",
    "pod",
    "raw_status",
    "extensions",
)
"""What of an event is the source's to say. When it was recorded, whether it is late and how it reads is ours."""

_encode = Encoder().encode


class _TimelineFrame(Struct, frozen=True):
    """What holds for all events of a timeline: its place, subject and profile, and what is wrong with them."""

    path: str
    subject: SubjectNames
    profile: str
    faults: list[RefusalReason]


def read_native(document: Any) -> ParsedDocument:
    """What a document tells. Raises `NOT_A_TIMELINE`, `TOO_MANY_EVENTS`, or `INVALID_REQUEST` for a wrong `on_error`."""
    given = list(_timelines(document))
    require_event_limit(
        sum(len(_listed_items(each, "events")) + len(_listed_items(each, "voided")) or 1 for _, each in given)
    )
    reading = empty_document()
    reading.on_error = _on_error(document)
    for path, timeline in given:
        _read_timeline(reading, path, timeline)
    return reading


def _timelines(document: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(document, dict):
        raise NOT_A_TIMELINE()
    several = document.get("timelines")
    if isinstance(several, list):
        yield from ((f"$.timelines[{at}]", each) for at, each in enumerate(several))
    elif "subject" in document:
        yield "$", document
    else:
        raise NOT_A_TIMELINE()


def _listed_items(timeline: Any, name: str) -> list[Any]:
    items = timeline.get(name) if isinstance(timeline, dict) else None
    return items if isinstance(items, list) else []


def _on_error(document: dict[str, Any]) -> str | None:
    said = document.get("on_error")
    if said is not None and said not in ON_ERROR:
        raise INVALID_REQUEST.for_fields(FieldError("on_error", "field.enum", {"expected": " / ".join(ON_ERROR)}))
    return said


def _read_timeline(reading: ParsedDocument, path: str, timeline: Any) -> None:
    frame = _timeline_frame(timeline, path)
    events, voided = _listed_items(timeline, "events"), _listed_items(timeline, "voided")
    for at, event in enumerate(events):
        _read_event(reading, f"{path}.events[{at}]", frame, translate_event_status(event, frame.profile))
    for at, entry in enumerate(voided):
        _read_voided(reading, f"{path}.voided[{at}]", frame, entry)
    if not events and not voided:
        _read_status(reading, frame, timeline)


def _timeline_frame(timeline: Any, path: str) -> _TimelineFrame:
    faults = list(_timeline_faults(timeline, path))
    if faults:
        return _TimelineFrame(path, SubjectNames(names=()), UNIVERSAL_PROFILE, faults)
    profile, subject = timeline.get("profile", UNIVERSAL_PROFILE), timeline["subject"]
    sscc = sscc_digits(subject["gs1_sscc"]) if "gs1_sscc" in subject else None
    said = {**subject, "gs1_sscc": sscc}
    names = tuple(dict.fromkeys(name for key in SUBJECT_NUMBERS if (name := said.get(key)) and len(name) <= NUMBER_MAX))
    external = subject.get("external_tracking_number")
    return _TimelineFrame(path, SubjectNames(names=names, external=external, sscc=sscc, profile=profile), profile, [])


def _timeline_faults(timeline: Any, path: str) -> Iterator[RefusalReason]:
    if not isinstance(timeline, dict):
        yield RefusalReason(path, "otep.validate.wrong_type", {"expected": "object"})
        return
    profile = timeline.get("profile", UNIVERSAL_PROFILE)
    if not isinstance(profile, str) or profile not in PROFILES:
        yield RefusalReason(f"{path}.profile", "ingest.unknown_profile", {"allowed": ", ".join(PROFILES)})
    for name in ("events", "voided"):
        if not isinstance(timeline.get(name, []), list):
            yield RefusalReason(f"{path}.{name}", "otep.validate.wrong_type", {"expected": "array"})
    subject = timeline.get("subject")
    yield from _error_reasons(SUBJECT_CHECK(subject, f"{path}.subject"))
    numbers = [subject.get(name) for name in SUBJECT_NUMBERS] if isinstance(subject, dict) else [""]
    if not any(isinstance(number, str) and len(number) <= NUMBER_MAX for number in numbers):
        yield RefusalReason(f"{path}.subject", "ingest.no_number", {"allowed": ", ".join(SUBJECT_NUMBERS)})


def _error_reasons(findings: Iterator[Finding]) -> Iterator[RefusalReason]:
    for each in findings:
        if each.severity is Severity.ERROR:
            yield RefusalReason(each.path, f"otep.validate.{each.code}", each.params)


def _read_event(reading: ParsedDocument, path: str, frame: _TimelineFrame, event: Any) -> None:
    reading.paths.append(path)
    if reasons := [*frame.faults, *_event_faults(event, path, frame.profile)]:
        reading.refused[path] = reasons
    else:
        reading.told.append(ParsedEvent(path=path, subject=frame.subject, event=_parsed_event(event, frame.profile)))


def _read_voided(reading: ParsedDocument, path: str, frame: _TimelineFrame, entry: Any) -> None:
    reading.paths.append(path)
    said: dict[str, Any] = entry if isinstance(entry, dict) else {}
    told = translate_event_status(said.get("event"), frame.profile)
    wrong = _error_reasons(CORRECTION_CHECK(said.get("correction"), f"{path}.correction"))
    reasons = [*frame.faults, *_event_faults(told, f"{path}.event", frame.profile), *wrong]
    if reasons:
        reading.refused[path] = reasons
        return
    event, correction = _parsed_event(told, frame.profile), convert(said["correction"], Correction)
    reading.told.append(ParsedEvent(path=path, subject=frame.subject, event=event, correction=correction))


def _read_status(reading: ParsedDocument, frame: _TimelineFrame, timeline: Any) -> None:
    reading.paths.append(frame.path)
    reasons = [*frame.faults]
    said: dict[str, Any] = timeline if isinstance(timeline, dict) else {}
    status, source = said.get("current_status"), said.get("source", {"type": "carrier"})
    if not isinstance(status, str) or not 0 < len(status.strip()) <= 60 or not status.isprintable():
        reasons.append(RefusalReason(f"{frame.path}.current_status", "ingest.nothing_told"))
    reasons += _error_reasons(SOURCE_CHECK(source, f"{frame.path}.source"))
    if reasons or not isinstance(status, str):
        reading.refused[frame.path] = reasons
    else:
        seen = PolledStatus(path=frame.path, subject=frame.subject, status=status, source=convert(source, Source))
        reading.seen.append(seen)


def _event_faults(event: Any, path: str, profile: str) -> Iterator[RefusalReason]:
    yield from _error_reasons(EVENT_CHECK(event, path))
    if isinstance(event, dict):
        yield from _error_reasons(check_codes(event, path, profile))
        if (extensions := event.get("extensions")) and not _is_small(extensions):
            yield RefusalReason(f"{path}.extensions", "ingest.extensions_too_large", {"max": EXTENSIONS_MAX_BYTES})


def _is_small(extensions: Any) -> bool:
    try:
        written = _encode(extensions)
    except (RecursionError, ValueError):  # nested too deeply, or a text or number that nobody could read back
        return False
    return len(written) <= EXTENSIONS_MAX_BYTES and written.count(b"{") + written.count(b"[") <= EXTENSIONS_MAX_PARTS


def _parsed_event(event: dict[str, Any], profile: str) -> TrackingEvent:
    said = event["status_code"]
    row = status_code_row(said, event.get("phase", ""), profile)
    known = {"event_id": "", "status_code": row.code, "phase": row.phase}
    known |= {name: event[name] for name in _SOURCE_FIELDS if name in event}
    if row.code != said:
        known.setdefault("raw_status", said)
    return convert(known, TrackingEvent)
