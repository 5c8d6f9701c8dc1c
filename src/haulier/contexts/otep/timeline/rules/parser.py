"""Rules of timelines: parser.

A posted document is a timeline, or one event that carries its `subject`. Events of a timeline may carry a subject of their own.

Any code may follow a code of the same or an earlier phase. A step back to an earlier phase is in order only after an
exception (a parcel whose delivery failed goes back to the depot) or around a fresh pickup attempt. A terminal code may end
the journey wherever it is: its own phase says where such journeys usually end. Nothing may follow a terminal code.
"""

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from msgspec import ValidationError, convert

from haulier.contexts.otep.timeline.contract import Correction, Source, Subject, Timeline, TrackingEvent
from haulier.contexts.otep.timeline.rules.merge import build_timeline
from haulier.contexts.otep.vocabulary.rules import (
    PHASE_RANK,
    UNIVERSAL_PROFILE,
    Phase,
    StatusCode,
    phase_of_address,
    resolve_status,
    split_code_address,
)

DEFAULT_SOURCE: Mapping[str, str] = {"type": "carrier"}
"""The source of an event that names none, where nothing is known of who posts it."""

_EVENT_MEMBERS = ("occurred_at", "status_code")
_TIMES = ("occurred_at", "recorded_at", "declared_at")
_LEAP_SECOND = re.compile(r"([0-9-]{10}[Tt ][0-9]{2}:[0-9]{2}):60(?:\.[0-9]+)?([Zz]|[+-][0-9]{2}:?[0-9]{2})")
_TIMELINE_MEMBERS = ("events", "voided", "timelines", "current_status")


def is_single_event(document: Any) -> bool:
    """Return True if a document is one event, not a timeline."""
    return (
        isinstance(document, dict)
        and any(name in document for name in _EVENT_MEMBERS)
        and not any(name in document for name in _TIMELINE_MEMBERS)
    )


def timeline_of_event(event: dict[str, Any]) -> dict[str, Any]:
    """Return a timeline with one posted event.

    Its profile is the event's own, else that of its code's address.
    """
    timeline: dict[str, Any] = {"events": [{name: value for name, value in event.items() if name != "profile"}]}
    if "profile" in event:
        return {**timeline, "profile": event["profile"]}
    code = event.get("status_code")
    address = split_code_address(code) if isinstance(code, str) else None
    return {**timeline, "profile": address[0]} if address else timeline


def plain_timeline(timeline: dict[str, Any], source: Mapping[str, str] = DEFAULT_SOURCE) -> dict[str, Any]:
    """Return a posted timeline with plain words and default `source`.

    Unreadable parts are unchanged.
    """
    plain = _plain_words(timeline, "current_status", "current_phase")
    events, voided = timeline.get("events"), timeline.get("voided")
    if isinstance(events, list):
        plain["events"] = [plain_event(event, source) for event in events]
    if isinstance(voided, list):
        plain["voided"] = [plain_voided(entry, source) for entry in voided]
    return plain


def plain_voided(entry: Any, source: Mapping[str, str] = DEFAULT_SOURCE) -> Any:
    """Return a posted voided event with plain words and default `source`."""
    if not isinstance(entry, dict):
        return entry
    plain = dict(entry)
    if "event" in entry:
        plain["event"] = plain_event(entry["event"], source)
    correction = entry.get("correction")
    if isinstance(correction, dict) and "source" in correction:
        correction = {**correction, "source": _whole_source(correction["source"], source)}
    if isinstance(correction, dict):
        plain["correction"] = _plain_times(dict(correction))
    return plain


def plain_event(event: Any, source: Mapping[str, str] = DEFAULT_SOURCE) -> Any:
    """Return a posted event with plain words and default `source`."""
    if not isinstance(event, dict):
        return event
    plain = _plain_words(event, "status_code", "phase")
    plain["source"] = _whole_source(event.get("source", {}), source)
    return _plain_times(plain)


def plain_timestamp(text: str) -> str:
    """Return a time with a leap second (RFC 3339, `:60`) as the second after it.

    Other texts are unchanged.
    """
    if ":60" not in text or not (match := _LEAP_SECOND.fullmatch(text)):
        return text
    try:
        return (datetime.fromisoformat(f"{match[1]}:59{match[2].upper()}") + timedelta(seconds=1)).isoformat()
    except (ValueError, OverflowError):
        return text


