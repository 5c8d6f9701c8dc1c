"""Corrections: events that were told and then taken back by an error declaration.

An event is never edited. The declaration names it, and the events that say it right instead, if there are any. A second
copy of the same content goes with it, unless the declaration names that copy as the right one. What is taken back stays so.
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
    """The events that stand, and those taken back with the first declaration of each, in time order; UNSET for none."""
    if not corrections:
        return events, UNSET
    declared = {each.event_id: each for each in sorted(corrections, key=_declaration_order_key, reverse=True)}
    right = {id for each in corrections for id in each.corrective_event_ids or ()} - declared.keys()
    named = sorted((event for event in events if event.event_id in declared), key=arrival_order_key, reverse=True)
    copied = {event_content(event): declared[event.event_id] for event in named}

    def why(event: TrackingEvent) -> Correction | None:
        if event.event_id in right:
            return None
        return declared.get(event.event_id) or copied.get(event_content(event))

    standing = [event for event in events if why(event) is None]
    gone = sorted(deduplicate_events(event for event in events if why(event) is not None), key=timeline_order_key)
    voided = tuple(VoidedEvent(event=event, correction=found) for event in gone if (found := why(event)))
    return standing, voided or UNSET


def _declaration_order_key(correction: Correction) -> tuple[object, str]:
    return correction.declared_at, repr(correction)
