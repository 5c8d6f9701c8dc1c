"""Many events, one timeline: order, duplicates, late arrivals, corrections, and the status that follows from them.

The result depends on which events there are, never on the order or the number of times in which they arrived.
"""

from collections.abc import Iterable
from datetime import datetime
from operator import attrgetter, eq

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from haulier.contexts.tracking.otep.model import Correction, Event, Source, Subject, Timeline, Voided
from haulier.contexts.tracking.otep.rules.identity import once, place
from haulier.contexts.tracking.otep.rules.public import public_view
from haulier.contexts.tracking.otep.rules.taken_back import sift
from haulier.contexts.tracking.otep.vocabulary import (
    GENERIC,
    TERMINAL,
    UNIVERSAL,
    Phase,
    is_experimental,
    resolve,
)

__all__ = ["merge", "public_view", "synthesise", "timeline", "told"]

_OCCURRED = attrgetter("occurred_at")
_DELIVERED = Phase.DELIVERED.value


def merge(events: Iterable[Event], corrections: Iterable[Correction] = ()) -> tuple[Event, ...]:
    """The events that stand, in time order, each once; those after a terminal one are kept and marked `late`.

    Ties of time are broken by phase, then by the time of record, then by id. Two events are one when they have the same
    id, the same source and reference, or the same instant, code and source (place and words never count); of two copies
    the one recorded first stays. Events that a correction takes back are left out.
    """
    standing, _ = sift(list(events), list(corrections))
    return _marked(_ordered(standing))


def _ordered(events: list[Event]) -> list[Event]:
    ordered = sorted(events, key=_OCCURRED)
    # Nearly every timeline has neither ties nor copies, and then the order by time alone is the whole answer.
    if _all_differ(ordered):
        return ordered
    return sorted(once(ordered), key=place)


def _all_differ(ordered: list[Event]) -> bool:
    instants = [event.occurred_at for event in ordered]
    referred = [event.source for event in ordered if event.source.reference]
    return (
        not any(map(eq, instants, instants[1:]))
        and len({event.event_id for event in ordered}) == len(ordered)
        and len(set(referred)) == len(referred)
    )


def _marked(ordered: list[Event]) -> tuple[Event, ...]:
    ended = False
    for index, event in enumerate(ordered):
        if ended is not bool(event.late):
            ordered[index] = replace(event, late=ended or UNSET)
        if event.status_code in TERMINAL:
            ended = True
    return tuple(ordered)


def timeline(
    subject: Subject, events: Iterable[Event], *, profile: str = UNIVERSAL, corrections: Iterable[Correction] = ()
) -> Timeline:
    """The timeline of a subject. Its status is that of the latest event that is not late: a terminal one is final.

    Events that were taken back stand beside the others with their corrections, so that readers see both.
    """
    standing, voided = sift(list(events), list(corrections))
    return told(subject, _marked(_ordered(standing)), profile, voided)


def told(
    subject: Subject, events: tuple[Event, ...], profile: str, voided: tuple[Voided, ...] | UnsetType = UNSET
) -> Timeline:
    """The timeline that events tell which stand in time order, each once, the late ones marked."""
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
        terminal=current.status_code in TERMINAL,
        voided=voided,
    )


def synthesise(
    previous: str | None,
    new: str,
    *,
    event_id: str,
    occurred_at: datetime,
    source: Source,
    profile: str = UNIVERSAL,
    previous_phase: str | None = None,
    recorded_at: datetime | None = None,
    raw_status: str | None = None,
) -> Event | None:
    """The event that a change of status stands for, at a source that shows only its current status; None for no change.

    Aliases are their codes, so a synonym is no change. An experimental code is kept, in the phase in which the subject
    was (`previous_phase`; in transit when unknown); any other unknown word becomes that phase's generic code, and the word
    is kept as `raw_status`. The event says in `extensions.synthesised` that its time is when the change was seen.
    """
    row = resolve(new, profile)
    known = resolve(previous, profile) if previous is not None else None
    phase = row.phase if row else previous_phase or (known.phase if known else Phase.TRANSIT.value)
    code = row.code if row else new if is_experimental(new) else GENERIC[phase]
    if code == (known.code if known else previous):
        return None
    return Event(
        event_id=event_id,
        occurred_at=occurred_at,
        recorded_at=recorded_at or UNSET,
        status_code=code,
        phase=phase,
        source=source,
        raw_status=raw_status or (new if code != new else UNSET),
        extensions={"synthesised": True},
    )
