"""Rules of ingest: native document.

Events of a timeline may carry a subject of their own. A timeline with a `current_status` and no events comes from a source
that shows no more than that.
"""

from collections.abc import Iterator, Mapping
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
    FindingSeverity,
    Source,
    TrackingEvent,
    TranslatedStatus,
    check_codes,
    is_experimental_code,
    is_single_event,
    plain_event,
    plain_voided,
    resolve_status,
    sscc_digits,
    status_code_row,
    timeline_of_event,
    translate_status,
    version_check,
)
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

RAW_MAX = 200
"""Characters of a status that is looked up."""


def translate_carrier_status(carrier: Any, status: Any, profile: str) -> TranslatedStatus | None:
    """Return the translation of a carrier's status, or None.

    None for unknown vocabularies and for codes of the protocol.
    """
    if not isinstance(carrier, str) or not isinstance(status, str) or not 0 < len(status) <= RAW_MAX:
        return None
    if resolve_status(status, profile) or is_experimental_code(status):
        return None
    translated = translate_status(carrier, status)
    return translated if translated.known else None


def translate_event_status(event: Any, profile: str) -> Any:
    """Return an event with its carrier's status translated, if known.

    The original status stays as `raw_status`.
    """
    source = event.get("source") if isinstance(event, dict) else None
    translated = (
        translate_carrier_status(source.get("name"), event.get("status_code"), profile)
        if isinstance(source, dict)
        else None
    )
    if translated is None:
        return event
    result = {"raw_status": event["status_code"], **event, "status_code": translated.status_code}
    if translated.incident_reason:
        result.setdefault("incident_reason", {"code": translated.incident_reason})
    return result


NOT_A_TIMELINE = declare_error("ingest_not_a_timeline", 422, fields=("$",))

ON_ERROR = ("rollback", "proceed")
SUBJECT_NUMBERS = ("tracking_number", "external_tracking_number", "gs1_sscc", "piece_id")
"""The numbers that a subject is found by. Order and package ids are the client's own and are not used."""

STATUS_MAX = 60
"""Characters of a present status."""

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
    "outcome",
    "raw_status",
    "extensions",
)
"""The fields of an event that are taken from the source. The others are computed here."""

SINGLE_EVENT_PATH = ""
"""Where the timeline of an event that stands alone is: nowhere in the document. The event itself is at `$`."""

_encode = Encoder().encode


class _TimelineFrame(Struct, frozen=True):
    """Path, subject, profile and faults shared by the events of a timeline.

    `source` is that of events without one. `subject_reasons` do not concern events with a subject of their own.
    """

    path: str
    subject: SubjectNames
    profile: str
    source: Mapping[str, str]
    reasons: list[RefusalReason]
    subject_reasons: list[RefusalReason]

    @property
    def all_reasons(self) -> list[RefusalReason]:
        """Return all faults of the timeline itself."""
        return [*self.reasons, *self.subject_reasons]


