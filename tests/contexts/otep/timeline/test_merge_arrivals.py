"""Timelines are independent of how their events arrive.

Events may come in batches, late, after the end, from several sources, and with corrections.
"""

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace
from tests.contexts.otep.factories import PARCEL, UNIVERSAL_CODES, make_correction, make_event, minutes_after_noon

from haulier.contexts.otep.timeline.contract import Correction, Source, Timeline, TrackingEvent
from haulier.contexts.otep.timeline.rules.merge import build_timeline, merge_events, recorded_order_key
from haulier.contexts.otep.vocabulary.rules import TERMINAL_CODES

CARRIER = Source(type="carrier", name="Swift Post")
DRIVERS = Source(type="self_delivery", name="Own drivers")
PARTNER = Source(type="third_party", name="Ride Along")
SOURCES = (CARRIER, DRIVERS, PARTNER)
OPEN = [code for code in UNIVERSAL_CODES if code not in TERMINAL_CODES]


@st.composite
def make_report(draw: st.DrawFn, source: Source | None = None, codes: list[str] = UNIVERSAL_CODES) -> TrackingEvent:
    """Draw an event of a source; equal events have equal ids."""
    teller = source or draw(st.sampled_from(SOURCES))
    code, minute = draw(st.sampled_from(codes)), draw(st.integers(0, 20))
    referred = replace(teller, reference=f"{code}-{minute}") if draw(st.booleans()) else teller
    name = f"{teller.name}/{code}/{minute}"
    return make_event(
        code, minute, event_id=name, source=referred, recorded_at=minutes_after_noon(minute + draw(st.integers(0, 30)))
    )


def some_tellings(
    source: Source | None = None, codes: list[str] = UNIVERSAL_CODES
) -> st.SearchStrategy[list[TrackingEvent]]:
    """A few tellings, none of them twice."""
    return st.lists(make_report(source, codes), max_size=8, unique_by=lambda event: event.event_id)


TELLINGS = some_tellings()
OPEN_TELLINGS = some_tellings(codes=OPEN)


def unmarked(events: tuple[TrackingEvent, ...]) -> list[TrackingEvent]:
    return [replace(event, late=UNSET) for event in events]


def status(whole: Timeline) -> tuple[Any, ...]:
    return whole.current_status, whole.current_phase, whole.delivered, whole.terminal


@given(events=TELLINGS, data=st.data())
def test_batches_in_any_order_give_the_same_result_as_a_single_call(
    events: list[TrackingEvent], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(events))
    cut = data.draw(st.integers(0, len(events)))
    stood = merge_events(shuffled[:cut])
    assert merge_events([*stood, *shuffled[cut:]]) == merge_events(events)
    assert merge_events([*shuffled[cut:], *stood, *stood]) == merge_events(events)


@given(events=TELLINGS, data=st.data())
def test_a_later_arrival_is_inserted_by_time_without_moving_others(
    events: list[TrackingEvent], data: st.DataObject
) -> None:
    late = data.draw(make_report())
    assume(late.event_id not in {event.event_id for event in events})
    before, after = unmarked(merge_events(events)), unmarked(merge_events([*events, late]))
    assert [event for event in after if event.event_id != late.event_id] == before
    assert len(after) == len(before) + 1


@given(events=TELLINGS, data=st.data())
def test_events_before_the_latest_one_never_change_an_open_status(
    events: list[TrackingEvent], data: st.DataObject
) -> None:
    whole = build_timeline(PARCEL, events)
    assume(whole.events and not whole.terminal)
    latest = whole.events[-1]
    earlier = data.draw(make_report(codes=OPEN))
    assume(earlier.occurred_at < latest.occurred_at and earlier.event_id not in {each.event_id for each in events})
    assert status(build_timeline(PARCEL, [*events, earlier])) == status(whole)


@given(events=TELLINGS, data=st.data())
def test_events_after_the_end_never_change_the_status(events: list[TrackingEvent], data: st.DataObject) -> None:
    whole = build_timeline(PARCEL, events)
    assume(whole.terminal)
    end = next(event for event in whole.events if event.status_code in TERMINAL_CODES and not event.late)
    more = data.draw(TELLINGS)
    since = [
        replace(
            event,
            occurred_at=end.occurred_at + (event.occurred_at - minutes_after_noon(-1)),
            recorded_at=minutes_after_noon(900),
            event_id=f"since/{event.event_id}",
        )
        for event in more
    ]
    again = build_timeline(PARCEL, [*events, *since])
    assert status(again) == status(whole)
    kept = {event.event_id: event.late for event in again.events}
    assert all(kept.get(event.event_id, True) is True for event in since)


@given(events=TELLINGS)
def test_there_is_at_most_one_end_and_it_became_known_first(events: list[TrackingEvent]) -> None:
    whole = build_timeline(PARCEL, events)
    ends = [event for event in whole.events if event.status_code in TERMINAL_CODES]
    timely = [event for event in ends if not event.late]
    assert len(timely) == bool(ends)
    assert all(recorded_order_key(end)[0] <= recorded_order_key(each)[0] for end in timely for each in ends)
    assert whole.terminal == bool(ends) == (whole.current_status in TERMINAL_CODES)


