"""Rules of validation: validator.

Level 1: universal codes, phases and valid transitions. Level 2: also codes of the timeline's own profile (those of `parcel`
are the universal ones) and at least one projection to an external standard, which only the sender can tell.
"""

import re
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.otep.timeline.contract import (
    OTEP_VERSION,
    Correction,
    DeliveryOutcome,
    EventActor,
    IncidentReason,
    Location,
    OutcomePieces,
    ProofOfDelivery,
    Source,
    Subject,
    Timeline,
    TrackingEvent,
    UndeliveredPiece,
    VoidedEvent,
)
from haulier.contexts.otep.timeline.rules.merge import HANDED_TO, UNDELIVERED
from haulier.contexts.otep.timeline.rules.parser import (
    is_single_event,
    parse_timeline,
    plain_timeline,
    timeline_of_event,
)
from haulier.contexts.otep.validation.rules import record_checks
from haulier.contexts.otep.validation.rules.record_checks import list_check, record_check
from haulier.contexts.otep.validation.rules.value_checks import (
    INTEGER_MAX,
    UNLOCODE,
    URL,
    Finding,
    FindingSeverity,
    ValueCheck,
    boolean_check,
    country_check,
    enum_check,
    gln_check,
    integer_check,
    make_finding,
    number_check,
    object_check,
    pattern_check,
    printable_excerpt,
    sscc_check,
    text_check,
    timestamp_check,
)
from haulier.contexts.otep.vocabulary.rules import (
    INCIDENT_REASONS,
    PHASE_RANK,
    PROFILES,
    SOURCE_TYPES,
    UNIVERSAL_PROFILE,
    code_address,
    phase_address,
    resolve_status,
)

TIMELINE_EVENTS_MAX = 1000
PHOTOS_MAX = 20
PIECES_MAX = 1_000
CORRECTION_REASONS = ("did_not_occur", "incorrect_data")
_MAJOR, _MINOR, _ = (int(part) for part in OTEP_VERSION.split("."))
_VERSION = re.compile(r"([0-9]{1,6})\.([0-9]{1,6})\.[0-9]{1,6}")  # more digits than these are no version of anything


def _find_bad_version(value: Any, path: str) -> Iterator[Finding]:
    if not isinstance(value, str):
        yield make_finding(path, "wrong_type", expected="string")
    elif not (parts := _VERSION.fullmatch(value)):
        yield make_finding(path, "invalid_version", value=printable_excerpt(value))
    elif int(parts[1]) != _MAJOR:
        yield make_finding(path, "unsupported_version", value=value, supported=OTEP_VERSION)
    elif int(parts[2]) > _MINOR:
        yield make_finding(path, "newer_version", value=value, supported=OTEP_VERSION)


version_check = ValueCheck(_find_bad_version, {"type": "string", "pattern": f"^{_VERSION.pattern}$"})
"""A semantic version that this release can read: the same major number; newer minor ones may add codes."""

_CODE_MAX = 60
_ADDRESS_MAX = _CODE_MAX + max(len(code_address("", profile)) for profile in PROFILES)
# Two of each: the checks see the word that an address stands for, the schema sees what was posted.
_CODE_CHECK = ValueCheck(text_check(_CODE_MAX).find, text_check(_ADDRESS_MAX).schema)
_PHASE_CHECK = ValueCheck(
    enum_check(PHASE_RANK, "unknown_phase").find, {"enum": [*PHASE_RANK, *map(phase_address, PHASE_RANK)]}
)
_ID_CHECK = integer_check(1, INTEGER_MAX)
_URL_CHECK = pattern_check(URL, "invalid_url", show=False)

