"""A source that shows only its current status gets one event for every change."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from tests.contexts.otep.factories import NOON, PARCEL, UNIVERSAL_CODES, minutes_after_noon

from haulier.contexts.otep.timeline.contract import Source, TrackingEvent
from haulier.contexts.otep.timeline.rules.merge import build_timeline, synthesise_event

POLLED = Source(type="third_party", name="Swift Post")


def seen(previous: str | None, new: str, minute: int = 0, **fields: Any) -> TrackingEvent | None:
    return synthesise_event(
        previous, new, event_id=f"e{minute}", occurred_at=minutes_after_noon(minute), source=POLLED, **fields
    )


def test_the_first_status_is_an_event_with_its_origin() -> None:
    event = seen(None, "in_transit")
    assert event is not None
    assert (event.status_code, event.phase, event.occurred_at) == ("in_transit", "transit", NOON)
    assert (event.extensions, event.raw_status) == ({"synthesised": True}, UNSET)


def test_an_unchanged_or_synonymous_status_is_no_event() -> None:
    assert seen("in_transit", "in_transit") is None
    assert seen("returned", "return_to_sender") is None
    assert seen("return_to_sender", "returned") is None
    assert seen("x-odd", "x-odd") is None


def test_an_experimental_status_stays_in_the_parcels_current_phase() -> None:
    event = seen("out_for_delivery", "x-circling")
    assert event is not None
    assert (event.status_code, event.phase) == ("x-circling", "out_for_delivery")


def test_unknown_text_becomes_the_generic_code_of_the_phase_and_is_kept() -> None:
    event = seen("sorted", "Au dépôt")
    assert event is not None
    assert (event.status_code, event.phase, event.raw_status) == ("received", "inbound", "Au dépôt")
    assert seen(event.status_code, "Au dépôt", 5) is None


@given(polls=st.lists(st.sampled_from(UNIVERSAL_CODES), max_size=12))
def test_polling_creates_one_event_per_change(polls: list[str]) -> None:
    events: list[TrackingEvent] = []
    previous = None
    for minute, status in enumerate(polls):
        if event := seen(previous, status, minute):
            events.append(event)
        previous = status
    changes = [new for old, new in zip([None, *polls], polls, strict=False) if new != old]
    assert [event.status_code for event in events] == changes
    assert [event.status_code for event in build_timeline(PARCEL, events).events] == changes
