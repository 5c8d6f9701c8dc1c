"""Rows as timelines: the way from the tables to the protocol's own records."""

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
from haulier.kernel.data.aggregates import parse_instant, split_agg
from haulier.kernel.operations.declaration import Fingerprint
from haulier.kernel.operations.enums import Account

_decode_events = msgspec.json.Decoder(list[TrackingEvent]).decode
_recorded_at: Any = attrgetter("recorded_at")
_decode_corrections = msgspec.json.Decoder(list[Correction]).decode


def timeline_from_row(row: Any) -> Timeline:
    """The timeline of a subject's row."""
    return timeline_and_fingerprint(row)[0]


def timeline_and_fingerprint(row: Any) -> tuple[Timeline, Fingerprint]:
    """The timeline of a subject's row, and what tells later whether something was added to it."""
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
    told = build_timeline(subject, events, profile=row.profile, corrections=corrections)
    return told, timeline_fingerprint(row, len(events) + len(corrections), latest)


def public_timeline_and_fingerprint(row: Any, describe: DescribeStatus) -> tuple[Timeline, Fingerprint] | None:
    """The public timeline of the row that `store.find_public_subject` found; None where only the whole events can tell it."""
    occurred, recorded, codes, shown = split_agg(row.events, 4)
    timeline = (
        None
        if row.corrected
        else assemble_public_timeline(row.tracking_number, row.profile, occurred, codes, shown, describe)
    )
    return timeline and (timeline, timeline_fingerprint(row, len(shown), parse_instant(max(recorded))))


def timeline_fingerprint(row: Any, told: int, latest: datetime | None) -> Fingerprint:
    """What changes when something new is told of a subject, or when it gets another name."""
    links = zlib.crc32(f"{row.external_number} {row.sscc} {row.order_id} {row.package_id}".encode())
    at_us = int(latest.timestamp() * 1_000_000) if latest else 0
    return Fingerprint(f"{row.id:x}-{told:x}-{at_us:x}-{links:x}", latest)


def subject_viewers(row: Any) -> dict[Account, int | None]:
    """The users besides the office who may see all of a subject."""
    return {
        Account.CUSTOMER: row.customer_id,
        Account.CONTRACTOR: row.contractor_id,
        Account.DRIVER: row.driver_id,
    }
