"""The shape of a posted timeline: which members its records have, and what each must be."""

from collections.abc import Iterator
from typing import Any

from haulier.contexts.tracking.otep.model import OTEP_VERSION
from haulier.contexts.tracking.otep.rules.checks import (
    UNLOCODE,
    URL,
    Check,
    anything,
    country,
    flag,
    gln,
    listed,
    moment,
    number,
    one_of,
    record,
    sscc,
    text,
    whole,
    written_as,
)
from haulier.contexts.tracking.otep.rules.findings import Finding, found, shown
from haulier.contexts.tracking.otep.vocabulary import INCIDENT_REASONS, PROFILES, RANK, SOURCE_TYPES

EVENTS_MAX = 1000
PHOTOS_MAX = 20
ID_MAX = 2**53 - 1
CORRECTION_REASONS = ("did_not_occur", "incorrect_data")
_MAJOR, _MINOR, _ = (int(part) for part in OTEP_VERSION.split("."))


def version(value: Any, path: str) -> Iterator[Finding]:
    """A semantic version that this release can read: the same major number; newer minor ones may add codes."""
    if not isinstance(value, str):
        yield found(path, "wrong_type", expected="string")
        return
    parts = value.split(".")
    # A number of more digits than these is no version of anything.
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) <= 6 for part in parts):
        yield found(path, "invalid_version", value=shown(value))
    elif int(parts[0]) != _MAJOR:
        yield found(path, "unsupported_version", value=value, supported=OTEP_VERSION)
    elif int(parts[1]) > _MINOR:
        yield found(path, "newer_version", value=value, supported=OTEP_VERSION)


SUBJECT: dict[str, Check] = {
    "tracking_number": text(100),
    "order_id": whole(1, ID_MAX),
    "package_id": whole(1, ID_MAX),
    "external_tracking_number": text(100),
    "gs1_sscc": sscc,
    "piece_id": text(200),
}
LOCATION: dict[str, Check] = {
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
}
INCIDENT_REASON: dict[str, Check] = {"code": one_of(INCIDENT_REASONS, "unknown_reason"), "note": text(1000)}
SOURCE: dict[str, Check] = {
    "type": one_of(SOURCE_TYPES, "unknown_source_type"),
    "name": text(120),
    "reference": text(200),
}
ACTOR: dict[str, Check] = {"type": text(40), "id": text(100)}
_URL = written_as(URL, "invalid_url", show=False)
PROOF: dict[str, Check] = {"recipient": text(200), "signature_url": _URL, "photo_urls": listed(_URL, PHOTOS_MAX)}
EVENT: dict[str, Check] = {
    "event_id": text(200),
    "occurred_at": moment,
    "recorded_at": moment,
    "otep_version": version,
    "status_code": text(60),
    "phase": one_of(RANK, "unknown_phase"),
    "description": text(1000),
    "source": record(SOURCE, required=("type",)),
    "location": record(LOCATION),
    "incident_reason": record(INCIDENT_REASON, required=("code",)),
    "actor": record(ACTOR, required=("type",)),
    "pod": record(PROOF),
    "late": flag,
    "raw_status": text(200),
    "extensions": anything,
}
CORRECTION: dict[str, Check] = {
    "event_id": text(200),
    "declared_at": moment,
    "reason": one_of(CORRECTION_REASONS, "unknown_correction_reason"),
    "corrective_event_ids": listed(text(200), EVENTS_MAX),
    "source": record(SOURCE, required=("type",)),
}
_EVENT = record(EVENT, required=("occurred_at", "status_code", "source"))
VOIDED: dict[str, Check] = {
    "event": _EVENT,
    "correction": record(CORRECTION, required=("event_id", "declared_at")),
}
TIMELINE: dict[str, Check] = {
    "otep_version": version,
    "profile": one_of(PROFILES, "unknown_profile"),
    "subject": record(SUBJECT),
    "current_status": text(60),
    "current_phase": one_of(RANK, "unknown_phase"),
    "delivered": flag,
    "terminal": flag,
    "events": listed(_EVENT, EVENTS_MAX),
    "voided": listed(record(VOIDED, required=("event", "correction")), EVENTS_MAX),
}

well_formed: Check = record(TIMELINE, required=("subject", "events"))