SUBJECT_CHECK = record_check(
    Subject,
    {
        "tracking_number": text_check(100),
        "order_id": _ID_CHECK,
        "package_id": _ID_CHECK,
        "external_tracking_number": text_check(100),
        "gs1_sscc": sscc_check,
        "piece_id": text_check(200),
    },
)
LOCATION_CHECK = record_check(
    Location,
    {
        "name": text_check(200),
        "address": text_check(500),
        "city": text_check(200),
        "region": text_check(200),
        "country": country_check,
        "postal_code": text_check(20),
        "lat": number_check(-90, 90),
        "lng": number_check(-180, 180),
        "gln": gln_check,
        "unlocode": pattern_check(UNLOCODE, "invalid_unlocode"),
    },
)
_REASON_RECORD_CHECK = record_check(
    IncidentReason,
    {"code": enum_check(INCIDENT_REASONS, "unknown_reason"), "note": text_check(1000)},
    required=("code",),
)


def _find_bad_reason(value: Any, path: str) -> Iterator[Finding]:
    if isinstance(value, str):
        yield make_finding(path, "wrong_type", hint="reason_object", expected="object")
    else:
        yield from _REASON_RECORD_CHECK(value, path)


INCIDENT_REASON_CHECK = _REASON_RECORD_CHECK._replace(find=_find_bad_reason)
SOURCE_CHECK = record_check(
    Source,
    {"type": enum_check(SOURCE_TYPES, "unknown_source_type"), "name": text_check(120), "reference": text_check(200)},
)
ACTOR_CHECK = record_check(EventActor, {"type": text_check(40), "id": text_check(100)}, required=("type",))
PROOF_CHECK = record_check(
    ProofOfDelivery,
    {"recipient": text_check(200), "signature_url": _URL_CHECK, "photo_urls": list_check(_URL_CHECK, PHOTOS_MAX)},
)
_PIECE_CHECK = record_check(
    UndeliveredPiece,
    {"tracking_number": text_check(100), "outcome": enum_check(UNDELIVERED, "unknown_outcome")},
    required=("tracking_number", "outcome"),
)
_PIECES_CHECK = record_check(
    OutcomePieces,
    {
        "total": integer_check(1, PIECES_MAX),
        "delivered": integer_check(0, PIECES_MAX),
        "left": list_check(_PIECE_CHECK, PIECES_MAX),
    },
    required=("total", "delivered"),
)
OUTCOME_CHECK = record_check(
    DeliveryOutcome,
    {
        "handed_to": enum_check(HANDED_TO, "unknown_outcome"),
        "name": text_check(200),
        "left_at": text_check(200),
        "pieces": _PIECES_CHECK,
    },
)
EVENT_CHECK = record_check(
    TrackingEvent,
    {
        "event_id": text_check(200),
        "occurred_at": timestamp_check,
        "recorded_at": timestamp_check,
        "otep_version": version_check,
        "status_code": _CODE_CHECK,
        "phase": _PHASE_CHECK,
        "description": text_check(1000),
        "source": SOURCE_CHECK,
        "location": LOCATION_CHECK,
        "incident_reason": INCIDENT_REASON_CHECK,
        "actor": ACTOR_CHECK,
        "pod": PROOF_CHECK,
        "outcome": OUTCOME_CHECK,
        "late": boolean_check,
        "raw_status": text_check(200),
        "extensions": object_check,
        "subject": SUBJECT_CHECK,
    },
    required=("occurred_at", "status_code"),
)
CORRECTION_CHECK = record_check(
    Correction,
    {
        "event_id": text_check(200),
        "declared_at": timestamp_check,
        "reason": enum_check(CORRECTION_REASONS, "unknown_correction_reason"),
        "corrective_event_ids": list_check(text_check(200), TIMELINE_EVENTS_MAX),
        "source": SOURCE_CHECK,
    },
    required=("event_id", "declared_at"),
)
VOIDED_CHECK = record_check(
    VoidedEvent, {"event": EVENT_CHECK, "correction": CORRECTION_CHECK}, required=("event", "correction")
)
TIMELINE_CHECK = record_check(
    Timeline,
    {
        "otep_version": version_check,
        "profile": enum_check(PROFILES, "unknown_profile"),
        "subject": SUBJECT_CHECK,
        "current_status": _CODE_CHECK,
        "current_phase": _PHASE_CHECK,
        "delivered": boolean_check,
        "terminal": boolean_check,
        "events": list_check(EVENT_CHECK, TIMELINE_EVENTS_MAX),
        "voided": list_check(VOIDED_CHECK, TIMELINE_EVENTS_MAX),
    },
    required=("events",),
)
"""A timeline. Its subject is checked apart, since events may carry subjects of their own."""


