"""The validator on a timeline as a whole: its codes, its order, its end, its summary, and the level that it reaches."""

from typing import Any

import pytest
from tests.contexts.tracking.otep.documents import found, journey, notes, only, posted, told

from haulier.contexts.tracking.otep.rules.findings import Severity
from haulier.contexts.tracking.otep.rules.validate import validate
from haulier.contexts.tracking.otep.vocabulary import ALIASES, PROFILES, TABLE, UNIVERSAL

A_DAY = ("label_created", "picked_up", "received", "in_transit", "out_for_delivery", "delivered")


def test_a_whole_day_without_a_fault_is_valid() -> None:
    report = validate(journey(*A_DAY))
    assert (report.valid, report.errors, report.warnings) == (True, (), ())


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.code)
def test_a_code_belongs_to_its_profile_and_universal_ones_to_all(row: Any) -> None:
    for profile in PROFILES:
        codes = [code for _, code in found(validate(journey(row.code, profile=profile)))]
        assert codes == ([] if row.profile in (UNIVERSAL, profile) else ["unknown_code"])


@pytest.mark.parametrize(
    ("code", "hint", "params"),
    [
        ("deposited", "other_profile", {"other": "locker"}),
        ("delivred", "did_you_mean", {"suggestion": "delivered"}),
        ("Out_For_Delivery", "did_you_mean", {"suggestion": "out_for_delivery"}),
        ("qqqq", "experimental", {}),
        ("x-", "experimental", {}),
    ],
)
def test_an_unknown_code_comes_with_the_best_help_there_is(code: str, hint: str, params: dict[str, str]) -> None:
    finding = only(journey(code))
    assert (finding.path, finding.code, finding.hint_code) == ("$.events[0].status_code", "unknown_code", hint)
    assert finding.params == {"value": code, "profile": "parcel", **params}


@pytest.mark.parametrize(("alias", "code"), ALIASES.items())
def test_an_alias_is_taken_for_its_code_with_a_warning(alias: str, code: str) -> None:
    finding = only(journey(alias))
    assert (finding.code, finding.severity) == ("alias_used", Severity.WARNING)
    assert finding.params == {"value": alias, "code": code}


def test_an_experimental_code_is_kept_with_a_warning() -> None:
    finding = only(journey("in_transit", "x-drone"))
    assert (finding.path, finding.code, finding.severity) == (
        "$.events[1].status_code",
        "experimental_code",
        Severity.WARNING,
    )


def test_a_phase_that_is_not_the_codes_is_an_error() -> None:
    finding = only(posted(told("delivered", phase="transit")))
    assert (finding.path, finding.code, finding.params["expected"]) == (
        "$.events[0].phase",
        "phase_mismatch",
        "delivered",
    )


def test_an_experimental_code_may_be_told_in_any_phase() -> None:
    assert [code for _, code in found(validate(posted(told("x-odd", phase="pickup"))))] == ["experimental_code"]


def test_a_profile_that_nobody_knows_is_an_error_and_its_codes_are_looked_at_as_universal_ones() -> None:
    report = validate(journey("in_transit", profile="drones"))
    assert found(report) == [("$.profile", "unknown_profile")]
    assert "parcel, locker" in report.errors[0].params["allowed"]


def test_a_proof_belongs_only_where_something_is_handed_over() -> None:
    proof = {"recipient": "Ms Roy"}
    assert found(validate(posted(told("delivered", pod=proof)))) == []
    assert only(posted(told("sorted", pod=proof))).code == "unexpected_proof"


def test_events_may_be_posted_out_of_order_with_a_warning() -> None:
    finding = only(posted(told("in_transit", 2), told("picked_up", 1)))
    assert (finding.path, finding.code) == ("$.events[1].occurred_at", "out_of_order")


def test_an_event_recorded_before_it_occurred_hints_at_a_clock() -> None:
    finding = only(posted(told(recorded_at="2026-06-10T11:59:59Z")))
    assert (finding.path, finding.code, finding.hint_code) == (
        "$.events[0].recorded_at",
        "recorded_before_occurred",
        "clock",
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (told(), told()),
        (told(event_id="a"), told("sorted", 1, event_id="a")),
        (
            told(source={"type": "carrier", "name": "Swift", "reference": "r"}),
            told("out_for_delivery", 1, source={"type": "carrier", "name": "Swift", "reference": "r"}),
        ),
        (told("delivered"), told("delivered", occurred_at="2026-06-10T14:00:00+02:00")),
    ],
)
def test_a_copy_is_found_by_id_by_reference_or_by_what_it_says(first: Any, second: Any) -> None:
    finding = only(posted(first, second))
    assert (finding.path, finding.code, finding.params) == ("$.events[1]", "duplicate_event", {"first": "$.events[0]"})


