"""Validation of whole timelines: codes, order, end, summary and level."""

from typing import Any

import pytest
from tests.contexts.otep.posted_documents import (
    findings_of,
    only_finding,
    posted_codes,
    posted_event,
    posted_timeline,
    shortfalls_of,
)
from tests.support.every_case import for_every

from haulier.contexts.otep.validation.rules.validator import validate_timeline
from haulier.contexts.otep.validation.rules.value_checks import FindingSeverity
from haulier.contexts.otep.vocabulary.rules import CODE_ALIASES, PROFILES, STATUS_CODES, UNIVERSAL_PROFILE

A_DAY = ("label_created", "picked_up", "received", "in_transit", "out_for_delivery", "delivered")


def test_a_complete_error_free_day_is_valid() -> None:
    report = validate_timeline(posted_codes(*A_DAY))
    assert (report.valid, report.errors, report.warnings) == (True, (), ())


@for_every("row", STATUS_CODES)
def test_a_code_belongs_to_its_profile_and_universal_codes_to_all(row: Any) -> None:
    for profile in PROFILES:
        codes = [code for _, code in findings_of(validate_timeline(posted_codes(row.code, profile=profile)))]
        assert codes == ([] if row.profile in (UNIVERSAL_PROFILE, profile) else ["unknown_code"])


@for_every(
    ("code", "hint", "params"),
    [
        ("deposited", "other_profile", {"other": "locker"}),
        ("delivred", "did_you_mean", {"suggestion": "delivered"}),
        ("Out_For_Delivery", "did_you_mean", {"suggestion": "out_for_delivery"}),
        ("qqqq", "experimental", {}),
        ("x-", "experimental", {}),
    ],
)
def test_an_unknown_code_gets_the_best_available_suggestion(code: str, hint: str, params: dict[str, str]) -> None:
    finding = only_finding(posted_codes(code))
    assert (finding.path, finding.code, finding.hint_code) == ("$.events[0].status_code", "unknown_code", hint)
    assert finding.params == {"value": code, "profile": "parcel", **params}


@pytest.mark.parametrize(("alias", "code"), CODE_ALIASES.items())
def test_an_alias_is_accepted_with_a_warning(alias: str, code: str) -> None:
    finding = only_finding(posted_codes(alias))
    assert (finding.code, finding.severity) == ("alias_used", FindingSeverity.WARNING)
    assert finding.params == {"value": alias, "code": code}


def test_an_experimental_code_is_accepted_with_a_warning() -> None:
    finding = only_finding(posted_codes("in_transit", "x-drone"))
    assert (finding.path, finding.code, finding.severity) == (
        "$.events[1].status_code",
        "experimental_code",
        FindingSeverity.WARNING,
    )


def test_a_phase_that_contradicts_the_code_is_an_error() -> None:
    finding = only_finding(posted_timeline(posted_event("delivered", phase="transit")))
    assert (finding.path, finding.code, finding.params["expected"]) == (
        "$.events[0].phase",
        "phase_mismatch",
        "delivered",
    )


def test_an_experimental_code_can_have_any_phase() -> None:
    assert [
        code for _, code in findings_of(validate_timeline(posted_timeline(posted_event("x-odd", phase="pickup"))))
    ] == ["experimental_code"]


def test_an_unknown_profile_is_an_error_and_its_codes_are_checked_as_universal() -> None:
    report = validate_timeline(posted_codes("in_transit", profile="drones"))
    assert findings_of(report) == [("$.profile", "unknown_profile")]
    assert "parcel, locker" in report.errors[0].params["allowed"]


def test_proof_is_allowed_only_for_handover_events() -> None:
    proof = {"recipient": "Ms Roy"}
    assert findings_of(validate_timeline(posted_timeline(posted_event("delivered", pod=proof)))) == []
    assert only_finding(posted_timeline(posted_event("sorted", pod=proof))).code == "unexpected_proof"


def test_events_out_of_order_give_a_warning() -> None:
    finding = only_finding(posted_timeline(posted_event("in_transit", 2), posted_event("picked_up", 1)))
    assert (finding.path, finding.code) == ("$.events[1].occurred_at", "out_of_order")


def test_an_event_recorded_before_it_occurred_indicates_a_clock_error() -> None:
    finding = only_finding(posted_timeline(posted_event(recorded_at="2026-06-10T11:59:59Z")))
    assert (finding.path, finding.code, finding.hint_code) == (
        "$.events[0].recorded_at",
        "recorded_before_occurred",
        "clock",
    )


@for_every(
    ("first", "second"),
    [
        (posted_event(), posted_event()),
        (posted_event(event_id="a"), posted_event("sorted", 1, event_id="a")),
        (
            posted_event(source={"type": "carrier", "name": "Swift", "reference": "r"}),
            posted_event("out_for_delivery", 1, source={"type": "carrier", "name": "Swift", "reference": "r"}),
        ),
        (posted_event("delivered"), posted_event("delivered", occurred_at="2026-06-10T14:00:00+02:00")),
    ],
)
def test_a_duplicate_is_found_by_id_reference_or_content(first: Any, second: Any) -> None:
    finding = only_finding(posted_timeline(first, second))
    assert (finding.path, finding.code, finding.params) == ("$.events[1]", "duplicate_event", {"first": "$.events[0]"})