def read_native(document: Any, source: Source) -> ParsedDocument:
    """Return the events and statuses of a document.

    Those without a source come from `source`. Raises `NOT_A_TIMELINE`, `TOO_MANY_EVENTS`, or `INVALID_REQUEST` for a
    wrong `on_error`.
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
    default_source = {"type": source.type, "name": source.name} if source.name else {"type": source.type}
    for path, timeline in timelines:
        _read_timeline(parsed, path, timeline, default_source)
    return parsed


def _timelines(document: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(document, dict):
        raise NOT_A_TIMELINE()
    several = document.get("timelines")
    if isinstance(several, list):
        yield from ((f"$.timelines[{index}]", timeline) for index, timeline in enumerate(several))
    elif is_single_event(document):
        yield SINGLE_EVENT_PATH, timeline_of_event(document)
    elif "subject" in document or isinstance(document.get("events"), list):
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


def _read_timeline(parsed: ParsedDocument, path: str, timeline: Any, source: Mapping[str, str]) -> None:
    frame = _timeline_frame(timeline, path, source)
    events, voided = _listed_items(timeline, "events"), _listed_items(timeline, "voided")
    for index, event in enumerate(events):
        _read_event(parsed, f"{path}.events[{index}]" if path else "$", frame, event)
    for index, entry in enumerate(voided):
        _read_voided(parsed, f"{path}.voided[{index}]", frame, entry)
    if not events and not voided:
        _read_status(parsed, frame, timeline)


def _timeline_frame(timeline: Any, path: str, source: Mapping[str, str]) -> _TimelineFrame:
    reasons = list(_timeline_faults(timeline, path))
    members = timeline if isinstance(timeline, dict) else {}
    subject_reasons = [] if members is not timeline else list(_subject_faults(members.get("subject"), path or "$"))
    profile = members.get("profile", UNIVERSAL_PROFILE)
    return _TimelineFrame(
        path=path or "$",
        subject=SubjectNames(names=()) if reasons or subject_reasons else _subject_names(members["subject"], profile),
        profile=UNIVERSAL_PROFILE if reasons else profile,
        source=source,
        reasons=reasons,
        subject_reasons=subject_reasons,
    )


def _subject_names(subject: dict[str, Any], profile: str) -> SubjectNames:
    sscc = sscc_digits(subject["gs1_sscc"]) if "gs1_sscc" in subject else None
    numbers = {**subject, "gs1_sscc": sscc}
    names = tuple(
        dict.fromkeys(name for key in SUBJECT_NUMBERS if (name := numbers.get(key)) and len(name) <= NUMBER_MAX)
    )
    return SubjectNames(names=names, external=subject.get("external_tracking_number"), sscc=sscc, profile=profile)


def _timeline_faults(timeline: Any, path: str) -> Iterator[RefusalReason]:
    if not isinstance(timeline, dict):
        yield RefusalReason(path, "otep.validate.wrong_type", {"expected": "object"})
        return
    profile = timeline.get("profile", UNIVERSAL_PROFILE)
    if not isinstance(profile, str) or profile not in PROFILES:
        yield RefusalReason(f"{path or '$'}.profile", "ingest.unknown_profile", {"allowed": ", ".join(PROFILES)})
    if "otep_version" in timeline:
        yield from _error_reasons(version_check(timeline["otep_version"], f"{path}.otep_version"))
    for name in ("events", "voided"):
        if not isinstance(timeline.get(name, []), list):
            yield RefusalReason(f"{path}.{name}", "otep.validate.wrong_type", {"expected": "array"})


def _subject_faults(subject: Any, path: str) -> Iterator[RefusalReason]:
    yield from _error_reasons(SUBJECT_CHECK(subject, f"{path}.subject"))
    numbers = [subject.get(name) for name in SUBJECT_NUMBERS] if isinstance(subject, dict) else [""]
    if not any(isinstance(number, str) and len(number) <= NUMBER_MAX for number in numbers):
        yield RefusalReason(f"{path}.subject", "ingest.no_number", {"allowed": ", ".join(SUBJECT_NUMBERS)})


def _error_reasons(findings: Iterator[Finding]) -> Iterator[RefusalReason]:
    for finding in findings:
        if finding.severity is FindingSeverity.ERROR:
            hint = f"otep.hint.{finding.hint_code}" if finding.hint_code else None
            yield RefusalReason(finding.path, f"otep.validate.{finding.code}", finding.params, hint)


def _event_subject(event: Any, path: str, frame: _TimelineFrame) -> tuple[SubjectNames, list[RefusalReason]]:
    """Return the subject of an event, with its faults.

    An event can name its own subject.
    """
    if not isinstance(event, dict) or "subject" not in event:
        return frame.subject, frame.subject_reasons
    if reasons := list(_subject_faults(event["subject"], path)):
        return frame.subject, reasons
    return _subject_names(event["subject"], frame.profile), []


def _read_event(parsed: ParsedDocument, path: str, frame: _TimelineFrame, posted: Any) -> None:
    parsed.paths.append(path)
    event = translate_event_status(plain_event(posted, frame.source), frame.profile)
    subject, subject_reasons = _event_subject(event, path, frame)
    if reasons := _unique_reasons([*frame.reasons, *subject_reasons, *_event_faults(event, path, frame.profile)]):
        parsed.refused[path] = reasons
    else:
        parsed.events.append(ParsedEvent(path=path, subject=subject, event=_parsed_event(event, frame.profile)))


def _read_voided(parsed: ParsedDocument, path: str, frame: _TimelineFrame, entry: Any) -> None:
    parsed.paths.append(path)
    plain = plain_voided(entry, frame.source)
    members: dict[str, Any] = plain if isinstance(plain, dict) else {}
    event = translate_event_status(members.get("event"), frame.profile)
    subject, subject_reasons = _event_subject(event, f"{path}.event", frame)
    reasons = [
        *frame.reasons,
        *subject_reasons,
        *_event_faults(event, f"{path}.event", frame.profile),
        *_error_reasons(CORRECTION_CHECK(members.get("correction"), f"{path}.correction")),
    ]
    if reasons:
        parsed.refused[path] = _unique_reasons(reasons)
        return
    parsed.events.append(
        ParsedEvent(
            path=path,
            subject=subject,
            event=_parsed_event(event, frame.profile),
            correction=convert(members["correction"], Correction),
        )
    )


def _unique_reasons(reasons: list[RefusalReason]) -> list[RefusalReason]:
    """Return distinct reasons: a subject is checked by itself and within the event."""
    return list({(reason.path, reason.message): reason for reason in reasons}.values())


def _read_status(parsed: ParsedDocument, frame: _TimelineFrame, timeline: Any) -> None:
    parsed.paths.append(frame.path)
    reasons = frame.all_reasons
    members: dict[str, Any] = timeline if isinstance(timeline, dict) else {}
    status = members.get("current_status")
    plain = plain_event({"status_code": status, "source": members.get("source", {})}, frame.source)
    status, source = plain["status_code"], plain["source"]
    if not isinstance(status, str) or not 0 < len(status.strip()) <= STATUS_MAX or not status.isprintable():
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
