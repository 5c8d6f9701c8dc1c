"""The shape of a posted timeline: which fields its records have, and what each must be."""

import re
from collections.abc import Iterator
from typing import Any

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
from haulier.contexts.otep.timeline.rules.outcomes import HANDED_TO, UNDELIVERED
from haulier.contexts.otep.validation.rules.findings import Finding, make_finding, printable_excerpt
from haulier.contexts.otep.validation.rules.record_checks import list_check, record_check
from haulier.contexts.otep.validation.rules.value_checks import (
    INTEGER_MAX,
    UNLOCODE,
    URL,
    ValueCheck,
    boolean_check,
    country_check,
    enum_check,
    gln_check,
    integer_check,
    number_check,
    object_check,
    pattern_check,
    sscc_check,
    text_check,
    timestamp_check,
)
from haulier.contexts.otep.vocabulary.rules import (
    INCIDENT_REASONS,
    PHASE_RANK,
    PROFILES,
    SOURCE_TYPES,
    code_address,
    phase_address,
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
# Why two of each: the checks see the word that an address stands for, the schema sees what was posted.
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