__all__ = ["ValidationReport", "parse_timeline", "validate_timeline"]


class ValidationReport(Struct, frozen=True, kw_only=True):
    """Result of validation.

    `level` is 0, 1 or 2; `shortfalls` are notes on why it is not higher.
    """

    level: int
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    shortfalls: tuple[Finding, ...]

    @property
    def valid(self) -> bool:
        """Return True if the timeline is accepted."""
        return not self.errors


def validate_timeline(
    document: Any, *, projections: Collection[str] = (), now: datetime | None = None
) -> ValidationReport:
    """Return every error and warning of a parsed JSON document.

    First of its shape, then of its codes, then of its order. The document is a timeline, or one event with its
    `subject`. `projections` names the formats of external standards that the sender also serves; with `now`, times too
    far ahead of it are errors. Never raises.
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
    readable = record_checks.readable_events(events, profile, members.get("subject"))
    journeys = [record_checks.read_journey(group) for group in record_checks.group_by_subject(readable)]
    unique = [event for journey in journeys for event in journey.events]
    findings = [
        *TIMELINE_CHECK(document, "$"),
        *_check_subject(document, events),
        *_check_parts(members, profile),
        *record_checks.check_clocks(readable, now),
        *(finding for journey in journeys for finding in (*journey.copies, *record_checks.check_journey(journey))),
    ]
    if len(journeys) <= 1 and len(readable) == len(events):
        findings += record_checks.check_summary(members, journeys[0] if journeys else None, profile)
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
    """Return a timeline has a subject, unless each of its events has one."""
    if isinstance(document, dict) and "subject" not in document:
        stated = [isinstance(event, dict) and "subject" in event for event in events]
        if not stated or not all(stated):
            yield make_finding("$.subject", "missing", field="subject")


def _check_parts(document: dict[str, Any], profile: str) -> Iterator[Finding]:
    """Return findings that need more than one field of the document."""
    yield from _check_identifiers(document, "$")
    for path, event in _all_events(document):
        if isinstance(event, dict):
            yield from record_checks.check_codes(event, path, profile)
            yield from _check_position(event, path)
            yield from _check_identifiers(event, path)


def _check_identifiers(record: dict[str, Any], path: str) -> Iterator[Finding]:
    subject = record.get("subject")
    if isinstance(subject, dict) and all(subject.get(name) is None for name in record_checks.SUBJECT_IDENTIFIERS):
        yield make_finding(f"{path}.subject", "no_identifier")


def _profile(document: dict[str, Any]) -> str:
    profile = document.get("profile")
    return profile if isinstance(profile, str) and profile in PROFILES else UNIVERSAL_PROFILE


def _listed_items(document: dict[str, Any], name: str) -> list[Any]:
    items = document.get(name)
    return items[:TIMELINE_EVENTS_MAX] if isinstance(items, list) else []


def _all_events(document: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Return the events of a timeline and the voided ones, each with its path."""
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
    findings: list[Finding], unique: list[record_checks.ReadableEvent], profile: str
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
    unique: list[record_checks.ReadableEvent], profile: str, projections: Collection[str]
) -> Iterator[Finding]:
    if not any(row.profile == profile for event in unique if (row := resolve_status(event.row.code, profile))):
        yield make_finding("$.events", "no_profile_code", profile=profile)
    if not any(name != "otep" for name in projections):
        yield make_finding("$", "no_projection")
