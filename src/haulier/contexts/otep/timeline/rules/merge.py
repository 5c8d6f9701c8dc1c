"""Rules of timelines: merge.

An event is never edited. The declaration names it, and the events that replace it, if there are any. A second copy of the
same content is voided too, unless the declaration names that copy as the right one. A voided event stays voided.

City, region and country stay, coordinates as coarse as a city, and the name of a facility in which a carrier scanned the
parcel. People, streets, exact places (GLNs name a delivery location), proofs, free text and voided events are left out. The
source's name stays for companies; the name of a driver or contractor may be a person's. `description` stays because it is the
codebook's wording in the reader's language, never a source's.

The result depends on which events there are, never on the order or the number of times in which they arrived.

This works for nearly every timeline: where no two events share an instant, none comes after a terminal one and none is
voided, times and codes alone decide the order and the status (docs/decisions/timelines.md).
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from math import floor
from operator import attrgetter, eq
from typing import Any, Protocol, cast

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.structs import replace

from haulier.contexts.otep.timeline.contract import (
    Correction,
    DeliveryOutcome,
    IncidentReason,
    Location,
    OutcomePieces,
    Source,
    Subject,
    Timeline,
    TrackingEvent,
    VoidedEvent,
)
from haulier.contexts.otep.vocabulary.rules import (
    GENERIC_CODES,
    PHASE_RANK,
    PHASES_BY_CODE,
    TERMINAL_CODES,
    UNIVERSAL_PROFILE,
    Phase,
    is_experimental_code,
    resolve_status,
)

_NEVER = datetime.min.replace(tzinfo=UTC)

EventContent = tuple[datetime, str, str, str | UnsetType]


def status_order_key(occurred_at: datetime, phase: str) -> tuple[datetime, int]:
    """Return the sort key of a status: time, then phase.

    Sources often report time to the minute.
    """
    return occurred_at, PHASE_RANK.get(phase, 0)


def timeline_order_key(event: TrackingEvent) -> tuple[datetime, int, datetime, str]:
    """Return the sort key of an event in its timeline.

    By time, then phase, then time of record, then id.
    """
    return *status_order_key(event.occurred_at, event.phase), event.recorded_at or _NEVER, event.event_id


def recorded_order_key(event: TrackingEvent) -> tuple[datetime, int, datetime, str]:
    """Return the place of an event in the order in which events became known."""
    return event.recorded_at or _NEVER, PHASE_RANK.get(event.phase, 0), event.occurred_at, event.event_id


def event_content(event: TrackingEvent) -> EventContent:
    """Return the identity of an event: instant, code and source.

    Sources reword places and descriptions.
    """
    return event.occurred_at, event.status_code, event.source.type, event.source.name


class _ReprOrder:
    """Last sort key: the whole text of an event, computed only for ties."""

    __slots__ = ("event",)

    def __init__(self, event: TrackingEvent) -> None:
        self.event = event

    def __lt__(self, other: "_ReprOrder") -> bool:
        return repr(self.event) < repr(other.event)


def arrival_order_key(event: TrackingEvent) -> tuple[Any, ...]:
    """Return the key of the order of arrival. It is total, also for copies."""
    return event.recorded_at or _NEVER, *timeline_order_key(event), _ReprOrder(event)


def deduplicate_events(events: Iterable[TrackingEvent]) -> list[TrackingEvent]:
    """Return every event once. Of copies the first recorded one stays."""
    known_names: set[Any] = set()
    unique: list[TrackingEvent] = []
    for event in sorted(events, key=arrival_order_key):
        names: set[Any] = {("id", event.event_id), event_content(event)}
        if event.source.reference:
            names.add(event.source)
        if known_names.isdisjoint(names):
            unique.append(event)
        known_names |= names
    return unique


def apply_corrections(
    events: list[TrackingEvent], corrections: list[Correction]
) -> tuple[list[TrackingEvent], tuple[VoidedEvent, ...] | UnsetType]:
    """Return valid events, and voided ones with their first declaration.

    The second value is UNSET without voided events.
    """
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


class HandedTo(StrEnum):
    """Recipients of a delivery, and places where it can be left."""

    RECIPIENT = "recipient"
    HOUSEHOLD = "household"
    NEIGHBOUR = "neighbour"
    SAFE_PLACE = "safe_place"
    RECEPTION = "reception"
    MAILBOX = "mailbox"
    LOCKER = "locker"
    OTHER = "other"


HANDED_TO = tuple(each.value for each in HandedTo)
UNDELIVERED = ("missing", "damaged", "refused")
"""The outcomes of pieces that were not handed over."""


def public_outcome(outcome: DeliveryOutcome) -> DeliveryOutcome | UnsetType:
    """Return an outcome without names, places and numbers.

    UNSET if nothing is left.
    """
    pieces = outcome.pieces
    if outcome.handed_to is UNSET and not pieces:
        return UNSET
    counts = OutcomePieces(total=pieces.total, delivered=pieces.delivered) if pieces else UNSET
    return DeliveryOutcome(handed_to=outcome.handed_to, pieces=counts)


def names_third_person(handed_to: str | UnsetType | None) -> bool:
    """Return True if another person or place received a delivery."""
    return handed_to not in {UNSET, None, HandedTo.RECIPIENT.value}


def without_third_person(event: TrackingEvent) -> TrackingEvent:
    """Return an event that names no person or place other than the recipient."""
    if not event.outcome:
        return event
    pod = event.pod
    if pod and names_third_person(event.outcome.handed_to):
        pod = replace(pod, recipient=UNSET)
    return replace(event, outcome=public_outcome(event.outcome), pod=pod)


def is_plain(outcome: DeliveryOutcome) -> bool:
    """Return True if the status describes the delivery completely.

    All packages were handed to the recipient.
    """
    return not outcome.pieces and outcome.handed_to in {UNSET, HandedTo.RECIPIENT.value}


def describe_outcome(texts: Mapping[str, str], description: str, outcome: DeliveryOutcome) -> str:
    """Return the description of a delivery with its outcome, in one language."""
    known = None if is_plain(outcome) or not outcome.handed_to else texts.get(f"otep.outcome.{outcome.handed_to}")
    words = known or description
    if outcome.left_at:
        words = texts["otep.outcome.at"].format(outcome=words, place=outcome.left_at)
    if outcome.name:
        words = texts["otep.outcome.by_name"].format(outcome=words, name=outcome.name)
    if outcome.pieces:
        counts = {"delivered": outcome.pieces.delivered, "of": outcome.pieces.total}
        words = texts["otep.outcome.in_part"].format(outcome=words, **counts)
    return words


def build_outcome(
    handed_to: HandedTo | None, recipient: str | None, left_at: str | None = None
) -> DeliveryOutcome | None:
    """Return the outcome of a delivery, or None if none was reported.

    A plain recipient is named in the proof alone."""
    if handed_to is None:
        return None
    other = handed_to is not HandedTo.RECIPIENT
    return DeliveryOutcome(
        handed_to=handed_to.value, name=(recipient if other else None) or UNSET, left_at=left_at or UNSET
    )


class DescribeStatus(Protocol):
    """Describes a status, its phase and the outcome of a delivery to the reader."""

    def __call__(self, status_code: str, phase: str, outcome: DeliveryOutcome | UnsetType = UNSET, /) -> str: ...


STEPS_PER_DEGREE = 10
"""Steps of a public coordinate: a tenth of a degree is about eleven kilometres from north to south."""
_WHOLLY_PUBLIC = {"event_id", "occurred_at", "recorded_at", "otep_version", "status_code", "phase", "late"}
_PARTLY_PUBLIC = tuple(name for name in TrackingEvent.__struct_fields__ if name not in {"source", *_WHOLLY_PUBLIC})
"""Fields besides the source that the public part of an event can shorten."""
_COMPANY_SOURCE_TYPES = frozenset({"carrier", "partner"})
_FACILITY_PHASES = frozenset({Phase.INBOUND.value, Phase.TRANSIT.value})
_FACILITY_CODES = frozenset({"ready_for_collection"})
"""Where a carrier's place is its own facility. Elsewhere it may be the sender's or the recipient's door."""


