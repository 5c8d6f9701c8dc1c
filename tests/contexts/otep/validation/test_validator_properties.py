"""Properties of the validator and of the published schema over all documents."""

import json
import re
from typing import Any

import jsonschema
import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.contexts.otep.document_strategies import ANY_JSON, broken_timelines, decent_timelines
from tests.contexts.otep.factories import PARCEL, make_event
from tests.contexts.otep.posted_documents import findings_of, posted_codes, posted_event, posted_timeline
from tests.contexts.otep.validation.finding_hints import FINDING_HINTS
from tests.support.every_case import for_every

from haulier.contexts.otep.timeline.contract import TrackingEvent
from haulier.contexts.otep.timeline.rules.merge import build_timeline, public_view
from haulier.contexts.otep.timeline.rules.parser import parse_timeline
from haulier.contexts.otep.validation.rules.validator import ValidationReport, validate_timeline
from haulier.contexts.otep.validation.rules.value_checks import FINDING_RULES, Finding, FindingSeverity
from haulier.contexts.otep.validation.serializers import timeline_schema
from haulier.contexts.otep.vocabulary.rules import PROFILES, STATUS_CODES, UNIVERSAL_PROFILE

SCHEMA = jsonschema.Draft202012Validator(timeline_schema("https://haulier.example/schema"))
ANYTHING = ANY_JSON | broken_timelines() | decent_timelines()
PATH = re.compile(r"\$(\.[A-Za-z_]\w*|\[\d+\]|\['[^'\n]*'\])*")


def all_of(report: ValidationReport) -> list[Finding]:
    return [*report.errors, *report.warnings, *report.shortfalls]


@given(document=ANYTHING)
def test_any_document_gets_a_response(document: Any) -> None:
    report = validate_timeline(document)
    assert report.level in (0, 1, 2)
    assert report.valid is (report.errors == ())
    assert report.level == 0 or report.valid
    assert report.level == 2 or report.shortfalls


@given(document=ANYTHING)
def test_every_finding_has_a_position_a_code_and_a_text(document: Any) -> None:
    for each in all_of(validate_timeline(document)):
        rule = FINDING_RULES[each.code]
        assert PATH.fullmatch(each.path), each.path
        assert each.severity is rule.severity
        assert set(rule.params) <= each.params.keys()
        assert not each.hint_code or set(FINDING_HINTS[each.hint_code]) <= each.params.keys()
        json.dumps(each.params).encode()


@given(document=broken_timelines() | decent_timelines())
def test_the_schema_accepts_everything_the_validator_accepts(document: Any) -> None:
    if validate_timeline(document).valid:
        SCHEMA.validate(document)


@given(document=decent_timelines())
def test_a_timeline_with_valid_values_has_only_sequence_errors(document: Any) -> None:
    SCHEMA.validate(document)
    assert {each.code for each in validate_timeline(document).errors} <= {"after_terminal"}


@given(document=decent_timelines())
def test_a_valid_timeline_can_be_parsed_and_stays_valid(document: Any) -> None:
    report = validate_timeline(document)
    if not report.valid:
        return
    told_again = msgspec.to_builtins(parse_timeline(document), builtin_types=())
    again = validate_timeline(json.loads(json.dumps(told_again)))
    assert again.errors == ()
    assert {each.code for each in again.warnings} <= {"step_back", "late_event", "experimental_code"}
    assert again.level == report.level
    assert parse_timeline(told_again) == parse_timeline(document)


@st.composite
def _our_events(draw: st.DrawFn, profile: str) -> list[TrackingEvent]:
    codes = st.sampled_from([row for row in STATUS_CODES if row.profile in (UNIVERSAL_PROFILE, profile)])
    drawn = draw(st.lists(st.tuples(codes, st.integers(0, 50)), min_size=1, max_size=8))
    return [
        make_event(row.code, minute, event_id=f"e{index}", phase=row.phase) for index, (row, minute) in enumerate(drawn)
    ]


@given(data=st.data(), profile=st.sampled_from(PROFILES), public=st.booleans())
def test_our_own_timelines_are_valid_at_level_1_except_for_backward_steps(
    data: st.DataObject, profile: str, public: bool
) -> None:
    whole = build_timeline(PARCEL, data.draw(_our_events(profile)), profile=profile)
    shown = public_view(whole) if public else whole
    document = json.loads(msgspec.json.encode(shown))
    report = validate_timeline(document)
    SCHEMA.validate(document)
    assert report.errors == ()
    assert {each.code for each in report.warnings} <= {"step_back", "late_event"}
    assert report.level == (0 if any(each.code == "step_back" for each in report.warnings) else 1)


@for_every(
    "document",
    [
        {},
        [],
        posted_timeline({}),
        posted_timeline(subject={}),
        posted_timeline(subject={"order_id": 0}),
        posted_timeline(posted_event(occurred_at="noon")),
        posted_timeline(posted_event(phase="nowhere")),
        posted_timeline(posted_event("delivered", phase="transit")),
        posted_timeline(posted_event("return_to_sender", phase="delivered")),
        posted_timeline(posted_event(location={"country": "ca"})),
        posted_timeline(posted_event(location={"lat": 91, "lng": 0})),
        posted_timeline(posted_event(description=None)),
        posted_timeline(posted_event(source={"type": "friend"})),
        posted_codes("deposited"),
        posted_codes("deposited", profile="food"),
        posted_codes("nonsense", profile="locker"),
        posted_timeline(voided=[{"event": posted_event()}]),
    ],
)
def test_the_schema_refuses_errors_visible_in_a_single_value(document: Any) -> None:
    assert not validate_timeline(document).valid
    assert not SCHEMA.is_valid(document)


@for_every("profile", PROFILES)
def test_the_schema_accepts_exactly_the_codes_of_a_profile(profile: str) -> None:
    for row in STATUS_CODES:
        document = posted_codes(row.code, profile=profile)
        assert (
            SCHEMA.is_valid(document)
            is (row.profile in (UNIVERSAL_PROFILE, profile))
            is (findings_of(validate_timeline(document)) == [])
        )
    assert SCHEMA.is_valid(posted_codes("x-odd", profile=profile))


def test_the_schema_is_valid_and_a_plain_document() -> None:
    schema = timeline_schema("https://haulier.example/schema")
    jsonschema.Draft202012Validator.check_schema(schema)
    assert json.loads(json.dumps(schema)) == schema
    assert schema["$id"] == "https://haulier.example/schema"


def test_errors_have_hints_and_notes_need_none() -> None:
    usual = {rule.hint for rule in FINDING_RULES.values()} - {None}
    assert usual <= FINDING_HINTS.keys()
    assert FINDING_HINTS.keys() - usual == {"did_you_mean", "other_profile", "reason_object"}
    assert not any(rule.hint for rule in FINDING_RULES.values() if rule.severity is FindingSeverity.NOTE)


def test_of_two_events_with_one_id_and_instant_validator_and_parser_keep_the_same() -> None:
    at, source = "2026-06-10T12:00:00Z", {"type": "self_delivery"}
    events = [
        {"event_id": "0", "occurred_at": at, "status_code": code, "phase": "transit", "source": source}
        for code in ("x-drone", "in_transit")
    ]
    for order in (events, events[::-1]):
        document = {"subject": {"tracking_number": "HL7XK2M9QA"}, "events": order, "profile": "parcel"}
        kept = msgspec.to_builtins(parse_timeline(document), builtin_types=())
        assert validate_timeline(json.loads(json.dumps(kept))).level == validate_timeline(document).level
