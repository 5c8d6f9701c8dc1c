"""Timelines for projection tests, with every path to a status code."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import UNSET

from haulier.contexts.otep.projections import FORMATS
from haulier.contexts.otep.timeline.contract import IncidentReason, Location, Source, Subject, Timeline, TrackingEvent
from haulier.contexts.otep.vocabulary.rules import INCIDENT_REASONS, PHASE_RANK, SOURCE_TYPES, STATUS_CODES

BASE_URL = "https://haulier.example"
NOON = datetime(2026, 6, 10, 12, 0, tzinfo=UTC)
TORONTO = Location(
    name="Depot East",
    address="1 Front St",
    city="Toronto",
    region="ON",
    country="CA",
    postal_code="M5V 2T6",
    lat=43.0,
    lng=-79.383,
    unlocode="CATOR",
)
UNKNOWN_CODES = (("x-drone_landed", "transit"), ("never_heard_of", "inbound"), ("x-teleported", "no_such_phase"))
"""Codes and phases that are in no codebook."""

CODES = [(row.code, row.phase, row.profile) for row in STATUS_CODES] + [
    (code, phase, "parcel") for code, phase in UNKNOWN_CODES
]


def make_event(code: str = "in_transit", phase: str = "transit", at: datetime = NOON, **fields: Any) -> TrackingEvent:
    """Return an event with all fields by default."""
    known: dict[str, Any] = {
        "event_id": f"{code}@{at.isoformat()}",
        "recorded_at": at + timedelta(seconds=5),
        "source": Source(type="carrier", name="Acme Parcel", reference="r-1"),
        "location": TORONTO,
    }
    return TrackingEvent(status_code=code, phase=phase, occurred_at=at, **{**known, **fields})


def make_timeline(*events: TrackingEvent, profile: str = "parcel", **subject: Any) -> Timeline:
    """A timeline of these events about a parcel with all its numbers."""
    known = Subject(**{"tracking_number": "HL 7/X", "order_id": 12345, "package_id": 67890, **subject})
    return Timeline(profile=profile, subject=known, events=events)


def make_timeline_with_incident(code: str, phase: str, profile: str = "parcel") -> Timeline:
    """A label, a pickup, and then something with a reason."""
    reason = IncidentReason(code="recipient_absent", note="Nobody answered")
    return make_timeline(
        make_event("label_created", "pre_shipment", NOON),
        make_event("picked_up", "pickup", NOON + timedelta(hours=1)),
        make_event(code, phase, NOON + timedelta(hours=2), incident_reason=reason),
        profile=profile,
    )


def timeline_of_codes(*codes: str) -> Timeline:
    """A timeline of these universal codes, an hour apart."""
    phases = {row.code: row.phase for row in STATUS_CODES}
    return make_timeline(
        *(make_event(code, phases[code], NOON + timedelta(hours=hour)) for hour, code in enumerate(codes))
    )


def projected_json(name: str, timeline: Timeline) -> Any:
    """The document as a reader gets it: written by us, read by another JSON reader."""
    return json.loads(msgspec.json.encode(FORMATS[name].project(timeline, BASE_URL)))


_texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)
_zones = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
_times = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC) | _zones)  # noqa: DTZ001


def _maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.just(UNSET) | values


_locations = st.builds(
    Location,
    name=_maybe(_texts),
    address=_maybe(_texts),
    city=_maybe(_texts),
    region=_maybe(_texts),
    country=_maybe(st.sampled_from(["CA", "DE", "XX"])),
    postal_code=_maybe(_texts),
    lat=_maybe(st.floats(-90, 90) | st.just(91.0)),
    lng=_maybe(st.floats(-180, 180)),
    gln=_maybe(st.sampled_from(["4012345000009", "no gln"])),
    unlocode=_maybe(st.just("CATOR")),
)
_reasons = st.builds(IncidentReason, code=st.sampled_from(INCIDENT_REASONS) | _texts, note=_maybe(_texts))
_events = st.builds(
    TrackingEvent,
    event_id=_texts,
    occurred_at=_times,
    status_code=st.sampled_from([code for code, _, _ in CODES]) | _texts,
    phase=st.sampled_from([*PHASE_RANK, "no_such_phase"]),
    source=st.builds(Source, type=st.sampled_from(SOURCE_TYPES), name=_maybe(_texts)),
    recorded_at=_maybe(_times),
    description=_maybe(_texts),
    location=_maybe(_locations),
    incident_reason=_maybe(_reasons),
    late=_maybe(st.just(True)),
    raw_status=_maybe(_texts),
    extensions=_maybe(st.dictionaries(st.just("promised_delivery_date"), _texts | st.integers(), max_size=1)),
)
_subjects = st.builds(
    Subject,
    tracking_number=_maybe(_texts),
    order_id=st.integers(1, 2**53),
    package_id=_maybe(st.integers(1, 2**53)),
    gs1_sscc=_maybe(st.sampled_from(["340123450000000018", "00340123450000000018", "12"])),
    piece_id=_maybe(st.just("https://airline.example/logistics-objects/1") | _texts),
)


def timelines() -> st.SearchStrategy[Timeline]:
    """Timelines in any order, with anything missing."""
    return st.builds(
        Timeline,
        profile=st.sampled_from(["parcel", "locker", "freight"]),
        subject=_subjects,
        events=st.lists(_events, max_size=6, unique_by=lambda event: event.event_id).map(tuple),
        current_status=_maybe(st.just("in_transit")),
        current_phase=_maybe(st.just("transit")),
    )