def public_view(whole: Timeline, describe: DescribeStatus | None = None) -> Timeline:
    """Return the timeline without personal data.

    `describe` gives the text of a status code and phase in the reader's language.
    """
    subject = Subject(tracking_number=whole.subject.tracking_number)
    events = tuple(
        [
            _public_event(event, describe_event(describe, event, public=True) if describe else event.description)
            for event in whole.events
        ]
    )
    return replace(whole, subject=subject, events=events, voided=UNSET)


def describe_event(describe: DescribeStatus, event: TrackingEvent, *, public: bool = False) -> str:
    """Return the description of an event; a public one names no person."""
    outcome = event.outcome
    return describe(event.status_code, event.phase, public_outcome(outcome) if outcome and public else outcome)


def split_public_fields(event: TrackingEvent) -> tuple[TrackingEvent, dict[str, Any]]:
    """Return the public part of an event, and the fields in which the event has more.

    The description is left out; the source is always among the fields. The fields laid over the public part give the
    event again.
    """
    public_event = _public_event(event)
    more: dict[str, Any] = {"source": event.source}
    for name in _PARTLY_PUBLIC:
        whole = getattr(event, name)
        if whole is not UNSET and whole != getattr(public_event, name):
            more[name] = whole
    return public_event, more


def _public_event(event: TrackingEvent, description: str | UnsetType = UNSET) -> TrackingEvent:
    """Return an event without anything personal, with a description."""
    source, location, reason = event.source, event.location, event.incident_reason
    return TrackingEvent(
        event_id=event.event_id,
        occurred_at=event.occurred_at,
        recorded_at=event.recorded_at,
        otep_version=event.otep_version,
        status_code=event.status_code,
        phase=event.phase,
        description=description,
        source=_public_source(source),
        location=_public_location(location, is_facility=_is_facility(event)) if location else UNSET,
        incident_reason=IncidentReason(code=reason.code) if reason else UNSET,
        outcome=public_outcome(event.outcome) if event.outcome else UNSET,
        late=event.late,
    )


