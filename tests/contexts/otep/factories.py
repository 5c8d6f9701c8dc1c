"""Makers of events for the tests of the protocol's rules."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st
from msgspec import UNSET

from haulier.contexts.otep.timeline.contract import (
    Correction,
    DeliveryOutcome,
    EventActor,
    IncidentReason,
    Location,
    OutcomePieces,
    Source,
    Subject,
    TrackingEvent,
)
from haulier.contexts.otep.vocabulary.rules import STATUS_CODES, UNIVERSAL_PROFILE, phase_of_code, resolve_status

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)
PARCEL = Subject(tracking_number="HL7XK2M9QA")
UNIVERSAL_CODES = [row.code for row in STATUS_CODES if row.profile == UNIVERSAL_PROFILE]


def minutes_after_noon(minutes: float) -> datetime:
    """Minutes after noon."""
    return NOON + timedelta(minutes=minutes)


def make_event(code: str = "in_transit", minute: float = 0, **fields: Any) -> TrackingEvent:
    """An event of its own: another code or minute is another id."""
    known: dict[str, Any] = {
        "event_id": f"{code}@{minute}",
        "phase": phase_of_code(code),
        "source": Source(type="carrier", name="Swift Post"),
        "recorded_at": minutes_after_noon(minute + 1),
    }
    return TrackingEvent(status_code=code, occurred_at=minutes_after_noon(minute), **{**known, **fields})


def make_correction(event: TrackingEvent, **fields: Any) -> Correction:
    """A declaration that an event did not occur."""
    return Correction(
        **{"event_id": event.event_id, "declared_at": minutes_after_noon(600), "reason": "did_not_occur", **fields}
    )


def _maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.just(UNSET) | values


_sources = st.builds(
    Source,
    type=st.sampled_from(["carrier", "self_delivery"]),
    name=_maybe(st.sampled_from(["Swift Post", ""])),
    reference=_maybe(st.sampled_from(["r-1", "r-2", ""])),
)

_outcomes = st.builds(
    DeliveryOutcome,
    handed_to=_maybe(st.sampled_from(["recipient", "neighbour"])),
    name=_maybe(st.just("Ms Lee")),
    left_at=_maybe(st.just("Behind the shed")),
    pieces=_maybe(st.just(OutcomePieces(total=3, delivered=2))),
)


@st.composite
def make_arrival(draw: st.DrawFn) -> TrackingEvent:
    """Draw an event from few values, so that copies, ties and late ones are frequent."""
    code = draw(st.sampled_from(["label_created", "in_transit", "delivery_failed", "delivered", "returned", "x-odd"]))
    row = resolve_status(code)
    return TrackingEvent(
        event_id=draw(st.sampled_from("abcdef")),
        occurred_at=minutes_after_noon(draw(st.integers(0, 4))),
        recorded_at=draw(_maybe(st.integers(0, 4).map(minutes_after_noon))),
        status_code=code,
        phase=row.phase if row else draw(st.sampled_from(["inbound", "no_such_phase"])),
        source=draw(_sources),
        late=draw(_maybe(st.booleans())),
        location=draw(_maybe(st.just(Location(city="Toronto", address="1 Front St", lat=43.6)))),
        incident_reason=draw(_maybe(st.just(IncidentReason(code="other", note="dog")))),
        actor=draw(_maybe(st.just(EventActor(type="driver", id="7")))),
        outcome=draw(_maybe(_outcomes)),
        raw_status=draw(_maybe(st.sampled_from(["A", "B"]))),
        extensions=draw(_maybe(st.just({"a": [1]}))),
    )


@st.composite
def some_corrections(draw: st.DrawFn) -> list[Correction]:
    """Corrections of a few of the ids, some by events that are there."""
    ids = st.sampled_from("abcdef")
    made = st.builds(
        Correction,
        event_id=ids,
        declared_at=st.integers(5, 7).map(minutes_after_noon),
        reason=_maybe(st.sampled_from(["did_not_occur", "incorrect_data"])),
        corrective_event_ids=_maybe(st.lists(ids, max_size=2).map(tuple)),
    )
    return draw(st.lists(made, max_size=3))
