"""What anyone who knows a tracking number may see of its timeline.

City, region and country stay, coordinates as coarse as a city, and the name of a facility in which a carrier scanned the
parcel. People, streets, exact places (GLNs name a delivery location), proofs, free text and voided events are left out. The
source's name stays for companies; the name of a driver or contractor may be a person's. `description` stays because it is the
codebook's wording in the reader's language, never a source's.
"""

from math import floor
from typing import Any, Protocol

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from haulier.contexts.otep.timeline.contract import (
    DeliveryOutcome,
    IncidentReason,
    Location,
    Source,
    Subject,
    Timeline,
    TrackingEvent,
)
from haulier.contexts.otep.timeline.rules.outcomes import public_outcome
from haulier.contexts.otep.vocabulary.rules import Phase


class DescribeStatus(Protocol):
    """Describes a status and its phase, and the outcome of a delivery, in the reader's language."""

    def __call__(self, status_code: str, phase: str, outcome: DeliveryOutcome | UnsetType = UNSET, /) -> str: ...


STEPS_PER_DEGREE = 10
"""Steps of a public coordinate: a tenth of a degree is about eleven kilometres from north to south."""
_WHOLLY_PUBLIC = {"event_id", "occurred_at", "recorded_at", "otep_version", "status_code", "phase", "late"}
_PARTLY_PUBLIC = tuple(name for name in TrackingEvent.__struct_fields__ if name not in {"source", *_WHOLLY_PUBLIC})
"""The fields besides the source of which the public part of an event may have less than the event."""
_COMPANY_SOURCE_TYPES = frozenset({"carrier", "partner"})
_FACILITY_PHASES = frozenset({Phase.INBOUND.value, Phase.TRANSIT.value})
_FACILITY_CODES = frozenset({"ready_for_collection"})
"""Where a carrier's place is its own facility. Elsewhere it may be the sender's or the recipient's door."""


def public_view(whole: Timeline, describe: DescribeStatus | None = None) -> Timeline:
    """The timeline without anything personal. `describe` gives the text of a status code and phase in the reader's language."""
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
    """The public part of an event without its description, and the fields in which the event has more: always its source.

    The fields laid over the public part give the event again.
    """
    public_event = _public_event(event)
    more: dict[str, Any] = {"source": event.source}
    for name in _PARTLY_PUBLIC:
        whole = getattr(event, name)
        if whole is not UNSET and whole != getattr(public_event, name):
            more[name] = whole
    return public_event, more


def _public_event(event: TrackingEvent, description: str | UnsetType = UNSET) -> TrackingEvent:
    """An event without anything personal, with a description."""
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
    # Why not `round` to a decimal: this takes a third of its time.
    return floor(degrees * STEPS_PER_DEGREE + 0.5) / STEPS_PER_DEGREE
