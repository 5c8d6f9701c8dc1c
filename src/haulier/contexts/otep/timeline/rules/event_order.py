"""When two events are one, and which of two events comes first."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from msgspec import UnsetType

from haulier.contexts.otep.timeline.contract import TrackingEvent
from haulier.contexts.otep.vocabulary.rules import PHASE_RANK

_NEVER = datetime.min.replace(tzinfo=UTC)

EventContent = tuple[datetime, str, str, str | UnsetType]


def status_order_key(occurred_at: datetime, phase: str) -> tuple[datetime, int]:
    """Which of two statuses is the later one: by time, then phase. Sources often tell the time to the minute."""
    return occurred_at, PHASE_RANK.get(phase, 0)


def timeline_order_key(event: TrackingEvent) -> tuple[datetime, int, datetime, str]:
    """The place of an event in its timeline: by time, then phase, then time of record, then id."""
    return *status_order_key(event.occurred_at, event.phase), event.recorded_at or _NEVER, event.event_id


def recorded_order_key(event: TrackingEvent) -> tuple[datetime, int, datetime, str]:
    """The place of an event in the order in which events became known."""
    return event.recorded_at or _NEVER, PHASE_RANK.get(event.phase, 0), event.occurred_at, event.event_id


def event_content(event: TrackingEvent) -> EventContent:
    """The content that identifies an event: instant, code and source. Sources reword places and descriptions."""
    return event.occurred_at, event.status_code, event.source.type, event.source.name


class _ReprOrder:
    """The last key of an order: events by their whole text, which is made only when nothing else decides."""

    __slots__ = ("event",)

    def __init__(self, event: TrackingEvent) -> None:
        self.event = event

    def __lt__(self, other: "_ReprOrder") -> bool:
        return repr(self.event) < repr(other.event)


def arrival_order_key(event: TrackingEvent) -> tuple[Any, ...]:
    """The order in which events became known. It is total: of two copies, one is always the first."""
    return event.recorded_at or _NEVER, *timeline_order_key(event), _ReprOrder(event)


def deduplicate_events(events: Iterable[TrackingEvent]) -> list[TrackingEvent]:
    """Every event once. Of copies the one that became known first stays, because events are never edited."""
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
