"""Precomputed public timelines equal those built from the events."""

import json
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Raw, UnsetType
from msgspec.json import Decoder, encode
from msgspec.structs import replace
from tests.contexts.otep.factories import PARCEL, make_arrival, make_event

from haulier.contexts.otep.timeline.contract import DeliveryOutcome, Timeline, TrackingEvent
from haulier.contexts.otep.timeline.rules.merge import (
    assemble_public_timeline,
    build_timeline,
    is_plain,
    is_precomputable,
    public_view,
    split_public_fields,
)
from haulier.contexts.otep.vocabulary.rules import STATUS_CODES

read = Decoder(TrackingEvent).decode


def words(status_code: str, phase: str, outcome: DeliveryOutcome | UnsetType = UNSET, /) -> str:
    result = "" if not outcome or is_plain(outcome) else f" {outcome.handed_to} {outcome.pieces}"
    return f'"{status_code}" é{result}'


def put_together(events: Iterable[TrackingEvent]) -> Timeline | None:
    instants, codes, shown = [], [], []
    for event in events:
        instants.append(event.occurred_at.isoformat(timespec="microseconds"))
        codes.append(event.status_code)
        shown.append(encode(split_public_fields(event)[0]).decode() if is_precomputable(event) else "")
    return assemble_public_timeline(PARCEL.tracking_number or "", "parcel", instants, codes, shown, words)


def made_from(events: list[TrackingEvent]) -> Timeline:
    return public_view(build_timeline(PARCEL, events, profile="parcel"), words)


@given(event=make_arrival())
def test_the_public_part_and_the_rest_make_up_the_event(event: TrackingEvent) -> None:
    shown, rest = split_public_fields(event)
    assert read(encode(shown)[:-1] + b"," + encode(rest)[1:]) == event


@given(event=make_arrival())
def test_the_public_part_contains_no_personal_data(event: TrackingEvent) -> None:
    (seen,) = public_view(build_timeline(PARCEL, [event])).events
    shown, _ = split_public_fields(event)
    assert replace(shown, late=UNSET) == replace(seen, late=UNSET, description=UNSET)


@given(minutes=st.lists(st.integers(0, 10_000), min_size=1, max_size=14, unique=True), data=st.data())
def test_an_ordinary_timeline_is_assembled_exactly_as_it_would_be_merged(
    minutes: list[int], data: st.DataObject
) -> None:
    *going, last = sorted(minutes)
    rows = [(data.draw(st.sampled_from([row for row in STATUS_CODES if not row.terminal])), minute) for minute in going]
    rows.append((data.draw(st.sampled_from(STATUS_CODES)), last))
    events = [make_event(row.code, minute, phase=row.phase) for row, minute in rows]
    put = put_together(data.draw(st.permutations(events)))
    assert put is not None
    assert isinstance(put.events, Raw)
    assert json.loads(encode(put)) == json.loads(encode(made_from(events)))


def recorded_name(event: TrackingEvent) -> object:
    """Return the identity of a recorded event: source reference, or time and code."""
    return event.source if event.source.reference else event.event_id


@given(events=st.lists(make_arrival(), max_size=6, unique_by=(lambda event: event.event_id, recorded_name)))
def test_any_other_timeline_is_assembled_correctly_or_not_at_all(events: list[TrackingEvent]) -> None:
    put = put_together(events)
    assert put is None or json.loads(encode(put)) == json.loads(encode(made_from(events)))


def test_simultaneous_events_and_events_after_the_end_need_the_full_events() -> None:
    assert put_together([]) is None
    assert put_together([make_event("picked_up", 1), make_event("in_transit", 1)]) is None
    assert put_together([make_event("delivered", 1), make_event("in_transit", 2)]) is None
    assert put_together([make_event("picked_up", 1), make_event("x-drone", 2)]) is None
    assert put_together([make_event("picked_up", 1, late=True)]) is None
    assert put_together([make_event("picked_up", 1, phase="delivered")]) is None
    assert put_together([make_event("delivered", 1, outcome=DeliveryOutcome(handed_to="neighbour"))]) is None