def _public_source(source: Source) -> Source:
    name = source.name if source.type in _COMPANY_SOURCE_TYPES else UNSET
    return source if source.name is name and not source.reference else Source(type=source.type, name=name)


def _is_facility(event: TrackingEvent) -> bool:
    in_custody = event.phase in _FACILITY_PHASES or event.status_code in _FACILITY_CODES
    return in_custody and event.source.type in _COMPANY_SOURCE_TYPES


def _public_location(location: Location, *, is_facility: bool) -> Location:
    return Location(
        name=location.name if is_facility else UNSET,
        city=location.city,
        region=location.region,
        country=location.country,
        lat=UNSET if location.lat is UNSET else _coarse_degrees(location.lat),
        lng=UNSET if location.lng is UNSET else _coarse_degrees(location.lng),
    )


def _coarse_degrees(degrees: float) -> float:
    # Not `round` to a decimal: this takes a third of its time.
    return floor(degrees * STEPS_PER_DEGREE + 0.5) / STEPS_PER_DEGREE


__all__ = ["build_timeline", "merge_events", "public_view", "synthesise_event", "timeline_from_ordered"]

_OCCURRED_AT = attrgetter("occurred_at")
_DELIVERED = Phase.DELIVERED.value


def merge_events(events: Iterable[TrackingEvent], corrections: Iterable[Correction] = ()) -> tuple[TrackingEvent, ...]:
    """Return valid events in time order, once each; events after the end are `late`.

    The end is the terminal event that was recorded first: one that is recorded later never moves it, whatever its time
    (docs/decisions/timelines.md).

    Ties of time are broken by phase, then by the time of record, then by id. Two events are one when they have the same
    id, the same source and reference, or the same instant, code and source (place and words never count); of two copies
    the one recorded first stays. Events that a correction voids are left out.
    """
    standing, _ = apply_corrections(list(events), list(corrections))
    return _late_marked_events(_ordered_events(standing))


