"""Makers of posted timelines, as JSON documents."""

from typing import Any

from haulier.contexts.tracking.otep.rules.findings import Finding
from haulier.contexts.tracking.otep.rules.validate import Report, validate

LEFT_OUT: Any = object()
"""A field given this value is not in the document."""


def _with(known: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**known, **fields}.items() if value is not LEFT_OUT}


def told(code: str = "in_transit", hour: float = 0, **fields: Any) -> dict[str, Any]:
    """An event so many hours after noon, with no more than is required."""
    minutes = round(hour * 60)
    at = f"2026-06-{10 + minutes // 720:02d}T{12 + minutes // 60 % 12:02d}:{minutes % 60:02d}:00Z"
    return _with({"occurred_at": at, "status_code": code, "source": {"type": "carrier"}}, fields)


def posted(*events: Any, **fields: Any) -> dict[str, Any]:
    """A timeline of these events; one event in transit when none is given."""
    return _with({"subject": {"tracking_number": "HL7XK2M9QA"}, "events": list(events) or [told()]}, fields)


def journey(*codes: str, **fields: Any) -> dict[str, Any]:
    """A timeline of these codes, an hour apart."""
    return posted(*(told(code, hour) for hour, code in enumerate(codes)), **fields)


def found(report: Report) -> list[tuple[str, str]]:
    """Everything that was found but notes: path and code."""
    return [(each.path, each.code) for each in (*report.errors, *report.warnings)]


def only(document: Any) -> Finding:
    """The one thing that is wrong with a document."""
    report = validate(document)
    (finding,) = (*report.errors, *report.warnings)
    return finding


def notes(document: Any, **words: Any) -> list[str]:
    """What keeps a document from a higher level."""
    return [each.code for each in validate(document, **words).shortfalls]
