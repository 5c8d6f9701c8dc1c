"""Many events, one timeline: order, duplicates, late arrivals, and the status that follows from them.

The result depends on which events there are, never on the order or the number of times in which they arrived.
"""

from collections.abc import Iterable
from datetime import UTC, datetime

from msgspec import UNSET
from msgspec.structs import replace

from haulier.contexts.tracking.otep.model import Event, Location, Subject, Timeline
from haulier.contexts.tracking.otep.vocabulary import RANK, TERMINAL, UNIVERSAL

_NEVER = datetime.min.replace(tzinfo=UTC)


def _place(event: Event) -> tuple[datetime, int, datetime, str]:
    return event.occurred_at, RANK.get(event.phase, 0), event.recorded_at or _NEVER, event.event_id


def merge(events: Iterable[Event]) -> tuple[Event, ...]:
    """Events in time order, each once (by `event_id`); those after a terminal one are kept and marked `late`.

    Ties are broken by phase, then by the time of record, then by id. Of two copies the one recorded first stays.
    """
    ordered = sorted(events, key=_place)
    merged: list[Event] = []
    seen: set[str] = set()
    ended = False
    for event in ordered:
        if event.event_id in seen:
            continue
        seen.add(event.event_id)
        if ended is not bool(event.late):
            event = replace(event, late=ended or UNSET)
        merged.append(event)
        ended = ended or event.status_code in TERMINAL
    return tuple(merged)


def timeline(subject: Subject, events: Iterable[Event], *, profile: str = UNIVERSAL) -> Timeline:
    """The timeline of a subject. Its status is that of the latest event that is not late."""
    merged = merge(events)
    current = next((event for event in reversed(merged) if not event.late), None)
    if current is None:
        return Timeline(profile=profile, subject=subject)
    return Timeline(
        profile=profile,
        subject=subject,
        events=merged,
        current_status=current.status_code,
        current_phase=current.phase,
        delivered=current.phase == "delivered",
        terminal=current.status_code in TERMINAL,
    )


def public_view(whole: Timeline) -> Timeline:
    """What anyone may see: city, region and country stay; people, streets, coordinates, proofs and free words go."""
    subject = Subject(tracking_number=whole.subject.tracking_number)
    return replace(whole, subject=subject, events=tuple(map(_public_event, whole.events)))


def _public_event(event: Event) -> Event:
    reason = event.incident_reason
    place = event.location
    return Event(
        event_id=event.event_id,
        occurred_at=event.occurred_at,
        recorded_at=event.recorded_at,
        otep_version=event.otep_version,
        status_code=event.status_code,
        phase=event.phase,
        description=event.description,
        source=replace(event.source, reference=UNSET) if event.source.reference else event.source,
        location=Location(city=place.city, region=place.region, country=place.country) if place else UNSET,
        incident_reason=replace(reason, note=UNSET) if reason and reason.note else reason,
        late=event.late,
    )
