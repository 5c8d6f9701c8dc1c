"""Makers of posted timelines, as JSON documents."""

from typing import Any

from haulier.contexts.otep.validation.rules.validator import ValidationReport, validate_timeline
from haulier.contexts.otep.validation.rules.value_checks import Finding

LEFT_OUT: Any = object()
"""A field given this value is not in the document."""


def _with(known: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**known, **fields}.items() if value is not LEFT_OUT}


def posted_event(code: str = "in_transit", hour: float = 0, **fields: Any) -> dict[str, Any]:
    """Return a minimal event a number of hours after noon."""
    minutes = round(hour * 60)
    at = f"2026-06-{10 + minutes // 720:02d}T{12 + minutes // 60 % 12:02d}:{minutes % 60:02d}:00Z"
    return _with({"occurred_at": at, "status_code": code, "source": {"type": "carrier"}}, fields)


def posted_timeline(*events: Any, **fields: Any) -> dict[str, Any]:
    """A timeline of these events; one event in transit when none is given."""
    return _with({"subject": {"tracking_number": "HL7XK2M9QA"}, "events": list(events) or [posted_event()]}, fields)


def posted_codes(*codes: str, **fields: Any) -> dict[str, Any]:
    """A timeline of these codes, an hour apart."""
    return posted_timeline(*(posted_event(code, hour) for hour, code in enumerate(codes)), **fields)


def findings_of(report: ValidationReport) -> list[tuple[str, str]]:
    """Everything that was found but notes: path and code."""
    return [(each.path, each.code) for each in (*report.errors, *report.warnings)]


def only_finding(document: Any) -> Finding:
    """The one thing that is wrong with a document."""
    report = validate_timeline(document)
    (finding,) = (*report.errors, *report.warnings)
    return finding


def shortfalls_of(document: Any, **words: Any) -> list[str]:
    """Return what keeps a document from a higher level."""
    return [each.code for each in validate_timeline(document, **words).shortfalls]
