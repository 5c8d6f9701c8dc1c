"""Merging of events into one timeline in any order and repetition."""

from datetime import timedelta, timezone
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace
from tests.contexts.otep.factories import (
    PARCEL,
    make_arrival,
    make_correction,
    make_event,
    minutes_after_noon,
    some_corrections,
)

from haulier.contexts.otep.timeline.contract import Location, ProofOfDelivery, Source, TrackingEvent
from haulier.contexts.otep.timeline.rules.merge import build_timeline, merge_events, public_view
from haulier.contexts.otep.vocabulary.rules import PHASE_RANK, TERMINAL_CODES

ARRIVALS = st.lists(make_arrival(), max_size=8)


def codes(events: tuple[TrackingEvent, ...]) -> list[str]:
    return [event.status_code for event in events]


@given(events=ARRIVALS, corrections=some_corrections(), data=st.data())
def test_any_order_and_repetition_of_arrivals_gives_the_same_timeline(
    events: list[TrackingEvent], corrections: list[Any], data: st.DataObject
) -> None:
    expected = build_timeline(PARCEL, events, corrections=corrections)
    repeated = events + data.draw(st.lists(st.sampled_from(events), max_size=8) if events else st.just([]))
    shuffled = data.draw(st.permutations(repeated))
    declared = data.draw(st.permutations(corrections * 2))
    assert build_timeline(PARCEL, shuffled, corrections=declared) == expected


def test_only_carrier_facilities_are_named_in_public() -> None:
    hub = Location(name="Toronto hub", address="SECRET", city="Toronto")

    def name_in(code: str, source_type: str) -> object:
        event = make_event(code, source=Source(type=source_type, name="Acme"), location=hub)
        (shown,) = public_view(build_timeline(PARCEL, [event])).events
        return shown.location.name if shown.location else None

    for code in ("arrival_scan", "sorted", "in_transit", "customs_held", "ready_for_collection"):
        assert name_in(code, "carrier") == "Toronto hub", code
        assert name_in(code, "self_delivery") is UNSET, code
    for code in ("picked_up", "out_for_delivery", "delivery_failed", "delivered", "label_created"):
        assert name_in(code, "carrier") is UNSET, code


@given(events=ARRIVALS, corrections=some_corrections())
def test_merging_is_idempotent(events: list[TrackingEvent], corrections: list[Any]) -> None:
    merged = merge_events(events, corrections)
    assert merge_events(merged, corrections) == merged


@given(events=ARRIVALS)
def test_only_duplicates_are_dropped(events: list[TrackingEvent]) -> None:
    merged = merge_events(events)
    for event in events:
        assert any(_same(event, kept) or event.event_id == kept.event_id for kept in merged) or any(
            _same(event, copy) or event.event_id == copy.event_id for copy in events if copy is not event
        )
    assert len({event.event_id for event in merged}) == len(merged)
    assert not any(_same(a, b) for index, a in enumerate(merged) for b in merged[index + 1 :])


def _same(a: TrackingEvent, b: TrackingEvent) -> bool:
    referred = bool(a.source.reference) and a.source == b.source
    return referred or (a.occurred_at, a.status_code, a.source.type, a.source.name) == (
        b.occurred_at,
        b.status_code,
        b.source.type,
        b.source.name,
    )


@given(events=ARRIVALS)
def test_events_are_sorted_by_time_then_phase_and_events_after_the_end_are_late(
    events: list[TrackingEvent],
) -> None:
    whole = build_timeline(PARCEL, events)
    places = [(event.occurred_at, PHASE_RANK.get(event.phase, 0)) for event in whole.events]
    assert places == sorted(places)
    ends = [event for event in whole.events if event.status_code in TERMINAL_CODES]
    timely = [index for index, event in enumerate(whole.events) if event in ends and not event.late]
    assert len(timely) == bool(ends)
    end = timely[0] if timely else len(whole.events)
    expected = [index > end or (event in ends and index != end) for index, event in enumerate(whole.events)]
    assert [bool(event.late) for event in whole.events] == expected
    if ends:
        assert whole.terminal
        assert whole.current_status == whole.events[end].status_code
    elif whole.events:
        assert not whole.terminal
        assert whole.current_status == whole.events[-1].status_code


def test_an_empty_timeline_has_no_status() -> None:
    empty = build_timeline(PARCEL, [], profile="locker")
    assert (empty.profile, empty.current_status, empty.delivered, empty.terminal) == ("locker", UNSET, False, False)


def test_ties_are_broken_by_phase_then_time_of_record_then_id() -> None:
    first = make_event("label_created", 5, recorded_at=minutes_after_noon(9), event_id="z")
    second = make_event("in_transit", 5, recorded_at=minutes_after_noon(6), event_id="y")
    third = make_event("delayed", 5, recorded_at=minutes_after_noon(7), event_id="b")
    fourth = make_event("customs_clearance", 5, recorded_at=minutes_after_noon(7), event_id="c")
    assert merge_events([fourth, third, second, first]) == (first, second, third, fourth)


