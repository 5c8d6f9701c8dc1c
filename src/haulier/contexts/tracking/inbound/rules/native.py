"""Native documents: one timeline, or several under `timelines`.

A timeline that has a `current_status` and no events comes from a source that shows no more than that.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct, convert
from msgspec.json import Encoder

from haulier.contexts.tracking.inbound.rules.told import Named, Reading, Reason, Seen, Told, a_reading, demand_few
from haulier.contexts.tracking.inbound.rules.vocabularies import in_our_words
from haulier.contexts.tracking.otep.model import Correction, Event, Source
from haulier.contexts.tracking.otep.rules import journeys
from haulier.contexts.tracking.otep.rules.findings import Finding, Severity
from haulier.contexts.tracking.otep.rules.gs1 import sscc_digits
from haulier.contexts.tracking.otep.rules.shapes import CORRECTION, EVENT, SOURCE, SUBJECT
from haulier.contexts.tracking.otep.rules.transitions import row_of
from haulier.contexts.tracking.otep.vocabulary import PROFILES, UNIVERSAL
from haulier.kernel.errors import INVALID_REQUEST, Fault, problem

NOT_A_TIMELINE = problem("ingest_not_a_timeline", 422)

ON_ERROR = ("rollback", "proceed")
NUMBERS = ("tracking_number", "external_tracking_number", "gs1_sscc", "piece_id")
"""What a subject can be found by. Order and package ids are the client's own business."""

NUMBER_MAX = 100
"""Characters of a number under which a timeline is kept."""

EXTENSIONS_MAX_BYTES = 8_192
EXTENSIONS_MAX_PARTS = 200
"""Objects and lists in one event's extensions, and so also how deep they can be nested."""

