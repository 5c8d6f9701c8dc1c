"""The shape of a posted timeline: which fields its records have, and what each must be."""

import re
from collections.abc import Iterator
from typing import Any

from haulier.contexts.tracking.otep.model import (
    OTEP_VERSION,
    Actor,
    Correction,
    Event,
    IncidentReason,
    Location,
    ProofOfDelivery,
    Source,
    Subject,
    Timeline,
    Voided,
)
from haulier.contexts.tracking.otep.rules.checks import (
    UNLOCODE,
    URL,
    WHOLE_MAX,
    Check,
    anything,
    country,
    flag,
    gln,
    moment,
    number,
    one_of,
    sscc,
    text,
    whole,
    written_as,
)
from haulier.contexts.tracking.otep.rules.findings import Finding, found, shown
from haulier.contexts.tracking.otep.rules.structures import listed, record
from haulier.contexts.tracking.otep.vocabulary import INCIDENT_REASONS, PROFILES, RANK, SOURCE_TYPES

EVENTS_MAX = 1000
PHOTOS_MAX = 20
CORRECTION_REASONS = ("did_not_occur", "incorrect_data")
_MAJOR, _MINOR, _ = (int(part) for part in OTEP_VERSION.split("."))
_VERSION = re.compile(r"([0-9]{1,6})\.([0-9]{1,6})\.[0-9]{1,6}")  # more digits than these are no version of anything


def _version(value: Any, path: str) -> Iterator[Finding]:
    if not isinstance(value, str):
        yield found(path, "wrong_type", expected="string")
    elif not (parts := _VERSION.fullmatch(value)):
        yield found(path, "invalid_version", value=shown(value))
    elif int(parts[1]) != _MAJOR:
        yield found(path, "unsupported_version", value=value, supported=OTEP_VERSION)
    elif int(parts[2]) > _MINOR:
        yield found(path, "newer_version", value=value, supported=OTEP_VERSION)


version = Check(_version, {"type": "string", "pattern": f"^{_VERSION.pattern}$"})
"""A semantic version that this release can read: the same major number; newer minor ones may add codes."""

_ID = whole(1, WHOLE_MAX)
_URL = written_as(URL, "invalid_url", show=False)

SUBJECT = record(
    Subject,
    {
        "tracking_number": text(100),
        "order_id": _ID,
        "package_id": _ID,
        "external_tracking_number": text(100),
        "gs1_sscc": sscc,
        "piece_id": text(200),
    },
)
LOCATION = record(
    Location,
    {
        "name": text(200),
        "address": text(500),
        "city": text(200),
        "region": text(200),
        "country": country,
        "postal_code": text(20),
        "lat": number(-90, 90),
        "lng": number(-180, 180),
        "gln": gln,
        "unlocode": written_as(UNLOCODE, "invalid_unlocode"),
    },
)
INCIDENT_REASON = record(
    IncidentReason,
    {"code": one_of(INCIDENT_REASONS, "unknown_reason"), "note": text(1000)},
    required=("code",),
)
SOURCE = record(
    Source,
    {"type": one_of(SOURCE_TYPES, "unknown_source_type"), "name": text(120), "reference": text(200)},
    required=("type",),
)
ACTOR = record(Actor, {"type": text(40), "id": text(100)}, required=("type",))
PROOF = record(ProofOfDelivery, {"recipient": text(200), "signature_url": _URL, "photo_urls": listed(_URL, PHOTOS_MAX)})
EVENT = record(
    Event,
    {
        "event_id": text(200),
        "occurred_at": moment,
        "recorded_at": moment,
        "otep_version": version,
        "status_code": text(60),
        "phase": one_of(RANK, "unknown_phase"),
        "description": text(1000),
        "source": SOURCE,
        "location": LOCATION,
        "incident_reason": INCIDENT_REASON,
        "actor": ACTOR,
        "pod": PROOF,
        "late": flag,
        "raw_status": text(200),
        "extensions": anything,
    },
    required=("occurred_at", "status_code", "source"),
)
CORRECTION = record(
    Correction,
    {
        "event_id": text(200),
        "declared_at": moment,
        "reason": one_of(CORRECTION_REASONS, "unknown_correction_reason"),
        "corrective_event_ids": listed(text(200), EVENTS_MAX),
        "source": SOURCE,
    },
    required=("event_id", "declared_at"),
)
VOIDED = record(Voided, {"event": EVENT, "correction": CORRECTION}, required=("event", "correction"))
TIMELINE = record(
    Timeline,
    {
        "otep_version": version,
        "profile": one_of(PROFILES, "unknown_profile"),
        "subject": SUBJECT,
        "current_status": text(60),
        "current_phase": one_of(RANK, "unknown_phase"),
        "delivered": flag,
        "terminal": flag,
        "events": listed(EVENT, EVENTS_MAX),
        "voided": listed(VOIDED, EVENTS_MAX),
    },
    required=("subject", "events"),
)
