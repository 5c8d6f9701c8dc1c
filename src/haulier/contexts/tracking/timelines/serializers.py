"""From rows to the protocol's own records."""

import zlib
from datetime import datetime
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import UNSET

from haulier.contexts.otep.public import (
    Correction,
    DescribeStatus,
    Subject,
    Timeline,
    TrackingEvent,
    assemble_public_timeline,
    build_timeline,
)
from haulier.contexts.tracking.timelines.store.tables import PublicSubjectRow, SubjectKeyRow, SubjectRow
from haulier.kernel.data.aggregates import parse_instant, split_agg
from haulier.kernel.operations.caching import Fingerprint
from haulier.kernel.operations.enums import Account

_recorded_at: Any = attrgetter("recorded_at")
_decode_events = msgspec.json.Decoder(list[TrackingEvent]).decode
_decode_corrections = msgspec.json.Decoder(list[Correction]).decode


def timeline_from_row(row: SubjectRow) -> Timeline:
    """Return the timeline of a subject's row."""
    return timeline_and_fingerprint(row)[0]


def timeline_and_fingerprint(row: SubjectRow) -> tuple[Timeline, Fingerprint]:
    """Return the timeline of a subject's row, and its fingerprint."""
    subject = Subject(
        tracking_number=row.tracking_number,
        order_id=row.order_id or UNSET,
        package_id=row.package_id or UNSET,
        external_tracking_number=row.external_number or UNSET,
        gs1_sscc=row.sscc or UNSET,
    )
    events = _decode_events(f"[{row.events}]") if row.events else []
    corrections = _decode_corrections(f"[{row.corrections}]") if row.corrections else []
    latest = max(map(_recorded_at, events), default=None)
    timeline = build_timeline(subject, events, profile=row.profile, corrections=corrections)
    return timeline, timeline_fingerprint(row, len(events) + len(corrections), latest)


def public_timeline_and_fingerprint(
    row: PublicSubjectRow, describe: DescribeStatus
) -> tuple[Timeline, Fingerprint] | None:
    """Return the public timeline of a subject's row with its fingerprint, or None.

    None if it must be built from the whole events.
    """
    occurred, recorded, codes, texts = split_agg(row.events, 4)
    timeline = (
        None
        if row.corrected
        else assemble_public_timeline(row.tracking_number, row.profile, occurred, codes, texts, describe)
    )
    return timeline and (timeline, timeline_fingerprint(row, len(texts), parse_instant(max(recorded))))


def timeline_fingerprint(row: SubjectKeyRow, entries: int, latest: datetime | None) -> Fingerprint:
    """Return a fingerprint that changes with events, corrections and numbers.

    `entries` is the number of events and corrections, `latest` the time at which the last event was recorded.
    """
    names = f"{row.external_number} {row.sscc} {row.order_id} {row.package_id} {row.replaced_by}"
    numbers = zlib.crc32(names.encode())
    latest_us = int(latest.timestamp() * 1_000_000) if latest else 0
    return Fingerprint(f"{row.id:x}-{entries:x}-{latest_us:x}-{numbers:x}", latest)


def subject_viewers(row: SubjectRow) -> dict[Account, int | None]:
    """Return the users besides staff who may see all of a subject."""
    return {
        Account.CUSTOMER: row.customer_id,
        Account.CONTRACTOR: row.contractor_id,
        Account.DRIVER: row.driver_id,
    }
