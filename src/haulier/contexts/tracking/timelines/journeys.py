"""Rows as timelines: the way from the tables to the protocol's own records."""

from typing import Any

import msgspec
from msgspec import UNSET

from haulier.contexts.tracking.otep.model import Correction, Event, Subject, Timeline
from haulier.contexts.tracking.otep.rules.timeline import timeline
from haulier.kernel.declarations import Account

_events = msgspec.json.Decoder(list[Event]).decode
_corrections = msgspec.json.Decoder(list[Correction]).decode


def timeline_of(row: Any) -> Timeline:
    """The timeline of a subject's row."""
    subject = Subject(
        tracking_number=row.tracking_number,
        order_id=row.order_id or UNSET,
        package_id=row.package_id or UNSET,
        external_tracking_number=row.external_number or UNSET,
        gs1_sscc=row.sscc or UNSET,
    )
    events = _events(f"[{row.events}]") if row.events else []
    corrections = _corrections(f"[{row.corrections}]") if row.corrections else []
    return timeline(subject, events, profile=row.profile, corrections=corrections)


def viewers_of(row: Any) -> dict[Account, int | None]:
    """The users besides the office who may see all of a subject."""
    return {
        Account.CUSTOMER: row.customer_id,
        Account.CONTRACTOR: row.contractor_id,
        Account.DRIVER: row.driver_id,
    }
