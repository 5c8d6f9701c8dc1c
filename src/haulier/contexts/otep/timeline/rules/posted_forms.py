"""The forms in which timelines are posted, brought into one: plain words for addresses, a source for every event.

A posted document is a timeline, or one event that carries its `subject`. Events of a timeline may carry a subject of their own.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from haulier.contexts.otep.vocabulary.rules import phase_of_address, split_code_address

DEFAULT_SOURCE: Mapping[str, str] = {"type": "carrier"}
"""The source of an event that names none, where nothing is known of who posts it."""

_EVENT_MEMBERS = ("occurred_at", "status_code")
_TIMES = ("occurred_at", "recorded_at", "declared_at")
_LEAP_SECOND = re.compile(r"([0-9-]{10}[Tt ][0-9]{2}:[0-9]{2}):60(?:\.[0-9]+)?([Zz]|[+-][0-9]{2}:?[0-9]{2})")
_TIMELINE_MEMBERS = ("events", "voided", "timelines", "current_status")


def is_single_event(document: Any) -> bool:
    """Whether a document is one event, and not a timeline."""
    return (
        isinstance(document, dict)
        and any(name in document for name in _EVENT_MEMBERS)
        and not any(name in document for name in _TIMELINE_MEMBERS)
    )


def timeline_of_event(event: dict[str, Any]) -> dict[str, Any]:
    """A timeline that holds one posted event. Its profile is the event's own, else that of its code's address."""
    timeline: dict[str, Any] = {"events": [{name: value for name, value in event.items() if name != "profile"}]}
    if "profile" in event:
        return {**timeline, "profile": event["profile"]}
    code = event.get("status_code")
    address = split_code_address(code) if isinstance(code, str) else None
    return {**timeline, "profile": address[0]} if address else timeline


def plain_timeline(timeline: dict[str, Any], source: Mapping[str, str] = DEFAULT_SOURCE) -> dict[str, Any]:
    """A posted timeline with plain words; events that name no source get `source`. What cannot be read stays as it is."""
    plain = _plain_words(timeline, "current_status", "current_phase")
    events, voided = timeline.get("events"), timeline.get("voided")
    if isinstance(events, list):
        plain["events"] = [plain_event(event, source) for event in events]
    if isinstance(voided, list):
        plain["voided"] = [plain_voided(entry, source) for entry in voided]
    return plain


def plain_voided(entry: Any, source: Mapping[str, str] = DEFAULT_SOURCE) -> Any:
    """A posted voided event with plain words, and with `source` for what it does not say of its own."""
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
    """A posted event with plain words, and with `source` for what it does not say of its own."""
    if not isinstance(event, dict):
        return event
    plain = _plain_words(event, "status_code", "phase")
    plain["source"] = _whole_source(event.get("source", {}), source)
    return _plain_times(plain)


def plain_timestamp(text: str) -> str:
    """Return a time with a leap second (RFC 3339, `:60`) as the second after it; any other text unchanged."""
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
    """A copy of a record in which addresses are the words that they stand for."""
    plain = dict(record)
    code, phase = record.get(code_name), record.get(phase_name)
    if isinstance(code, str) and (address := split_code_address(code)):
        plain[code_name] = address[1]
    if isinstance(phase, str) and (name := phase_of_address(phase)):
        plain[phase_name] = name
    return plain
