"""Corrections: events that were told and then taken back by an error declaration.

An event is never edited. The declaration names it, and the events that say it right instead, if there are any. A second
copy of the same content goes with it, unless the declaration names that copy as the right one. What is taken back stays so.
"""

from msgspec import UNSET, UnsetType

from haulier.contexts.tracking.otep.model import Correction, Event, Voided
from haulier.contexts.tracking.otep.rules.identity import content, once, place, told


def sift(events: list[Event], corrections: list[Correction]) -> tuple[list[Event], tuple[Voided, ...] | UnsetType]:
    """The events that stand, and those taken back with the first declaration of each, in time order; UNSET for none."""
    if not corrections:
        return events, UNSET
    declared = {each.event_id: each for each in sorted(corrections, key=_declared, reverse=True)}
    right = {id for each in corrections for id in each.corrective_event_ids or ()} - declared.keys()
    named = sorted((event for event in events if event.event_id in declared), key=told, reverse=True)
    copied = {content(event): declared[event.event_id] for event in named}

    def why(event: Event) -> Correction | None:
        if event.event_id in right:
            return None
        return declared.get(event.event_id) or copied.get(content(event))

    standing = [event for event in events if why(event) is None]
    gone = sorted(once(event for event in events if why(event) is not None), key=place)
    voided = tuple(Voided(event=event, correction=found) for event in gone if (found := why(event)))
    return standing, voided or UNSET


def _declared(correction: Correction) -> tuple[object, str]:
    return correction.declared_at, repr(correction)
