"""Native documents: one timeline, or several under `timelines`.

A timeline with a `current_status` and no events comes from a source that shows no more than that.
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

NOT_A_TIMELINE = declare_error("ingest_not_a_timeline", 422, fields=("$",))

ON_ERROR = ("rollback", "proceed")
SUBJECT_NUMBERS = ("tracking_number", "external_tracking_number", "gs1_sscc", "piece_id")
"""The numbers that a subject is found by. Order and package ids are the client's own and are not used."""

NUMBER_MAX = 100
"""Characters of a tracking number."""

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
"""The fields of an event that are taken from the source. The others are computed here."""

_encode = Encoder().encode


class _TimelineFrame(Struct, frozen=True):
    """What holds for all events of a timeline: its path, subject and profile, and what is wrong with them."""

    path: str
    subject: SubjectNames
    profile: str
    reasons: list[RefusalReason]


def read_native(document: Any) -> ParsedDocument:
    """The events and statuses of a document.

    Raises `NOT_A_TIMELINE`, `TOO_MANY_EVENTS`, or `INVALID_REQUEST` for a wrong `on_error`.
    """
    timelines = list(_timelines(document))
    require_event_limit(
        sum(
            len(_listed_items(timeline, "events")) + len(_listed_items(timeline, "voided")) or 1
            for _, timeline in timelines
        )
    )
    parsed = empty_document()
    parsed.on_error = _on_error(document)
    for path, timeline in timelines:
        _read_timeline(parsed, path, timeline)
    return parsed


def _timelines(document: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(document, dict):
        raise NOT_A_TIMELINE()
    several = document.get("timelines")
    if isinstance(several, list):
        yield from ((f"$.timelines[{index}]", timeline) for index, timeline in enumerate(several))
    elif "subject" in document:
        yield "$", document
    else:
        raise NOT_A_TIMELINE()


def _listed_items(timeline: Any, name: str) -> list[Any]:
    items = timeline.get(name) if isinstance(timeline, dict) else None
    return items if isinstance(items, list) else []


def _on_error(document: dict[str, Any]) -> str | None:
    on_error = document.get("on_error")
    if on_error is not None and on_error not in ON_ERROR:
        raise INVALID_REQUEST.for_fields(FieldError("on_error", "field.enum", {"expected": " / ".join(ON_ERROR)}))
    return on_error


def _read_timeline(parsed: ParsedDocument, path: str, timeline: Any) -> None:
    frame = _timeline_frame(timeline, path)
    events, voided = _listed_items(timeline, "events"), _listed_items(timeline, "voided")
    for index, event in enumerate(events):
        _read_event(parsed, f"{path}.events[{index}]", frame, translate_event_status(event, frame.profile))
    for index, entry in enumerate(voided):
        _read_voided(parsed, f"{path}.voided[{index}]", frame, entry)
    if not events and not voided:
        _read_status(parsed, frame, timeline)


def _timeline_frame(timeline: Any, path: str) -> _TimelineFrame:
    if reasons := list(_timeline_faults(timeline, path)):
        return _TimelineFrame(path, SubjectNames(names=()), UNIVERSAL_PROFILE, reasons)
    profile, subject = timeline.get("profile", UNIVERSAL_PROFILE), timeline["subject"]
    sscc = sscc_digits(subject["gs1_sscc"]) if "gs1_sscc" in subject else None
    numbers = {**subject, "gs1_sscc": sscc}
    names = tuple(
        dict.fromkeys(name for key in SUBJECT_NUMBERS if (name := numbers.get(key)) and len(name) <= NUMBER_MAX)
    )
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
    for finding in findings:
        if finding.severity is Severity.ERROR:
            yield RefusalReason(finding.path, f"otep.validate.{finding.code}", finding.params)


def _read_event(parsed: ParsedDocument, path: str, frame: _TimelineFrame, event: Any) -> None:
    parsed.paths.append(path)
    if reasons := [*frame.reasons, *_event_faults(event, path, frame.profile)]:
        parsed.refused[path] = reasons
    else:
        parsed.events.append(ParsedEvent(path=path, subject=frame.subject, event=_parsed_event(event, frame.profile)))


def _read_voided(parsed: ParsedDocument, path: str, frame: _TimelineFrame, entry: Any) -> None:
    parsed.paths.append(path)
    members: dict[str, Any] = entry if isinstance(entry, dict) else {}
    translated = translate_event_status(members.get("event"), frame.profile)
    correction_faults = _error_reasons(CORRECTION_CHECK(members.get("correction"), f"{path}.correction"))
    reasons = [*frame.reasons, *_event_faults(translated, f"{path}.event", frame.profile), *correction_faults]
    if reasons:
        parsed.refused[path] = reasons
        return
    event, correction = _parsed_event(translated, frame.profile), convert(members["correction"], Correction)
    parsed.events.append(ParsedEvent(path=path, subject=frame.subject, event=event, correction=correction))


def _read_status(parsed: ParsedDocument, frame: _TimelineFrame, timeline: Any) -> None:
    parsed.paths.append(frame.path)
    reasons = [*frame.reasons]
    members: dict[str, Any] = timeline if isinstance(timeline, dict) else {}
    status, source = members.get("current_status"), members.get("source", {"type": "carrier"})
    if not isinstance(status, str) or not 0 < len(status.strip()) <= 60 or not status.isprintable():
        reasons.append(RefusalReason(f"{frame.path}.current_status", "ingest.nothing_told"))
    reasons += _error_reasons(SOURCE_CHECK(source, f"{frame.path}.source"))
    if reasons or not isinstance(status, str):
        parsed.refused[frame.path] = reasons
    else:
        parsed.polled.append(
            PolledStatus(path=frame.path, subject=frame.subject, status=status, source=convert(source, Source))
        )


def _event_faults(event: Any, path: str, profile: str) -> Iterator[RefusalReason]:
    yield from _error_reasons(EVENT_CHECK(event, path))
    if isinstance(event, dict):
        yield from _error_reasons(check_codes(event, path, profile))
        if (extensions := event.get("extensions")) and not _is_small(extensions):
            yield RefusalReason(f"{path}.extensions", "ingest.extensions_too_large", {"max": EXTENSIONS_MAX_BYTES})


def _is_small(extensions: Any) -> bool:
    try:
        encoded = _encode(extensions)
    except (RecursionError, ValueError):  # nested too deeply, or a text or number that JSON cannot hold
        return False
    return len(encoded) <= EXTENSIONS_MAX_BYTES and encoded.count(b"{") + encoded.count(b"[") <= EXTENSIONS_MAX_PARTS


def _parsed_event(event: dict[str, Any], profile: str) -> TrackingEvent:
    given_code = event["status_code"]
    row = status_code_row(given_code, event.get("phase", ""), profile)
    fields = {"event_id": "", "status_code": row.code, "phase": row.phase}
    fields |= {name: event[name] for name in _SOURCE_FIELDS if name in event}
    if row.code != given_code:
        fields.setdefault("raw_status", given_code)
    return convert(fields, TrackingEvent)
