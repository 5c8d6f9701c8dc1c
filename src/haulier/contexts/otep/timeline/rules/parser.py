"""Posted timelines as records."""

import hashlib
from datetime import UTC, datetime
from typing import Any

from msgspec import ValidationError, convert

from haulier.contexts.otep.timeline.contract import Correction, Source, Subject, Timeline, TrackingEvent
from haulier.contexts.otep.timeline.rules.merge import build_timeline
from haulier.contexts.otep.timeline.rules.posted_forms import is_single_event, plain_timeline, timeline_of_event
from haulier.contexts.otep.timeline.rules.transitions import status_code_row
from haulier.contexts.otep.vocabulary.rules import UNIVERSAL_PROFILE


def parse_timeline(document: dict[str, Any]) -> Timeline:
    """The timeline of a valid document: in order, each event once, aliases as their codes, the status recomputed.

    An event without an id gets one made from its source's reference, or else from its instant and code, so that the same
    event always has the same id. Unknown members are left out. Raises `msgspec.ValidationError` or `KeyError` for a
    document that the validator refuses, and for one of several subjects.
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
    """The one subject of a document and its events."""
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
    """The id of an event that came without one."""
    identity = reference or f"{code}@{occurred_at.astimezone(UTC).isoformat(timespec='milliseconds')}"
    text = "\x1f".join((source_type, source_name, identity))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