def test_the_same_words_from_two_sources_are_two_events() -> None:
    other = told(source={"type": "carrier", "name": "Other"})
    assert found(validate(posted(told(), other))) == []


def test_nothing_occurs_after_the_end() -> None:
    finding = only(journey("delivered", "in_transit"))
    assert (finding.path, finding.code, finding.severity) == ("$.events[1]", "after_terminal", Severity.ERROR)
    assert finding.params == {"code": "in_transit", "terminal": "delivered"}


def test_what_says_that_it_is_late_may_come_after_the_end() -> None:
    late = posted(told("delivered"), told("in_transit", 1, late=True))
    assert (only(late).code, only(late).severity) == ("late_event", Severity.WARNING)


def test_what_is_not_late_should_not_say_so() -> None:
    finding = only(posted(told(late=True)))
    assert (finding.path, finding.code) == ("$.events[0].late", "not_late")


def test_the_order_is_that_of_time_whatever_the_order_of_the_list() -> None:
    assert ("$.events[0]", "after_terminal") in found(validate(posted(told("in_transit", 2), told("delivered", 1))))


def test_of_events_at_one_time_the_earlier_phase_comes_first() -> None:
    assert found(validate(posted(told("delivered"), told("picked_up")))) == []


@pytest.mark.parametrize(
    ("codes", "step_back"),
    [
        (("in_transit", "received"), True),
        (("in_transit", "delayed", "received"), False),
        (("in_transit", "out_for_pickup", "picked_up"), False),
        (("out_for_delivery", "x-odd"), True),
    ],
)
def test_a_step_back_without_a_reason_is_warned_of(codes: tuple[str, ...], step_back: bool) -> None:
    warnings = [each for each in validate(journey(*codes)).warnings if each.code == "step_back"]
    assert bool(warnings) is step_back
    if step_back:
        assert (warnings[0].path, warnings[0].params["before"]) == ("$.events[1].status_code", codes[0])


SUMMARY = {"current_status": "delivered", "current_phase": "delivered", "delivered": True, "terminal": True}


@pytest.mark.parametrize(
    ("field", "wrong", "right"),
    [
        ("current_status", "in_transit", "delivered"),
        ("current_phase", "transit", "delivered"),
        ("delivered", False, "true"),
        ("terminal", False, "true"),
    ],
)
def test_a_summary_follows_from_the_events(field: str, wrong: Any, right: str) -> None:
    assert found(validate(journey(*A_DAY, **SUMMARY))) == []
    finding = only(journey(*A_DAY, **{**SUMMARY, field: wrong}))
    assert (finding.path, finding.code, finding.params["expected"]) == (f"$.{field}", "summary_mismatch", right)


def test_the_end_decides_the_summary_also_when_something_late_follows() -> None:
    late = posted(told("returned"), told("in_transit", 1, late=True), current_status="return_to_sender")
    assert [code for _, code in found(validate(late))] == ["late_event"]


def test_a_summary_is_not_judged_by_events_that_cannot_be_read() -> None:
    unreadable = posted(told("in_transit"), told("delivered", occurred_at="later"), **SUMMARY)
    assert found(validate(unreadable)) == [("$.events[1].occurred_at", "invalid_time")]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (posted(events=[]), ["no_events"]),
        (journey("x-odd"), ["no_registered_code"]),
        (journey("in_transit", "received"), ["invalid_transitions"]),
        (journey("nonsense"), ["has_errors"]),
        ({}, ["has_errors"]),
    ],
)
def test_what_keeps_a_timeline_from_level_1_is_told(document: Any, expected: list[str]) -> None:
    assert (validate(document).level, notes(document)) == (0, expected)


def test_level_2_needs_codes_of_the_profile_and_a_projection() -> None:
    assert (validate(journey(*A_DAY)).level, notes(journey(*A_DAY))) == (1, ["no_projection"])
    assert notes(journey(*A_DAY), projections=["otep"]) == ["no_projection"]
    assert validate(journey(*A_DAY), projections=["epcis"]).level == 2
    plain = journey("in_transit", profile="locker")
    assert notes(plain, projections=["epcis"]) == ["no_profile_code"]
    assert validate(journey("deposited", profile="locker"), projections=["epcis"]).level == 2
