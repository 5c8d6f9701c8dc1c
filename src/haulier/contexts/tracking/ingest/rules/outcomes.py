"""What becomes of told events: new, told before, told differently before, or taking back what was told."""

import hashlib
import re
from datetime import UTC, datetime
from enum import StrEnum

from msgspec import UNSET
from msgspec.json import encode
from msgspec.structs import replace

from haulier.contexts.otep.public import Correction, Source, TrackingEvent
from haulier.contexts.tracking.ingest.rules.parsed import ParsedEvent
from haulier.contexts.tracking.timelines.rules import make_event_id

_OWN_EVENT_ID = re.compile(r"[0-9a-f]{32}")


class IngestOutcome(StrEnum):
    """What became of an event."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    REFUSED = "refused"
    CORRECTED = "corrected"


OccurrenceContent = tuple[datetime, str]
"""When an event occurred and with which status: two events under one name must agree in it."""


def to_recorded_event(told: ParsedEvent, number: str, default: str | None, now: datetime) -> TrackingEvent:
    """The event as it is written down on the timeline with a number: under our name for it, made from its source's.

    `default` is the source's name when the event gives none. An event that came from us keeps the name we gave it.
    """
    event = told.event
    source = replace(event.source, name=event.source.name or default or UNSET)
    name = make_event_id(number, source, event.status_code, event.occurred_at)
    if not source.reference and event.event_id and event.event_id != name:
        source = replace(source, reference=event.event_id)
        name = make_event_id(number, source, event.status_code, event.occurred_at)
    return replace(event, event_id=name, source=source, recorded_at=now)


def occurrence_content(event: TrackingEvent) -> OccurrenceContent:
    """What two events under one name must agree in."""
    return event.occurred_at, event.status_code


def to_recorded_correction(told: Correction, event: TrackingEvent, number: str) -> Correction:
    """An error declaration about a recorded event, in our names for the events that it names."""
    return Correction(
        event_id=event.event_id,
        declared_at=told.declared_at.astimezone(UTC),
        reason=told.reason,
        corrective_event_ids=tuple(_own_event_id(id, event.source, number) for id in told.corrective_event_ids or ())
        or UNSET,
        source=Source(type=event.source.type, name=event.source.name),
    )


def _own_event_id(id: str, source: Source, number: str) -> str:
    return (
        id
        if _OWN_EVENT_ID.fullmatch(id)
        else make_event_id(number, replace(source, reference=id), "", datetime.min.replace(tzinfo=UTC))
    )


def correction_id(told: Correction) -> str:
    """A name for a declaration, made from what it says, so that the same one twice is one."""
    return hashlib.sha256(encode(told)).hexdigest()[:32]


def decide_outcome(event: TrackingEvent, known: OccurrenceContent | None) -> IngestOutcome:
    """What becomes of an event, where something was told under its name before; refused when that was something else."""
    if known is None:
        return IngestOutcome.ACCEPTED
    return IngestOutcome.DUPLICATE if known == occurrence_content(event) else IngestOutcome.REFUSED
