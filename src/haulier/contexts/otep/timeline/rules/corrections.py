"""Corrections: events that an error declaration voids.

An event is never edited. The declaration names it, and the events that replace it, if there are any. A second copy of the
same content is voided too, unless the declaration names that copy as the right one. A voided event stays voided.
"""

from msgspec import UNSET, UnsetType

from haulier.contexts.otep.timeline.contract import Correction, TrackingEvent, VoidedEvent
from haulier.contexts.otep.timeline.rules.event_order import (
    arrival_order_key,
    deduplicate_events,
    event_content,
    timeline_order_key,
)


def apply_corrections(
    events: list[TrackingEvent], corrections: list[Correction]
) -> tuple[list[TrackingEvent], tuple[VoidedEvent, ...] | UnsetType]:
    """The valid events, and the voided ones with the first declaration of each in time order; UNSET for none."""
    if not corrections:
        return events, UNSET
    declared = {
        correction.event_id: correction for correction in sorted(corrections, key=_declaration_order_key, reverse=True)
    }
    corrective = {id for correction in corrections for id in correction.corrective_event_ids or ()} - declared.keys()
    named = sorted((event for event in events if event.event_id in declared), key=arrival_order_key, reverse=True)
    copied = {event_content(event): declared[event.event_id] for event in named}

    def correction_of(event: TrackingEvent) -> Correction | None:
        if event.event_id in corrective:
            return None
        return declared.get(event.event_id) or copied.get(event_content(event))

    valid = [event for event in events if correction_of(event) is None]
    void_events = sorted(
        deduplicate_events(event for event in events if correction_of(event) is not None), key=timeline_order_key
    )
    voided = tuple(
        VoidedEvent(event=event, correction=correction) for event in void_events if (correction := correction_of(event))
    )
    return valid, voided or UNSET


def _declaration_order_key(correction: Correction) -> tuple[object, str]:
    return correction.declared_at, repr(correction)
