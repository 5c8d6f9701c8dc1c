"""Carriers that show only the current status: one event per change."""

from datetime import datetime

from msgspec import UNSET
from msgspec.structs import replace

from haulier.contexts.otep.carriers.rules.translation import translate_status
from haulier.contexts.otep.timeline.contract import IncidentReason, Source, TrackingEvent
from haulier.contexts.otep.timeline.rules.merge import synthesise_event


def event_of_status_change(
    carrier: str,
    raw_status: str,
    *,
    previous: str | None,
    event_id: str,
    occurred_at: datetime,
    raw_text: str | None = None,
    recorded_at: datetime | None = None,
) -> TrackingEvent | None:
    """Return the event for a changed carrier status, or None.

    The carrier is the event's source, and its own status is stored as `raw_status`. Two statuses of the carrier with
    the same code are no change.
    """
    translated = translate_status(carrier, raw_status, raw_text)
    event = synthesise_event(
        previous,
        translated.status_code,
        event_id=event_id,
        occurred_at=occurred_at,
        source=Source(type="carrier", name=carrier),
        recorded_at=recorded_at,
        raw_status=raw_status,
    )
    if event is None or translated.incident_reason is None:
        return event
    return replace(event, incident_reason=IncidentReason(code=translated.incident_reason, note=raw_text or UNSET))
