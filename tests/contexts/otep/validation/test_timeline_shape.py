"""Validation of timeline values, with the path of every error."""

from typing import Any

import pytest
from tests.contexts.otep.posted_documents import findings_of, only_finding, posted_event, posted_timeline
from tests.support.every_case import for_every

from haulier.contexts.otep.validation.rules.record_checks import MEMBERS_MAX
from haulier.contexts.otep.validation.rules.validator import TIMELINE_EVENTS_MAX, validate_timeline
from haulier.contexts.otep.validation.rules.value_checks import FindingSeverity

EVENT = "$.events[0]"


@for_every("document", [None, True, 3, 1.5, "text", [], [{}]])
def test_a_timeline_must_be_an_object(document: Any) -> None:
    finding = only_finding(document)
    assert (finding.path, finding.code, finding.params) == ("$", "wrong_type", {"expected": "object"})


def test_all_missing_required_fields_are_reported_together() -> None:
    assert findings_of(validate_timeline({})) == [("$.events", "missing"), ("$.subject", "missing")]
    assert findings_of(validate_timeline(posted_timeline({}))) == [
        (f"{EVENT}.occurred_at", "missing"),
        (f"{EVENT}.status_code", "missing"),
    ]


@for_every(
    ("fields", "path", "expected"),
    [
        ({"subject": []}, "$.subject", "object"),
        ({"events": {}}, "$.events", "array"),
        ({"events": ["x"]}, "$.events[0]", "object"),
        ({"profile": 7}, "$.profile", "string"),
        ({"delivered": "no"}, "$.delivered", "boolean"),
        ({"terminal": 0}, "$.terminal", "boolean"),
        ({"otep_version": 1}, "$.otep_version", "string"),
        ({"subject": {"order_id": "12"}}, "$.subject.order_id", "integer"),
        ({"subject": {"order_id": True}}, "$.subject.order_id", "integer"),
        ({"subject": {"gs1_sscc": 106141411234567897}}, "$.subject.gs1_sscc", "string"),
    ],
)
def test_a_field_of_the_wrong_type_reports_the_expected_type(fields: dict[str, Any], path: str, expected: str) -> None:
    finding = only_finding(posted_timeline(**fields))
    assert (finding.path, finding.code, finding.params["expected"]) == (path, "wrong_type", expected)


