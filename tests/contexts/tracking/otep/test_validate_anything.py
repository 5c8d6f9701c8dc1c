"""Promises of the validator over everything that can be posted, and of the schema that is published beside it."""

import json
import re
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contexts.tracking.otep.documents import found, journey, posted, told
from tests.contexts.tracking.otep.documents_drawn import ANY_JSON, broken_timelines, decent_timelines
from tests.contexts.tracking.otep.makers import PARCEL, an_event

from haulier.contexts.tracking.otep.model import Event
from haulier.contexts.tracking.otep.rules.findings import HINTS, RULES, Finding, Severity
from haulier.contexts.tracking.otep.rules.parsing import parse
from haulier.contexts.tracking.otep.rules.timeline import public_view, timeline
from haulier.contexts.tracking.otep.rules.validate import Report, validate
from haulier.contexts.tracking.otep.schema import timeline_schema
from haulier.contexts.tracking.otep.vocabulary import PROFILES, TABLE, UNIVERSAL

SCHEMA = jsonschema.Draft202012Validator(timeline_schema("https://haulier.example/schema"))
DRAWN = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
ANYTHING = ANY_JSON | broken_timelines() | decent_timelines()
PATH = re.compile(r"\$(\.[A-Za-z_]\w*|\[\d+\]|\['[^'\n]*'\])*")


def all_of(report: Report) -> list[Finding]:
    return [*report.errors, *report.warnings, *report.shortfalls]


@DRAWN
@given(document=ANYTHING)
def test_whatever_is_posted_there_is_an_answer(document: Any) -> None:
    report = validate(document)
    assert report.level in (0, 1, 2)
    assert report.valid is (report.errors == ())
    assert report.level == 0 or report.valid
    assert report.level == 2 or report.shortfalls


@DRAWN
@given(document=ANYTHING)
def test_every_finding_says_where_what_and_with_which_words(document: Any) -> None:
    for each in all_of(validate(document)):
        rule = RULES[each.code]
        assert PATH.fullmatch(each.path), each.path
        assert each.severity is rule.severity
        assert set(rule.params) <= each.params.keys()
        assert not each.hint_code or set(HINTS[each.hint_code]) <= each.params.keys()
        json.dumps(each.params).encode()


@DRAWN
@given(document=broken_timelines() | decent_timelines())
def test_the_schema_refuses_nothing_that_the_validator_takes(document: Any) -> None:
    if validate(document).valid:
        SCHEMA.validate(document)


@DRAWN
@given(document=decent_timelines())
def test_a_timeline_with_right_values_has_only_faults_of_its_journey(document: Any) -> None:
    SCHEMA.validate(document)
    assert {each.code for each in validate(document).errors} <= {"after_terminal"}


@DRAWN
@given(document=decent_timelines())
def test_what_is_valid_can_be_read_and_what_was_read_is_valid_again(document: Any) -> None:
    report = validate(document)
    if not report.valid:
        return
    told_again = msgspec.to_builtins(parse(document), builtin_types=())
    again = validate(json.loads(json.dumps(told_again)))
    assert again.errors == ()
    assert {each.code for each in again.warnings} <= {"step_back", "late_event", "experimental_code"}
    assert again.level == report.level
    assert parse(told_again) == parse(document)


@st.composite
def _our_events(draw: st.DrawFn, profile: str) -> list[Event]:
    codes = st.sampled_from([row for row in TABLE if row.profile in (UNIVERSAL, profile)])
    drawn = draw(st.lists(st.tuples(codes, st.integers(0, 50)), min_size=1, max_size=8))
    return [
        an_event(row.code, minute, event_id=f"e{index}", phase=row.phase) for index, (row, minute) in enumerate(drawn)
    ]


@DRAWN
@given(data=st.data(), profile=st.sampled_from(PROFILES), public=st.booleans())
def test_our_own_timelines_are_valid_at_level_1_unless_they_step_back(
    data: st.DataObject, profile: str, public: bool
) -> None:
    whole = timeline(PARCEL, data.draw(_our_events(profile)), profile=profile)
    shown = public_view(whole) if public else whole
    document = json.loads(msgspec.json.encode(shown))
    report = validate(document)
    SCHEMA.validate(document)
    assert report.errors == ()
    assert {each.code for each in report.warnings} <= {"step_back", "late_event"}
    assert report.level == (0 if any(each.code == "step_back" for each in report.warnings) else 1)


@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        posted({}),
        posted(subject={}),
        posted(subject={"order_id": 0}),
        posted(told(occurred_at="noon")),
        posted(told(phase="nowhere")),
        posted(told("delivered", phase="transit")),
        posted(told("return_to_sender", phase="delivered")),
        posted(told(location={"country": "ca"})),
        posted(told(location={"lat": 91, "lng": 0})),
        posted(told(description=None)),
        posted(told(source={"type": "friend"})),
        journey("deposited"),
        journey("deposited", profile="food"),
        journey("nonsense", profile="locker"),
        posted(voided=[{"event": told()}]),
    ],
)
def test_the_schema_refuses_what_one_value_shows_to_be_wrong(document: Any) -> None:
    assert not validate(document).valid
    assert not SCHEMA.is_valid(document)


@pytest.mark.parametrize("profile", PROFILES)
def test_the_schema_takes_every_code_of_a_profile_and_no_other(profile: str) -> None:
    for row in TABLE:
        document = journey(row.code, profile=profile)
        assert SCHEMA.is_valid(document) is (row.profile in (UNIVERSAL, profile)) is (found(validate(document)) == [])
    assert SCHEMA.is_valid(journey("x-odd", profile=profile))


def test_the_schema_is_a_schema_and_a_plain_document() -> None:
    schema = timeline_schema("https://haulier.example/schema")
    jsonschema.Draft202012Validator.check_schema(schema)
    assert json.loads(json.dumps(schema)) == schema
    assert schema["$id"] == "https://haulier.example/schema"


def test_hints_belong_to_rules_and_notes_need_none() -> None:
    usual = {rule.hint for rule in RULES.values()} - {None}
    assert usual <= HINTS.keys()
    assert HINTS.keys() - usual == {"did_you_mean", "other_profile"}
    assert not any(rule.hint for rule in RULES.values() if rule.severity is Severity.NOTE)