@given(events=TELLINGS, data=st.data())
def test_a_later_reported_end_never_replaces_the_first(events: list[TrackingEvent], data: st.DataObject) -> None:
    before = build_timeline(PARCEL, events)
    assume(before.terminal)
    code, minute = data.draw(st.sampled_from(sorted(TERMINAL_CODES))), data.draw(st.integers(-5, 5))
    contrary = make_event(code, minute, event_id="contrary", source=PARTNER, recorded_at=minutes_after_noon(900))
    whole = build_timeline(PARCEL, [*events, contrary])
    assert status(whole) == status(before)
    assert [event.late for event in whole.events if event.event_id == "contrary"] == [True]


@given(events=TELLINGS)
def test_each_source_keeps_its_own_sequence_within_the_timeline(events: list[TrackingEvent]) -> None:
    whole = unmarked(merge_events(events))
    for teller in SOURCES:
        own = [event for event in events if event.source.name == teller.name]
        assert [event for event in whole if event.source.name == teller.name] == unmarked(merge_events(own))


@given(code=st.sampled_from(UNIVERSAL_CODES), minute=st.integers(0, 5))
def test_two_sources_reporting_the_same_event_are_two_records(code: str, minute: int) -> None:
    told = [make_event(code, minute, source=source, event_id=str(source.name)) for source in SOURCES]
    referred = [
        make_event(code, minute, source=replace(source, reference="7"), event_id=f"{source.name}/7")
        for source in SOURCES
    ]
    assert len(merge_events(told)) == len(SOURCES)
    assert len(merge_events(referred)) == len(SOURCES)


@given(stories=st.tuples(*map(some_tellings, SOURCES)), data=st.data())
def test_the_order_of_the_sources_does_not_matter(
    stories: tuple[list[TrackingEvent], ...], data: st.DataObject
) -> None:
    expected = merge_events([event for story in stories for event in story])
    merged = [merge_events(story) for story in data.draw(st.permutations(stories))]
    assert merge_events([event for story in merged for event in story]) == expected


@given(events=TELLINGS, data=st.data())
def test_a_withdrawn_event_leaves_no_trace_in_the_timeline(events: list[TrackingEvent], data: st.DataObject) -> None:
    gone = data.draw(st.lists(st.sampled_from(events), max_size=3, unique_by=id) if events else st.just([]))
    corrections = data.draw(st.permutations([make_correction(event) for event in gone] * 2))
    whole = build_timeline(PARCEL, data.draw(st.permutations(events)), corrections=corrections)
    never = build_timeline(PARCEL, [event for event in events if event not in gone])
    assert (whole.events, status(whole)) == (never.events, status(never))
    voided = whole.voided or ()
    assert {each.event.event_id for each in voided} == {event.event_id for event in gone}
    assert {each.correction.event_id for each in voided} == {event.event_id for event in gone}


@given(events=TELLINGS, declared=st.integers(0, 90))
def test_correcting_an_unknown_event_changes_nothing(events: list[TrackingEvent], declared: int) -> None:
    strayed = Correction(event_id="nobody told this", declared_at=minutes_after_noon(declared))
    assert build_timeline(PARCEL, events, corrections=[strayed]) == build_timeline(PARCEL, events)


@given(events=TELLINGS, data=st.data())
def test_a_correction_can_arrive_before_its_event(events: list[TrackingEvent], data: st.DataObject) -> None:
    assume(events)
    wrong = data.draw(st.sampled_from(events))
    correction = make_correction(wrong, declared_at=minutes_after_noon(-60))
    early = merge_events([event for event in events if event is not wrong], [correction])
    assert merge_events([*early, wrong], [correction]) == merge_events(events, [correction])


@given(events=OPEN_TELLINGS, code=st.sampled_from(sorted(TERMINAL_CODES)), minute=st.integers(0, 20))
def test_withdrawing_the_end_reopens_the_journey(events: list[TrackingEvent], code: str, minute: int) -> None:
    end = make_event(code, minute, event_id="the end", source=PARTNER)
    ended, opened = (
        build_timeline(PARCEL, [*events, end]),
        build_timeline(PARCEL, [*events, end], corrections=[make_correction(end)]),
    )
    assert (ended.current_status, ended.terminal) == (code, True)
    assert not opened.terminal
    assert not any(event.late for event in opened.events)
    assert unmarked(opened.events) == unmarked(merge_events(events))


@given(events=OPEN_TELLINGS, minute=st.integers(0, 20))
def test_the_corrected_event_replaces_the_wrong_one(events: list[TrackingEvent], minute: int) -> None:
    wrong = make_event("delivered", minute, event_id="wrong", source=DRIVERS)
    right = make_event("delivery_failed", minute, event_id="right", source=PARTNER)
    correction = make_correction(wrong, reason="incorrect_data", corrective_event_ids=("right",))
    whole = build_timeline(PARCEL, [wrong, *events, right], corrections=[correction])
    assert whole.events == build_timeline(PARCEL, [*events, right]).events
    assert [each.event.event_id for each in whole.voided or ()] == ["wrong"]