@for_every(
    ("fields", "path", "code"),
    [
        ({"location": {"country": 1}}, "location.country", "wrong_type"),
        ({"location": {"lat": "43", "lng": 1}}, "location.lat", "wrong_type"),
        ({"location": {"gln": 4012345000009}}, "location.gln", "wrong_type"),
        ({"location": {"unlocode": 1}}, "location.unlocode", "wrong_type"),
        ({"extensions": []}, "extensions", "wrong_type"),
        ({"occurred_at": 1718000000}, "occurred_at", "wrong_type"),
        ({"late": "yes"}, "late", "wrong_type"),
        ({"status_code": 4}, "status_code", "wrong_type"),
        ({"description": None}, "description", "null_value"),
        ({"location": {"city": None}}, "location.city", "null_value"),
        ({"source": {"type": "carrier", "name": "  "}}, "source.name", "empty"),
        ({"status_code": ""}, "status_code", "empty"),
        ({"raw_status": "x" * 201}, "raw_status", "too_long"),
        ({"raw_status": "a\x00b"}, "raw_status", "unstorable_text"),
        ({"raw_status": "a\ud800"}, "raw_status", "unstorable_text"),
        ({"location": {"lat": 90.5, "lng": 0}}, "location.lat", "out_of_range"),
        ({"location": {"lat": 0, "lng": float("nan")}}, "location.lng", "out_of_range"),
        ({"occurred_at": "yesterday"}, "occurred_at", "invalid_time"),
        ({"occurred_at": "2026-06-31T12:00:00Z"}, "occurred_at", "invalid_time"),
        ({"occurred_at": "2026-06-10T12:00:00"}, "occurred_at", "time_without_offset"),
        ({"occurred_at": "1969-12-31T23:59:59Z"}, "occurred_at", "time_out_of_range"),
        ({"recorded_at": "2200-01-01T00:00:00Z"}, "recorded_at", "time_out_of_range"),
        ({"phase": "teleport"}, "phase", "unknown_phase"),
        ({"source": {"type": "friend"}}, "source.type", "unknown_source_type"),
        ({"incident_reason": "damaged"}, "incident_reason", "wrong_type"),
        ({"incident_reason": {"code": "dog"}}, "incident_reason.code", "unknown_reason"),
        ({"location": {"country": "ca"}}, "location.country", "unknown_country"),
        ({"location": {"country": "XX"}}, "location.country", "unknown_country"),
        ({"location": {"unlocode": "CA TOR"}}, "location.unlocode", "invalid_unlocode"),
        ({"location": {"gln": "401234500000"}}, "location.gln", "invalid_gln"),
        ({"location": {"gln": "4012345000008"}}, "location.gln", "wrong_check_digit"),
        ({"otep_version": "0.1"}, "otep_version", "invalid_version"),
        ({"otep_version": "1.0.0"}, "otep_version", "unsupported_version"),
        ({"otep_version": "0.2.0"}, "otep_version", "newer_version"),
        ({"mood": "good"}, "mood", "unknown_field"),
        ({"location": {"planet": "Earth"}}, "location.planet", "unknown_field"),
        ({"location": {"lat": 43}}, "location", "half_position"),
    ],
)
def test_an_error_in_an_event_names_its_field(fields: dict[str, Any], path: str, code: str) -> None:
    finding = only_finding(posted_timeline(posted_event(**fields)))
    assert (finding.path, finding.code) == (f"{EVENT}.{path}", code)


@pytest.mark.parametrize(
    ("pod", "path", "code"),
    [
        ({"signature_url": "ftp://x/y"}, "signature_url", "invalid_url"),
        ({"photo_urls": ["https://x/1.jpg", "nowhere"]}, "photo_urls[1]", "invalid_url"),
        ({"photo_urls": ["https://x/1.jpg"] * 21}, "photo_urls", "too_many"),
    ],
)
def test_proof_references_must_be_web_addresses(pod: dict[str, Any], path: str, code: str) -> None:
    finding = only_finding(posted_timeline(posted_event("delivered", pod=pod)))
    assert (finding.path, finding.code) == (f"{EVENT}.pod.{path}", code)


@for_every(
    ("subject", "path", "code"),
    [
        ({}, "$.subject", "no_identifier"),
        ({"tracking_number": None}, "$.subject", "no_identifier"),
        ({"order_id": 0}, "$.subject.order_id", "out_of_range"),
        ({"order_id": 10**400}, "$.subject.order_id", "out_of_range"),
        ({"gs1_sscc": "10614141123456789"}, "$.subject.gs1_sscc", "invalid_sscc"),
        ({"gs1_sscc": "١٠٦١٤١٤١١٢٣٤٥٦٧٨٩٧"}, "$.subject.gs1_sscc", "invalid_sscc"),
        ({"gs1_sscc": "106141411234567896"}, "$.subject.gs1_sscc", "wrong_check_digit"),
    ],
)
def test_a_subject_needs_a_plausible_identifier(subject: dict[str, Any], path: str, code: str) -> None:
    assert (path, code) in findings_of(validate_timeline(posted_timeline(subject=subject)))


@for_every(
    "subject",
    [
        {"order_id": 2**53 - 1},
        {"piece_id": "urn:piece:1"},
        {"gs1_sscc": "106141411234567897"},
        {"gs1_sscc": "00106141411234567897"},
    ],
)
def test_any_one_identifier_is_sufficient(subject: dict[str, Any]) -> None:
    assert findings_of(validate_timeline(posted_timeline(subject=subject))) == []


def test_a_wrong_check_digit_is_reported_with_the_correct_one() -> None:
    assert only_finding(posted_timeline(subject={"gs1_sscc": "106141411234567896"})).params == {"expected": "7"}


