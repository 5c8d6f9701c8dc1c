"""Rows as timelines: the way from the tables to the protocol's own records."""

import zlib
from datetime import datetime
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import UNSET

from haulier.contexts.tracking.otep.model import Correction, Event, Subject, Timeline
from haulier.contexts.tracking.otep.rules.glimpses import assembled
from haulier.contexts.tracking.otep.rules.public import Describe
from haulier.contexts.tracking.otep.rules.timeline import timeline
from haulier.kernel.data.gather import instant, parted
from haulier.kernel.declarations import Account
from haulier.kernel.operation import Fingerprint

_events = msgspec.json.Decoder(list[Event]).decode
_recorded: Any = attrgetter("recorded_at")
_corrections = msgspec.json.Decoder(list[Correction]).decode


def timeline_of(row: Any) -> Timeline:
    """The timeline of a subject's row."""
    return told_by(row)[0]


def told_by(row: Any) -> tuple[Timeline, Fingerprint]:
    """The timeline of a subject's row, and what tells later whether something was added to it."""
    subject = Subject(
        tracking_number=row.tracking_number,
        order_id=row.order_id or UNSET,
        package_id=row.package_id or UNSET,
        external_tracking_number=row.external_number or UNSET,
        gs1_sscc=row.sscc or UNSET,
    )
    events = _events(f"[{row.events}]") if row.events else []
    corrections = _corrections(f"[{row.corrections}]") if row.corrections else []
    latest = max(map(_recorded, events), default=None)
    told = timeline(subject, events, profile=row.profile, corrections=corrections)
    return told, pulse(row, len(events) + len(corrections), latest)


def assembled_by(row: Any, describe: Describe) -> tuple[Timeline, Fingerprint] | None:
    """The public timeline of the row that `store.shown` found; None where only the whole events can tell it."""
    occurred, recorded, codes, shown = parted(row.events, 4)
    timeline = None if row.corrected else assembled(row.tracking_number, row.profile, occurred, codes, shown, describe)
    return timeline and (timeline, pulse(row, len(shown), instant(max(recorded))))


def pulse(row: Any, told: int, latest: datetime | None) -> Fingerprint:
    """What changes when something new is told of a subject, or when it gets another name."""
    links = zlib.crc32(f"{row.external_number} {row.sscc} {row.order_id} {row.package_id}".encode())
    at_us = int(latest.timestamp() * 1_000_000) if latest else 0
    return Fingerprint(f"{row.id:x}-{told:x}-{at_us:x}-{links:x}", latest)


def viewers_of(row: Any) -> dict[Account, int | None]:
    """The users besides the office who may see all of a subject."""
    return {
        Account.CUSTOMER: row.customer_id,
        Account.CONTRACTOR: row.contractor_id,
        Account.DRIVER: row.driver_id,
    }
