"""Accepted timeline forms: addresses as text, no sources, events with subjects."""

from datetime import timedelta
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contexts.otep.document_strategies import decent_timelines
from tests.contexts.otep.factories import NOON
from tests.contexts.otep.posted_documents import LEFT_OUT, findings_of, posted_codes, posted_event, posted_timeline
from tests.support.every_case import for_every

from haulier.contexts.otep.timeline.rules.parser import parse_timeline
from haulier.contexts.otep.validation.rules.validator import validate_timeline
from haulier.contexts.otep.validation.serializers import timeline_schema
from haulier.contexts.otep.vocabulary.rules import (
    STATUS_CODES,
    code_address,
    phase_address,
    split_code_address,
)

SCHEMA = jsonschema.Draft202012Validator(timeline_schema("https://haulier.example/schema"))
SUBJECT = {"tracking_number": "HL7XK2M9QA"}


def test_a_subject_a_time_and_a_status_are_sufficient() -> None:
    document = posted_timeline(posted_event(source=LEFT_OUT))
    assert findings_of(validate_timeline(document)) == []
    SCHEMA.validate(document)
    assert parse_timeline(document).events[0].source.type == "carrier"


def test_our_own_uris_are_read_as_their_codes() -> None:
    for row in STATUS_CODES:
        plain = posted_timeline(posted_event(row.code, phase=row.phase), profile=row.profile)
        addressed = posted_timeline(
            posted_event(code_address(row.code, row.profile), phase=phase_address(row.phase)), profile=row.profile
        )
        assert findings_of(validate_timeline(addressed)) == [], row.code
        assert parse_timeline(addressed) == parse_timeline(plain), row.code
        SCHEMA.validate(addressed)


def test_the_uri_of_an_experimental_code_is_accepted() -> None:
    assert split_code_address("otep:locker:x-jammed") == ("locker", "x-jammed")
    (event,) = parse_timeline(posted_codes("otep:parcel:x-drone")).events
    assert event.status_code == "x-drone"


@for_every("word", ["otep:parcel:teleported", "otep:moon:delivered", "otep:food:collected", "otep:parcel:"])
def test_an_unresolvable_uri_is_an_unknown_code(word: str) -> None:
    assert findings_of(validate_timeline(posted_codes(word))) == [("$.events[0].status_code", "unknown_code")]


@given(document=decent_timelines(), data=st.data())
def test_uris_and_codes_are_equivalent(document: dict[str, Any], data: st.DataObject) -> None:
    profile = document.get("profile", "parcel")
    events = [
        {**event, "status_code": code_address(event["status_code"], profile)} if data.draw(st.booleans()) else event
        for event in document["events"]
    ]
    addressed = {**document, "events": events}
    assert validate_timeline(addressed) == validate_timeline(document)


def test_a_single_event_with_its_subject_is_accepted() -> None:
    event = posted_event("delivered", subject=SUBJECT)
    assert findings_of(validate_timeline(event)) == []
    assert parse_timeline(event) == parse_timeline(posted_codes("delivered"))
    locker = posted_event("otep:locker:deposited", subject=SUBJECT)
    assert (findings_of(validate_timeline(locker)), parse_timeline(locker).profile) == ([], "locker")


def test_errors_in_a_single_event_name_its_own_fields() -> None:
    event = posted_event("teleported", subject={}, mood="good")
    assert sorted(findings_of(validate_timeline(event))) == [
        ("$.mood", "unknown_field"),
        ("$.status_code", "unknown_code"),
        ("$.subject", "no_identifier"),
    ]
    assert findings_of(validate_timeline(posted_event())) == [("$.subject", "missing")]


def test_events_of_several_subjects_are_separate_journeys() -> None:
    events = [
        posted_event("delivered", 0, subject={"tracking_number": "A"}),
        posted_event("in_transit", 1, subject={"tracking_number": "B"}),
        posted_event("delivered", 0, subject={"tracking_number": "B"}),
    ]
    document = posted_timeline(*events[:2], subject=LEFT_OUT)
    assert findings_of(validate_timeline(document)) == []
    SCHEMA.validate(document)
    late = posted_timeline(events[2], *events[:2], subject=LEFT_OUT)
    assert findings_of(validate_timeline(late)) == [("$.events[2]", "after_terminal")]
    with pytest.raises(msgspec.ValidationError):
        parse_timeline(document)


def test_a_time_further_ahead_than_clock_skew_is_refused() -> None:
    document = posted_timeline(posted_event())
    assert findings_of(validate_timeline(document, now=NOON - timedelta(minutes=15))) == []
    assert findings_of(validate_timeline(document, now=NOON - timedelta(minutes=16))) == [
        ("$.events[0].occurred_at", "time_ahead")
    ]


def test_of_two_ends_the_first_recorded_one_counts() -> None:
    known_first = posted_event("delivered", 2, recorded_at="2026-06-10T15:00:00Z")
    contrary = posted_event("cancelled", 1, recorded_at="2026-06-10T18:00:00Z")
    assert findings_of(validate_timeline(posted_timeline(contrary, known_first))) == [("$.events[0]", "after_terminal")]
    marked = posted_timeline({**contrary, "late": True}, known_first, current_status="delivered")
    assert findings_of(validate_timeline(marked)) == [("$.events[0]", "late_event")]
