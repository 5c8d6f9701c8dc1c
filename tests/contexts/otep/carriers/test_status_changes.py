"""Carriers that show only a current status."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from tests.contexts.otep.factories import PARCEL, minutes_after_noon

from haulier.contexts.otep.carriers import event_of_status_change, translate_status
from haulier.contexts.otep.carriers.rules.tables import CARRIER_TABLES
from haulier.contexts.otep.timeline.contract import IncidentReason, Source, TrackingEvent
from haulier.contexts.otep.timeline.rules.merge import build_timeline
from haulier.contexts.otep.vocabulary.rules import TERMINAL_CODES


def polled(raw: str, previous: str | None = None, minute: int = 0, **fields: Any) -> TrackingEvent | None:
    return event_of_status_change(
        "gls", raw, previous=previous, event_id=f"e{minute}", occurred_at=minutes_after_noon(minute), **fields
    )


def test_a_first_status_creates_an_event_with_the_carriers_own_text() -> None:
    event = polled("INDELIVERY")
    assert event is not None
    assert (event.status_code, event.phase, event.raw_status) == ("out_for_delivery", "out_for_delivery", "INDELIVERY")
    assert event.source == Source(type="carrier", name="gls")
    assert (event.incident_reason, event.extensions) == (UNSET, {"synthesised": True})


def test_other_text_for_the_same_code_is_no_change() -> None:
    assert polled("in_delivery", previous="out_for_delivery") is None
    assert polled("FINAL", previous="in_transit") is None


def test_an_incident_has_a_reason() -> None:
    event = event_of_status_change(
        "postnord", "DELIVERY_REFUSED", previous="in_transit", event_id="e", occurred_at=minutes_after_noon(0)
    )
    assert event is not None
    assert event.incident_reason == IncidentReason(code="refused")


def test_unknown_text_creates_an_in_transit_event_that_keeps_it() -> None:
    event = polled("ON_THE_MOON")
    assert event is not None
    assert (event.status_code, event.raw_status) == ("in_transit", "ON_THE_MOON")


@given(places=st.lists(st.integers(0, 99), max_size=8))
def test_polling_creates_one_event_for_every_change_of_meaning(places: list[int]) -> None:
    for carrier, table in CARRIER_TABLES.items():
        codes = sorted(table.sheet.codes)
        check_polling(carrier, [codes[place % len(codes)] for place in places])


def check_polling(carrier: str, polls: list[str]) -> None:
    """Check that successive statuses become the changes of their meanings."""
    events: list[TrackingEvent] = []
    previous: str | None = None
    for minute, raw in enumerate(polls):
        if event := event_of_status_change(
            carrier, raw, previous=previous, event_id=f"e{minute}", occurred_at=minutes_after_noon(minute)
        ):
            events.append(event)
            previous = event.status_code
    meanings = [translate_status(carrier, raw).status_code for raw in polls]
    changes = [new for old, new in zip([None, *meanings], meanings, strict=False) if new != old]
    whole = build_timeline(PARCEL, events)
    assert [event.status_code for event in whole.events] == changes
    ends = [code for code in changes if code in TERMINAL_CODES]
    assert whole.current_status == ((ends or changes[-1:] or [UNSET])[0])
