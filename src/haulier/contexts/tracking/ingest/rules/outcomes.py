"""The outcome of pushed events: new, recorded before, recorded before with other content, or voided."""

import re
from datetime import UTC, datetime
from enum import StrEnum

from msgspec import UNSET
from msgspec.structs import replace

from haulier.contexts.otep.public import Correction, Source, TrackingEvent
from haulier.contexts.tracking.ingest.rules.carrier_pushes import STATUS_INFERRED
from haulier.contexts.tracking.ingest.rules.parsed import ParsedEvent
from haulier.contexts.tracking.timelines.rules import make_event_id

_OWN_EVENT_ID = re.compile(r"[0-9a-f]{32}")


class IngestOutcome(StrEnum):
    """The outcome of an event."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    REFUSED = "refused"
    CORRECTED = "corrected"
    QUEUED = "queued"


OccurrenceContent = tuple[datetime, str]
"""When an event occurred and with which status. Two events with one id must agree in it."""


def to_recorded_event(parsed: ParsedEvent, number: str, default_name: str | None, now: datetime) -> TrackingEvent:
    """The event as it is recorded on the timeline of a number, with our id of it instead of its source's.

    `default_name` is the source's name when the event gives none. An event that came from us keeps its id.
    """
    event, source = parsed.event, parsed.event.source
    if not source.name and default_name:
        source = replace(source, name=default_name)
    if not source.reference and event.event_id and not _is_own_event_id(event, source, number):
        source = replace(source, reference=event.event_id)
    event_id = make_event_id(number, source, event.status_code, event.occurred_at)
    return replace(event, event_id=event_id, source=source, recorded_at=now)


def _is_own_event_id(event: TrackingEvent, source: Source, number: str) -> bool:
    """Whether the id that an event came with is the one that we make of it."""
    if not _OWN_EVENT_ID.fullmatch(event.event_id):
        return False
    return event.event_id == make_event_id(number, source, event.status_code, event.occurred_at)


def occurrence_content(event: TrackingEvent) -> OccurrenceContent:
    """What two events with one id must agree in."""
    return event.occurred_at, event.status_code


def to_recorded_correction(declared: Correction, event: TrackingEvent, number: str) -> Correction:
    """An error declaration about a recorded event, with our ids of the events that it refers to."""
    return Correction(
        event_id=event.event_id,
        declared_at=declared.declared_at.astimezone(UTC),
        reason=declared.reason,
        corrective_event_ids=tuple(
            _own_event_id(id, event.source, number) for id in declared.corrective_event_ids or ()
        )
        or UNSET,
        source=Source(type=event.source.type, name=event.source.name),
    )


def _own_event_id(id: str, source: Source, number: str) -> str:
    return (
        id
        if _OWN_EVENT_ID.fullmatch(id)
        else make_event_id(number, replace(source, reference=id), "", datetime.min.replace(tzinfo=UTC))
    )


def decide_outcome(event: TrackingEvent, recorded: OccurrenceContent | None) -> IngestOutcome:
    """Return the outcome of an event, given what is recorded under its id: refused when that has other content.

    An inferred status is no other content: it depends on the document in which the scan comes.
    """
    if recorded is None:
        return IngestOutcome.ACCEPTED
    if recorded[0] == event.occurred_at and event.extensions and event.extensions.get(STATUS_INFERRED):
        return IngestOutcome.DUPLICATE
    return IngestOutcome.DUPLICATE if recorded == occurrence_content(event) else IngestOutcome.REFUSED
