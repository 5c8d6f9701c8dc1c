"""Carriers that show only the current status: one event for every change of it, in the protocol's words."""

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
    """The event that a carrier's status stands for, when it differs from the status code before it; else None.

    The carrier is the event's source, and its own word is kept as `raw_status`. Two words of the carrier that mean the
    same code are no change.
    """
    told = translate_status(carrier, raw_status, raw_text)
    event = synthesise_event(
        previous,
        told.status_code,
        event_id=event_id,
        occurred_at=occurred_at,
        source=Source(type="carrier", name=carrier),
        recorded_at=recorded_at,
        raw_status=raw_status,
    )
    if event is None or told.incident_reason is None:
        return event
    return replace(event, incident_reason=IncidentReason(code=told.incident_reason, note=raw_text or UNSET))