_CONTENT = (
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


class _Frame(Struct, frozen=True):
    """What holds for all events of a timeline: its place, subject and profile, and what is wrong with them."""

    path: str
    subject: Named
    profile: str
    faults: list[Reason]


def read_native(document: Any) -> Reading:
    """What a document tells. Raises `NOT_A_TIMELINE`, `TOO_MANY_EVENTS`, or `INVALID_REQUEST` for a wrong `on_error`."""
    given = list(_timelines(document))
    demand_few(sum(len(_items(each, "events")) + len(_items(each, "voided")) or 1 for _, each in given))
    reading = a_reading()
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


def _items(timeline: Any, name: str) -> list[Any]:
    items = timeline.get(name) if isinstance(timeline, dict) else None
    return items if isinstance(items, list) else []


def _on_error(document: dict[str, Any]) -> str | None:
    said = document.get("on_error")
    if said is not None and said not in ON_ERROR:
        raise INVALID_REQUEST.at(Fault("on_error", "field.enum", {"expected": " / ".join(ON_ERROR)}))
    return said


def _read_timeline(reading: Reading, path: str, timeline: Any) -> None:
    frame = _framed(timeline, path)
    events, voided = _items(timeline, "events"), _items(timeline, "voided")
    for at, event in enumerate(events):
        _read_event(reading, f"{path}.events[{at}]", frame, in_our_words(event, frame.profile))
    for at, entry in enumerate(voided):
        _read_voided(reading, f"{path}.voided[{at}]", frame, entry)
    if not events and not voided:
        _read_status(reading, frame, timeline)


def _framed(timeline: Any, path: str) -> _Frame:
    faults = list(_timeline_faults(timeline, path))
    if faults:
        return _Frame(path, Named(names=()), UNIVERSAL, faults)
    profile, subject = timeline.get("profile", UNIVERSAL), timeline["subject"]
    sscc = sscc_digits(subject["gs1_sscc"]) if "gs1_sscc" in subject else None
    said = {**subject, "gs1_sscc": sscc}
    names = tuple(dict.fromkeys(name for key in NUMBERS if (name := said.get(key)) and len(name) <= NUMBER_MAX))
    external = subject.get("external_tracking_number")
    return _Frame(path, Named(names=names, external=external, sscc=sscc, profile=profile), profile, [])


def _timeline_faults(timeline: Any, path: str) -> Iterator[Reason]:
    if not isinstance(timeline, dict):
        yield Reason(path, "otep.validate.wrong_type", {"expected": "object"})
        return
    profile = timeline.get("profile", UNIVERSAL)
    if not isinstance(profile, str) or profile not in PROFILES:
        yield Reason(f"{path}.profile", "ingest.unknown_profile", {"allowed": ", ".join(PROFILES)})
    for name in ("events", "voided"):
        if not isinstance(timeline.get(name, []), list):
            yield Reason(f"{path}.{name}", "otep.validate.wrong_type", {"expected": "array"})
    subject = timeline.get("subject")
    yield from _errors(SUBJECT(subject, f"{path}.subject"))
    numbers = [subject.get(name) for name in NUMBERS] if isinstance(subject, dict) else [""]
    if not any(isinstance(number, str) and len(number) <= NUMBER_MAX for number in numbers):
        yield Reason(f"{path}.subject", "ingest.no_number", {"allowed": ", ".join(NUMBERS)})


def _errors(findings: Iterator[Finding]) -> Iterator[Reason]:
    for each in findings:
        if each.severity is Severity.ERROR:
            yield Reason(each.path, f"otep.validate.{each.code}", each.params)


def _read_event(reading: Reading, path: str, frame: _Frame, event: Any) -> None:
    reading.paths.append(path)
    if reasons := [*frame.faults, *_event_faults(event, path, frame.profile)]:
        reading.refused[path] = reasons
    else:
        reading.told.append(Told(path=path, subject=frame.subject, event=_event(event, frame.profile)))


def _read_voided(reading: Reading, path: str, frame: _Frame, entry: Any) -> None:
    reading.paths.append(path)
    said: dict[str, Any] = entry if isinstance(entry, dict) else {}
    told = in_our_words(said.get("event"), frame.profile)
    wrong = _errors(CORRECTION(said.get("correction"), f"{path}.correction"))
    reasons = [*frame.faults, *_event_faults(told, f"{path}.event", frame.profile), *wrong]
    if reasons:
        reading.refused[path] = reasons
        return
    event, correction = _event(told, frame.profile), convert(said["correction"], Correction)
    reading.told.append(Told(path=path, subject=frame.subject, event=event, correction=correction))


def _read_status(reading: Reading, frame: _Frame, timeline: Any) -> None:
    reading.paths.append(frame.path)
    reasons = [*frame.faults]
    said: dict[str, Any] = timeline if isinstance(timeline, dict) else {}
    status, source = said.get("current_status"), said.get("source", {"type": "carrier"})
    if not isinstance(status, str) or not 0 < len(status.strip()) <= 60 or not status.isprintable():
        reasons.append(Reason(f"{frame.path}.current_status", "ingest.nothing_told"))
    reasons += _errors(SOURCE(source, f"{frame.path}.source"))
    if reasons or not isinstance(status, str):
        reading.refused[frame.path] = reasons
    else:
        seen = Seen(path=frame.path, subject=frame.subject, status=status, source=convert(source, Source))
        reading.seen.append(seen)


def _event_faults(event: Any, path: str, profile: str) -> Iterator[Reason]:
    yield from _errors(EVENT(event, path))
    if isinstance(event, dict):
        yield from _errors(journeys.codes(event, path, profile))
        if (extensions := event.get("extensions")) and not _small(extensions):
            yield Reason(f"{path}.extensions", "ingest.extensions_too_large", {"max": EXTENSIONS_MAX_BYTES})


def _small(extensions: Any) -> bool:
    try:
        written = _encode(extensions)
    except (RecursionError, ValueError):  # nested too deeply, or a text or number that nobody could read back
        return False
    return len(written) <= EXTENSIONS_MAX_BYTES and written.count(b"{") + written.count(b"[") <= EXTENSIONS_MAX_PARTS


def _event(event: dict[str, Any], profile: str) -> Event:
    said = event["status_code"]
    row = row_of(said, event.get("phase", ""), profile)
    known = {"event_id": "", "status_code": row.code, "phase": row.phase}
    known |= {name: event[name] for name in _CONTENT if name in event}
    if row.code != said:
        known.setdefault("raw_status", said)
    return convert(known, Event)