def _plain_times(record: dict[str, Any]) -> dict[str, Any]:
    for name in _TIMES:
        if isinstance(text := record.get(name), str):
            record[name] = plain_timestamp(text)
    return record


def _whole_source(given: Any, source: Mapping[str, str]) -> Any:
    return {**source, **given} if isinstance(given, dict) else given


def _plain_words(record: dict[str, Any], code_name: str, phase_name: str) -> dict[str, Any]:
    """Return a copy of a record in which addresses are the words that they stand for."""
    plain = dict(record)
    code, phase = record.get(code_name), record.get(phase_name)
    if isinstance(code, str) and (address := split_code_address(code)):
        plain[code_name] = address[1]
    if isinstance(phase, str) and (name := phase_of_address(phase)):
        plain[phase_name] = name
    return plain


FRESH_PICKUP_CODE = "out_for_pickup"


class TransitionKind(StrEnum):
    """The kind of a step from one status to the next."""

    LEGAL = "legal"
    STEP_BACK = "step_back"
    """Back to an earlier phase without a reason for it: a validator warns."""
    AFTER_TERMINAL = "after_terminal"
    """After the end: an error in a timeline that is validated; kept and marked late in one that is stored."""


def classify_transition(before: StatusCode, after: StatusCode) -> TransitionKind:
    """Return the kind of the step from one status to the next."""
    if before.terminal:
        return TransitionKind.AFTER_TERMINAL
    forward = PHASE_RANK[after.phase] >= PHASE_RANK[before.phase]
    if forward or after.terminal or before.exception or FRESH_PICKUP_CODE in (before.code, after.code):
        return TransitionKind.LEGAL
    return TransitionKind.STEP_BACK


def status_code_row(code: str, phase: str, profile: str) -> StatusCode:
    """Return the row of a code.

    An unregistered code gets a plain row in the given phase; an unknown phase is transit.
    """
    registered = resolve_status(code, profile)
    return registered or StatusCode(code, phase if phase in PHASE_RANK else Phase.TRANSIT.value, profile)


def parse_timeline(document: dict[str, Any]) -> Timeline:
    """Return the normalised timeline of a valid document.

    Events are in order and without copies, aliases are codes, the status is recomputed. An event without an id gets one
    from its source's reference, or else from its instant and code, so that the same event always has the same id.
    Unknown members are left out. Raises `msgspec.ValidationError` or `KeyError` for a document that the validator
    rejects, and for one of several subjects.
    """
    document = plain_timeline(timeline_of_event(document) if is_single_event(document) else document)
    profile = document.get("profile", UNIVERSAL_PROFILE)
    voided = document.get("voided", [])
    documents = [*document["events"], *(entry["event"] for entry in voided)]
    return build_timeline(
        _parsed_subject(document, documents),
        [_parsed_event(event, profile) for event in documents],
        profile=profile,
        corrections=[convert(entry["correction"], Correction) for entry in voided],
    )


def _parsed_subject(document: dict[str, Any], events: list[dict[str, Any]]) -> Subject:
    """Return the one subject of a document and its events."""
    given = [part["subject"] for part in (document, *events) if "subject" in part]
    first, *others = [convert(subject, Subject) for subject in given or [document["subject"]]]
    if any(other != first for other in others):
        raise ValidationError("the events are of several subjects")
    return first


def _parsed_event(document: dict[str, Any], profile: str) -> TrackingEvent:
    row = status_code_row(document["status_code"], document.get("phase", ""), profile)
    fields = {**document, "status_code": row.code, "phase": row.phase}
    fields.pop("subject", None)
    if "event_id" not in document:
        source = convert(document["source"], Source)
        occurred_at = convert(document["occurred_at"], datetime)
        fields["event_id"] = derive_event_id(
            row.code, occurred_at, source.type, source.name or "", source.reference or ""
        )
    return convert(fields, TrackingEvent)


def derive_event_id(code: str, occurred_at: datetime, source_type: str, source_name: str, reference: str) -> str:
    """Return the id of an event that came without one."""
    identity = reference or f"{code}@{occurred_at.astimezone(UTC).isoformat(timespec='milliseconds')}"
    text = "\x1f".join((source_type, source_name, identity))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