def _ordered_events(events: list[TrackingEvent]) -> list[TrackingEvent]:
    ordered = sorted(events, key=_OCCURRED_AT)
    # Nearly every timeline has neither ties nor copies; then sorting by time alone is enough, and cheaper.
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
    """Return events with `late` set after the end, and on ends recorded later."""
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
    """Return the timeline of a subject.

    Its status is that of the latest effective event; a terminal event is final. Voided events are listed beside the
    others with their corrections, so that readers see both.
    """
    standing, voided = apply_corrections(list(events), list(corrections))
    return timeline_from_ordered(subject, _late_marked_events(_ordered_events(standing)), profile, voided)


def timeline_from_ordered(
    subject: Subject,
    events: tuple[TrackingEvent, ...],
    profile: str,
    voided: tuple[VoidedEvent, ...] | UnsetType = UNSET,
) -> Timeline:
    """Return the timeline of ordered, distinct events with late ones marked."""
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
    """Return the event for a status change of a source without history, or None.

    Aliases count as their codes, so a synonym is no change. An experimental code is kept, in the phase in which the
    subject was (`previous_phase`; in transit when unknown); any other unknown status becomes that phase's generic code,
    and is kept as `raw_status`. `extensions.synthesised` marks that the time of the event is when the change was seen.
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


_encode = msgspec.json.Encoder().encode


class LastEventStatus(Struct, frozen=True):
    """The fields of the last event that the status of a timeline depends on."""

    status_code: str
    phase: str
    late: bool = False


def is_precomputable(event: TrackingEvent) -> bool:
    """Return True if an event's place and text depend only on its time and code."""
    described = not event.outcome or is_plain(event.outcome)
    return PHASES_BY_CODE.get(event.status_code) == event.phase and not event.late and described


def assemble_public_timeline(
    number: str,
    profile: str,
    instants: Sequence[str],
    codes: Sequence[str],
    public_texts: Sequence[str],
    describe: DescribeStatus,
) -> Timeline | None:
    """Return the public timeline with encoded events, or None.

    None if it needs whole events. `instants` are texts that sort as time does; `public_texts` comes from
    `split_public_fields` of precomputable events. No two events are copies of one: each was recorded under an id from
    its source's reference or its content.
    """
    if not public_texts or not all(public_texts) or len(set(instants)) < len(instants):
        return None
    ordered = sorted(zip(instants, codes, public_texts, strict=True))
    *before, last = [code for _, code, _ in ordered]
    if not TERMINAL_CODES.isdisjoint(before):
        return None
    suffixes = _description_suffixes(describe)
    try:
        events = ",".join([document[:-1] + suffixes[code] for _, code, document in ordered])
    except KeyError:  # a code that is no longer registered
        return None
    timeline = timeline_from_ordered(
        Subject(tracking_number=number), cast(Any, (LastEventStatus(last, PHASES_BY_CODE[last]),)), profile
    )
    return replace(timeline, events=Raw(f"[{events}]"))


@lru_cache(maxsize=64)
def _description_suffixes(describe: DescribeStatus) -> dict[str, str]:
    """Return the end of the JSON of an event by code: its localised description."""
    descriptions = {
        code: _encode({"description": describe(code, phase)}).decode() for code, phase in PHASES_BY_CODE.items()
    }
    return {code: "," + document[1:] for code, document in descriptions.items()}