def test_the_same_text_from_two_sources_is_two_events() -> None:
    other = posted_event(source={"type": "carrier", "name": "Other"})
    assert findings_of(validate_timeline(posted_timeline(posted_event(), other))) == []


def test_no_event_can_occur_after_the_end() -> None:
    finding = only_finding(posted_codes("delivered", "in_transit"))
    assert (finding.path, finding.code, finding.severity) == ("$.events[1]", "after_terminal", FindingSeverity.ERROR)
    assert finding.params == {"code": "in_transit", "terminal": "delivered"}


def test_an_event_marked_late_can_follow_the_end() -> None:
    late = posted_timeline(posted_event("delivered"), posted_event("in_transit", 1, late=True))
    assert (only_finding(late).code, only_finding(late).severity) == ("late_event", FindingSeverity.WARNING)


def test_an_event_that_is_not_late_must_not_be_marked_late() -> None:
    finding = only_finding(posted_timeline(posted_event(late=True)))
    assert (finding.path, finding.code) == ("$.events[0].late", "not_late")


def test_order_is_by_time_regardless_of_list_position() -> None:
    assert ("$.events[0]", "after_terminal") in findings_of(
        validate_timeline(posted_timeline(posted_event("in_transit", 2), posted_event("delivered", 1)))
    )


def test_simultaneous_events_are_ordered_by_phase() -> None:
    assert findings_of(validate_timeline(posted_timeline(posted_event("delivered"), posted_event("picked_up")))) == []


@for_every(
    ("codes", "step_back"),
    [
        (("in_transit", "received"), True),
        (("in_transit", "delayed", "received"), False),
        (("in_transit", "out_for_pickup", "picked_up"), False),
        (("out_for_delivery", "x-odd"), True),
    ],
)
def test_a_backward_step_without_a_reason_gives_a_warning(codes: tuple[str, ...], step_back: bool) -> None:
    warnings = [each for each in validate_timeline(posted_codes(*codes)).warnings if each.code == "step_back"]
    assert bool(warnings) is step_back
    if step_back:
        assert (warnings[0].path, warnings[0].params["before"]) == ("$.events[1].status_code", codes[0])


SUMMARY = {"current_status": "delivered", "current_phase": "delivered", "delivered": True, "terminal": True}


@for_every(
    ("field", "wrong", "right"),
    [
        ("current_status", "in_transit", "delivered"),
        ("current_phase", "transit", "delivered"),
        ("delivered", False, "true"),
        ("terminal", False, "true"),
    ],
)
def test_a_summary_must_match_the_events(field: str, wrong: Any, right: str) -> None:
    assert findings_of(validate_timeline(posted_codes(*A_DAY, **SUMMARY))) == []
    finding = only_finding(posted_codes(*A_DAY, **{**SUMMARY, field: wrong}))
    assert (finding.path, finding.code, finding.params["expected"]) == (f"$.{field}", "summary_mismatch", right)


def test_the_end_determines_the_summary_even_with_late_events() -> None:
    late = posted_timeline(
        posted_event("returned"), posted_event("in_transit", 1, late=True), current_status="return_to_sender"
    )
    assert [code for _, code in findings_of(validate_timeline(late))] == ["late_event"]


def test_a_summary_is_not_checked_against_unreadable_events() -> None:
    unreadable = posted_timeline(posted_event("in_transit"), posted_event("delivered", occurred_at="later"), **SUMMARY)
    assert findings_of(validate_timeline(unreadable)) == [("$.events[1].occurred_at", "invalid_time")]


@for_every(
    ("document", "expected"),
    [
        (posted_timeline(events=[]), ["no_events"]),
        (posted_codes("x-odd"), ["no_registered_code"]),
        (posted_codes("in_transit", "received"), ["invalid_transitions"]),
        (posted_codes("nonsense"), ["has_errors"]),
        ({}, ["has_errors"]),
    ],
)
def test_obstacles_to_level_1_are_reported(document: Any, expected: list[str]) -> None:
    assert (validate_timeline(document).level, shortfalls_of(document)) == (0, expected)


def test_level_2_requires_profile_codes_and_a_projection() -> None:
    assert (validate_timeline(posted_codes(*A_DAY)).level, shortfalls_of(posted_codes(*A_DAY))) == (
        1,
        ["no_projection"],
    )
    assert shortfalls_of(posted_codes(*A_DAY), projections=["otep"]) == ["no_projection"]
    assert validate_timeline(posted_codes(*A_DAY), projections=["epcis"]).level == 2
    plain = posted_codes("in_transit", profile="locker")
    assert shortfalls_of(plain, projections=["epcis"]) == ["no_profile_code"]
    assert validate_timeline(posted_codes("deposited", profile="locker"), projections=["epcis"]).level == 2
