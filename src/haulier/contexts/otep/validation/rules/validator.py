"""The conformance validator: everything that is wrong with a posted timeline at once, and the level that it reaches.

Level 1: universal codes, phases and valid transitions. Level 2: also codes of the timeline's own profile (those of `parcel`
are the universal ones) and at least one projection to an external standard, which only the sender can tell.
"""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.otep.timeline.rules.parser import parse_timeline
from haulier.contexts.otep.timeline.rules.posted_forms import is_single_event, plain_timeline, timeline_of_event
from haulier.contexts.otep.validation.rules import sequence_checks
from haulier.contexts.otep.validation.rules.findings import Finding, FindingSeverity, make_finding
from haulier.contexts.otep.validation.rules.timeline_shape import TIMELINE_CHECK, TIMELINE_EVENTS_MAX
from haulier.contexts.otep.vocabulary.rules import PROFILES, UNIVERSAL_PROFILE, resolve_status

__all__ = ["ValidationReport", "parse_timeline", "validate_timeline"]


class ValidationReport(Struct, frozen=True, kw_only=True):
    """What the validator found. `level` is 0, 1 or 2; `shortfalls` are notes that say why it is not higher."""

    level: int
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    shortfalls: tuple[Finding, ...]

    @property
    def valid(self) -> bool:
        """Whether the timeline is accepted."""
        return not self.errors


def validate_timeline(
    document: Any, *, projections: Collection[str] = (), now: datetime | None = None
) -> ValidationReport:
    """Every error and warning of any parsed JSON document: of its shape, then of its codes, then of its order.

    The document is a timeline, or one event with its `subject`. `projections` names the formats of external standards that the
    sender also serves; with `now` times that lie too far ahead of it are errors. Never raises.
    """
    if is_single_event(document):
        report = _validate_plain(plain_timeline(timeline_of_event(document)), projections, now)
        return ValidationReport(
            level=report.level,
            errors=tuple(map(_finding_of_single_event, report.errors)),
            warnings=tuple(map(_finding_of_single_event, report.warnings)),
            shortfalls=tuple(map(_finding_of_single_event, report.shortfalls)),
        )
    return _validate_plain(plain_timeline(document) if isinstance(document, dict) else document, projections, now)


def _finding_of_single_event(finding: Finding) -> Finding:
    return replace(finding, path="$" + finding.path.removeprefix("$").removeprefix(".events[0]"))


def _validate_plain(document: Any, projections: Collection[str], now: datetime | None) -> ValidationReport:
    members = document if isinstance(document, dict) else {}
    profile, events = _profile(members), _listed_items(members, "events")
    readable = sequence_checks.readable_events(events, profile, members.get("subject"))
    journeys = [sequence_checks.read_journey(group) for group in sequence_checks.group_by_subject(readable)]
    unique = [event for journey in journeys for event in journey.events]
    findings = [
        *TIMELINE_CHECK(document, "$"),
        *_check_subject(document, events),
        *_check_parts(members, profile),
        *sequence_checks.check_clocks(readable, now),
        *(finding for journey in journeys for finding in (*journey.copies, *sequence_checks.check_journey(journey))),
    ]
    if len(journeys) <= 1 and len(readable) == len(events):
        findings += sequence_checks.check_summary(members, journeys[0] if journeys else None, profile)
    shortfalls = tuple(_level_1_shortfalls(findings, unique, profile))
    level = 0
    if not shortfalls:
        shortfalls = tuple(_level_2_shortfalls(unique, profile, projections))
        level = 1 if shortfalls else 2
    return ValidationReport(
        level=level,
        errors=tuple(finding for finding in findings if finding.severity is FindingSeverity.ERROR),
        warnings=tuple(finding for finding in findings if finding.severity is FindingSeverity.WARNING),
        shortfalls=shortfalls,
    )


def _check_subject(document: Any, events: list[Any]) -> Iterator[Finding]:
    """A timeline has a subject, unless each of its events has one."""
    if isinstance(document, dict) and "subject" not in document:
        stated = [isinstance(event, dict) and "subject" in event for event in events]
        if not stated or not all(stated):
            yield make_finding("$.subject", "missing", field="subject")


def _check_parts(document: dict[str, Any], profile: str) -> Iterator[Finding]:
    """Findings that need more than one field of the document."""
    yield from _check_identifiers(document, "$")
    for path, event in _all_events(document):
        if isinstance(event, dict):
            yield from sequence_checks.check_codes(event, path, profile)
            yield from _check_position(event, path)
            yield from _check_identifiers(event, path)


def _check_identifiers(record: dict[str, Any], path: str) -> Iterator[Finding]:
    subject = record.get("subject")
    if isinstance(subject, dict) and all(subject.get(name) is None for name in sequence_checks.SUBJECT_IDENTIFIERS):
        yield make_finding(f"{path}.subject", "no_identifier")


def _profile(document: dict[str, Any]) -> str:
    profile = document.get("profile")
    return profile if isinstance(profile, str) and profile in PROFILES else UNIVERSAL_PROFILE


def _listed_items(document: dict[str, Any], name: str) -> list[Any]:
    items = document.get(name)
    return items[:TIMELINE_EVENTS_MAX] if isinstance(items, list) else []


def _all_events(document: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The events of a timeline and the voided ones, each with its path."""
    for index, event in enumerate(_listed_items(document, "events")):
        yield f"$.events[{index}]", event
    for index, voided in enumerate(_listed_items(document, "voided")):
        if isinstance(voided, dict):
            yield f"$.voided[{index}].event", voided.get("event")


def _check_position(event: dict[str, Any], path: str) -> Iterator[Finding]:
    location = event.get("location")
    if isinstance(location, dict) and ("lat" in location) is not ("lng" in location):
        yield make_finding(f"{path}.location", "half_position")


def _level_1_shortfalls(
    findings: list[Finding], unique: list[sequence_checks.ReadableEvent], profile: str
) -> Iterator[Finding]:
    if any(finding.severity is FindingSeverity.ERROR for finding in findings):
        yield make_finding("$", "has_errors")
        return
    if not unique:
        yield make_finding("$.events", "no_events")
    elif not any(resolve_status(event.row.code, profile) for event in unique):
        yield make_finding("$.events", "no_registered_code")
    if any(finding.code == "step_back" for finding in findings):
        yield make_finding("$.events", "invalid_transitions")


def _level_2_shortfalls(
    unique: list[sequence_checks.ReadableEvent], profile: str, projections: Collection[str]
) -> Iterator[Finding]:
    if not any(row.profile == profile for event in unique if (row := resolve_status(event.row.code, profile))):
        yield make_finding("$.events", "no_profile_code", profile=profile)
    if not any(name != "otep" for name in projections):
        yield make_finding("$", "no_projection")