@for_every(
    "at",
    [
        "2026-06-10T12:00:00Z",
        "2026-06-10t12:00:00z",
        "2026-06-10 12:00:00.123456+02:00",
        "2026-06-10T12:00:00-0400",
        "1970-01-01T00:00:00Z",
        "2199-12-31T23:59:59+00:00",
    ],
)
def test_every_timestamp_notation_is_accepted(at: str) -> None:
    assert findings_of(validate_timeline(posted_timeline(posted_event(occurred_at=at)))) == []


@pytest.mark.parametrize(
    "extensions",
    [
        {"a": {"b": ["x\x00"]}},
        {"a\x00": 1},
        {"a": ["\udfff"]},
    ],
)
def test_unstorable_text_is_refused_at_any_depth(extensions: dict[str, Any]) -> None:
    finding = only_finding(posted_timeline(posted_event(extensions=extensions)))
    assert (finding.path, finding.code) == (f"{EVENT}.extensions", "unstorable_text")


@for_every("number", [2**53, -(2**53), float("inf"), float("nan")])
def test_numbers_that_json_parsers_would_change_are_refused(number: float) -> None:
    finding = only_finding(posted_timeline(posted_event(extensions={"deep": [{"n": number}]})))
    assert (finding.path, finding.code) == (f"{EVENT}.extensions", "out_of_range")


def test_extensions_can_contain_anything_else() -> None:
    extensions = {"a": [1, 2.5, None, True, {"é": "ü"}], "": {}}
    assert findings_of(validate_timeline(posted_timeline(posted_event(extensions=extensions)))) == []


def test_validation_stops_at_the_maximum_number_of_events() -> None:
    broken = [{"occurred_at": 1}] * (TIMELINE_EVENTS_MAX + 5)
    report = validate_timeline(posted_timeline(events=broken))
    assert report.errors[0].code == "too_many"
    assert {f"$.events[{TIMELINE_EVENTS_MAX - 1}].status_code"} <= {each.path for each in report.errors}
    assert not any(each.path.startswith(f"$.events[{TIMELINE_EVENTS_MAX}]") for each in report.errors)


def test_a_record_with_too_many_members_is_refused_without_scanning_it() -> None:
    crowd = {f"k{n}": n for n in range(MEMBERS_MAX + 100)}
    report = validate_timeline(posted_timeline(posted_event(**crowd)))
    assert [(each.path, each.code) for each in report.errors] == [(EVENT, "too_many")]
    assert len(report.warnings) <= MEMBERS_MAX


def test_an_unusual_name_is_displayed_safely() -> None:
    finding = only_finding(posted_timeline(**{"it's\n\ud800" + "x" * 100: 1}))
    assert finding.path == "$['it\\u0027s\\u000a\\ud800" + "x" * 54 + "…']"
    assert finding.severity is FindingSeverity.WARNING
    finding.path.encode()


CORRECTION = {"event_id": "a", "declared_at": "2026-06-11T12:00:00Z"}


@for_every(
    ("entry", "path", "code"),
    [
        ({"event": posted_event(event_id="a")}, "correction", "missing"),
        ({"event": posted_event(event_id="a"), "correction": {"event_id": "a"}}, "correction.declared_at", "missing"),
        (
            {"event": posted_event(event_id="a"), "correction": {**CORRECTION, "reason": "whim"}},
            "correction.reason",
            "unknown_correction_reason",
        ),
        ({"event": posted_event("deposited"), "correction": CORRECTION}, "event.status_code", "unknown_code"),
        ({"event": posted_event(location={"lat": 1}), "correction": CORRECTION}, "event.location", "half_position"),
    ],
)
def test_withdrawn_events_are_validated_like_the_rest(entry: dict[str, Any], path: str, code: str) -> None:
    finding = only_finding(posted_timeline(voided=[entry]))
    assert (finding.path, finding.code) == (f"$.voided[0].{path}", code)