def test_a_late_event_is_kept_without_changing_the_status() -> None:
    whole = build_timeline(PARCEL, [make_event("in_transit", 9), make_event("delivered", 5)])
    assert codes(whole.events) == ["delivered", "in_transit"]
    assert (whole.events[0].late, whole.events[1].late) == (UNSET, True)
    assert (whole.current_status, whole.delivered, whole.terminal) == ("delivered", True, True)


def test_a_late_event_becomes_regular_when_the_end_is_withdrawn() -> None:
    delivered = make_event("delivered", 5)
    whole = build_timeline(
        PARCEL, [delivered, make_event("in_transit", 9, late=True)], corrections=[make_correction(delivered)]
    )
    assert (codes(whole.events), whole.events[0].late, whole.current_status) == (["in_transit"], UNSET, "in_transit")
    assert whole.voided is not UNSET
    assert [each.event for each in whole.voided] == [delivered]


def test_the_same_content_is_one_event_in_any_wording_and_offset() -> None:
    told = make_event("received", 0, location=Location(city="Toronto"))
    reworded = replace(
        told,
        event_id="another",
        occurred_at=told.occurred_at.astimezone(timezone(timedelta(hours=-4))),
        recorded_at=minutes_after_noon(30),
        location=Location(city="TORONTO ON"),
    )
    assert merge_events([reworded, told]) == (told,)


def test_the_same_reference_of_a_source_is_one_event_and_the_first_record_stays() -> None:
    scan = Source(type="carrier", name="Swift Post", reference="scan-9")
    first = make_event("in_transit", 3, source=scan)
    again = make_event("delivered", 8, source=scan)
    assert merge_events([again, first]) == (first,)
    assert len(merge_events([again, replace(first, source=replace(scan, name="Slow Post"))])) == 2


def test_a_correction_keeps_the_corrected_events() -> None:
    scan = Source(type="carrier", name="Swift Post", reference="scan-9")
    wrong = make_event("delivered", 3, source=scan)
    copy = replace(wrong, event_id="copy", recorded_at=minutes_after_noon(9), source=replace(scan, reference=UNSET))
    right = make_event("delivery_failed", 3, source=scan)
    correction = make_correction(wrong, reason="incorrect_data", corrective_event_ids=(right.event_id,))
    whole = build_timeline(PARCEL, [wrong, copy, right], corrections=[correction])
    assert codes(whole.events) == ["delivery_failed"]
    assert whole.voided is not UNSET
    assert [(each.event, each.correction) for each in whole.voided] == [(wrong, correction)]


def test_of_two_corrections_of_an_event_the_first_is_shown() -> None:
    event = make_event()
    first, second = (
        make_correction(event, declared_at=minutes_after_noon(5)),
        make_correction(event, declared_at=minutes_after_noon(6)),
    )
    voided = build_timeline(PARCEL, [event], corrections=[second, first]).voided
    assert voided is not UNSET
    assert voided[0].correction == first


def make_personal_event() -> TrackingEvent:
    return make_event(
        "delivered",
        source=Source(type="self_delivery", name="SECRET driver", reference="SECRET"),
        location=Location(
            name="SECRET", address="SECRET", city="Toronto", region="ON", country="CA",
            postal_code="SECRET", lat=43.612345, lng=-79.312345, gln="4012345000009",
        ),
        pod=ProofOfDelivery(recipient="SECRET", signature_url="https://SECRET", photo_urls=("https://SECRET",)),
        raw_status="SECRET",
        extensions={"SECRET": 1},
    )  # fmt: skip


def test_the_public_timeline_shows_town_and_country_and_nothing_personal() -> None:
    gone = make_event("damaged", event_id="SECRET")
    whole = build_timeline(
        replace(PARCEL, order_id=5), [make_personal_event(), gone], corrections=[make_correction(gone)]
    )
    seen = msgspec.json.encode(public_view(whole))
    assert b"SECRET" not in seen
    assert b"43.61" not in seen
    assert b"4012345" not in seen
    town = Location(city="Toronto", region="ON", country="CA", lat=43.6, lng=-79.3)
    assert public_view(whole).events[0].location == town
    assert public_view(whole).subject == PARCEL


@given(events=ARRIVALS, corrections=some_corrections())
def test_the_public_timeline_shows_every_event_and_the_same_status(
    events: list[TrackingEvent], corrections: list[Any]
) -> None:
    whole = build_timeline(PARCEL, events, corrections=corrections)
    seen = public_view(whole)
    assert codes(seen.events) == codes(whole.events)
    assert (seen.current_status, seen.terminal) == (whole.current_status, whole.terminal)
    for event in seen.events:
        assert {event.actor, event.pod, event.raw_status, event.extensions} == {UNSET}


@pytest.mark.parametrize(("type", "shown"), [("carrier", "Acme"), ("partner", "Acme"), ("third_party", UNSET)])
def test_the_public_timeline_names_companies_and_no_persons(type: str, shown: Any) -> None:
    whole = build_timeline(PARCEL, [make_event(source=Source(type=type, name="Acme", reference="9"))])
    assert public_view(whole).events[0].source == Source(type=type, name=shown)
