"""Posted timelines as records."""

from datetime import timedelta

import msgspec
import pytest
from msgspec import UNSET
from tests.contexts.otep.posted_documents import posted_codes, posted_event, posted_timeline

from haulier.contexts.otep.timeline.rules.parser import parse_timeline


def test_events_are_sorted_and_unique_and_the_status_is_derived() -> None:
    read = parse_timeline(
        posted_timeline(
            posted_event("delivered", 2),
            posted_event("picked_up", 1),
            posted_event("delivered", 2),
            current_status="lost",
        )
    )
    assert [event.status_code for event in read.events] == ["picked_up", "delivered"]
    assert (read.current_status, read.current_phase, read.delivered, read.terminal) == (
        "delivered",
        "delivered",
        True,
        True,
    )


def test_aliases_become_codes_and_missing_phases_are_added() -> None:
    (event,) = parse_timeline(posted_codes("return_to_sender")).events
    assert (event.status_code, event.phase) == ("returned", "transit")


def test_an_experimental_code_keeps_its_given_phase() -> None:
    (event,) = parse_timeline(posted_timeline(posted_event("x-drone", phase="pickup"))).events
    assert (event.status_code, event.phase) == ("x-drone", "pickup")


def test_the_utc_offset_of_a_time_is_kept() -> None:
    (event,) = parse_timeline(posted_timeline(posted_event(occurred_at="2026-06-10T11:30:00-04:00"))).events
    assert event.occurred_at.utcoffset() == timedelta(hours=-4)


def test_an_event_without_an_id_gets_a_reproducible_one() -> None:
    source = {"type": "carrier", "name": "Swift", "reference": "r-1"}
    first, again = (
        parse_timeline(posted_timeline(posted_event(source=source, description=text))).events[0] for text in ("a", "b")
    )
    moved = parse_timeline(posted_timeline(posted_event(hour=1, source=source))).events[0]
    other = parse_timeline(posted_timeline(posted_event(source={**source, "reference": "r-2"}))).events[0]
    assert first.event_id == again.event_id == moved.event_id != other.event_id
    assert (
        parse_timeline(posted_timeline(posted_event())).events[0].event_id
        != parse_timeline(posted_timeline(posted_event(hour=1))).events[0].event_id
    )


def test_unknown_members_are_dropped() -> None:
    read = parse_timeline(posted_timeline(posted_event(mood="good"), weather="fair"))
    assert "mood" not in msgspec.json.encode(read).decode()


def test_withdrawn_events_are_listed_separately() -> None:
    correction = {"event_id": "a", "declared_at": "2026-06-11T12:00:00Z", "reason": "did_not_occur"}
    voided = [{"event": posted_event("delivered", event_id="a"), "correction": correction}]
    read = parse_timeline(posted_timeline(posted_event(event_id="b"), voided=voided))
    assert [event.event_id for event in read.events] == ["b"]
    assert read.voided is not UNSET
    assert [each.event.event_id for each in read.voided] == ["a"]
    assert read.current_status == "in_transit"


@pytest.mark.parametrize("document", [{}, posted_timeline({}), posted_timeline(posted_event(occurred_at="noon"))])
def test_a_document_refused_by_the_validator_cannot_be_parsed(document: object) -> None:
    with pytest.raises((msgspec.ValidationError, KeyError)):
        parse_timeline(document)  # type: ignore[arg-type]
