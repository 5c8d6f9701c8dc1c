"""Many events, one timeline: order, duplicates, late arrivals, corrections, and the status that follows from them.

The result depends on which events there are, never on the order or the number of times in which they arrived.
"""

from collections.abc import Iterable
from datetime import datetime
from operator import attrgetter, eq

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from haulier.contexts.otep.timeline.contract import Correction, Source, Subject, Timeline, TrackingEvent, VoidedEvent
from haulier.contexts.otep.timeline.rules.corrections import apply_corrections
from haulier.contexts.otep.timeline.rules.event_order import (
    arrival_order_key,
    deduplicate_events,
    timeline_order_key,
)
from haulier.contexts.otep.timeline.rules.public_view import public_view
from haulier.contexts.otep.vocabulary.rules import (
    GENERIC_CODES,
    TERMINAL_CODES,
    UNIVERSAL_PROFILE,
    Phase,
    is_experimental_code,
    resolve_status,
)

__all__ = ["build_timeline", "merge_events", "public_view", "synthesise_event", "timeline_from_ordered"]

_OCCURRED_AT = attrgetter("occurred_at")
_DELIVERED = Phase.DELIVERED.value


def merge_events(events: Iterable[TrackingEvent], corrections: Iterable[Correction] = ()) -> tuple[TrackingEvent, ...]:
    """The valid events in time order, each once; those after the end are kept and marked `late`.

    The end is the terminal event that was recorded first: a terminal one that is recorded later never moves it, whatever its
    time (docs/decisions/0025-one-truth-per-parcel.md).

    Ties of time are broken by phase, then by the time of record, then by id. Two events are one when they have the same
    id, the same source and reference, or the same instant, code and source (place and words never count); of two copies
    the one recorded first stays. Events that a correction voids are left out.
    """
    standing, _ = apply_corrections(list(events), list(corrections))
    return _late_marked_events(_ordered_events(standing))


def _ordered_events(events: list[TrackingEvent]) -> list[TrackingEvent]:
    ordered = sorted(events, key=_OCCURRED_AT)
    # Why: nearly every timeline has neither ties nor copies; then sorting by time alone is enough, and cheaper.
    if _all_differ(ordered):
        return ordered
    return sorted(deduplicate_events(ordered), key=timeline_order_key)


def _all_differ(ordered: list[TrackingEvent]) -> bool:
    instants = [event.occurred_at for event in ordered]
    sources = [event.source for event in ordered if event.source.reference]
    return (
        not any(map(eq, instants, instants[1:]))
        and len({event.event_id for event in ordered}) == len(ordered)
        and len(set(sources)) == len(sources)
    )


def _late_marked_events(ordered: list[TrackingEvent]) -> tuple[TrackingEvent, ...]:
    """The events with `late` on those that come after the end in time, and on ends that became known after it."""
    ends = [event for event in ordered if event.status_code in TERMINAL_CODES]
    end = min(ends, key=arrival_order_key) if len(ends) > 1 else ends[0] if ends else None
    ended = False
    for index, event in enumerate(ordered):
        late = ended or (event is not end and event.status_code in TERMINAL_CODES)
        ended = ended or event is end
        if late is not bool(event.late):
            ordered[index] = replace(event, late=late or UNSET)
    return tuple(ordered)


def build_timeline(
    subject: Subject,
    events: Iterable[TrackingEvent],
    *,
    profile: str = UNIVERSAL_PROFILE,
    corrections: Iterable[Correction] = (),
) -> Timeline:
    """The timeline of a subject. Its status is that of the latest event that is not late: a terminal one is final.

    Voided events are listed beside the others with their corrections, so that readers see both.
    """
    standing, voided = apply_corrections(list(events), list(corrections))
    return timeline_from_ordered(subject, _late_marked_events(_ordered_events(standing)), profile, voided)


def timeline_from_ordered(
    subject: Subject,
    events: tuple[TrackingEvent, ...],
    profile: str,
    voided: tuple[VoidedEvent, ...] | UnsetType = UNSET,
) -> Timeline:
    """The timeline of events that are in time order, each once, the late ones marked."""
    if not events:
        return Timeline(profile=profile, subject=subject, voided=voided)
    current = next(event for event in reversed(events) if not event.late)
    return Timeline(
        profile=profile,
        subject=subject,
        events=events,
        current_status=current.status_code,
        current_phase=current.phase,
        delivered=current.phase == _DELIVERED,
        terminal=current.status_code in TERMINAL_CODES,
        voided=voided,
    )


def synthesise_event(
    previous: str | None,
    new: str,
    *,
    event_id: str,
    occurred_at: datetime,
    source: Source,
    profile: str = UNIVERSAL_PROFILE,
    previous_phase: str | None = None,
    recorded_at: datetime | None = None,
    raw_status: str | None = None,
) -> TrackingEvent | None:
    """The event for a change of status, of a source that shows only its current status; None where nothing changed.

    Aliases are their codes, so a synonym is no change. An experimental code is kept, in the phase in which the subject
    was (`previous_phase`; in transit when unknown); any other unknown status becomes that phase's generic code, and
    is kept as `raw_status`. `extensions.synthesised` says that the time of the event is when the change was seen.
    """
    row = resolve_status(new, profile)
    previous_row = resolve_status(previous, profile) if previous is not None else None
    phase = row.phase if row else previous_phase or (previous_row.phase if previous_row else Phase.TRANSIT.value)
    code = row.code if row else new if is_experimental_code(new) else GENERIC_CODES[phase]
    if code == (previous_row.code if previous_row else previous):
        return None
    return TrackingEvent(
        event_id=event_id,
        occurred_at=occurred_at,
        recorded_at=recorded_at or UNSET,
        status_code=code,
        phase=phase,
        source=source,
        raw_status=raw_status or (new if code != new else UNSET),
        extensions={"synthesised": True},
    )
