"""Rows as timelines: the way from the event table to the protocol's own records."""

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from haulier.contexts.tracking.otep.model import (
    Actor,
    Event,
    IncidentReason,
    Location,
    ProofOfDelivery,
    Record,
    Source,
    Subject,
    Timeline,
)
from haulier.contexts.tracking.otep.rules.timeline import timeline
from haulier.kernel.declarations import Account


class Detail(Record, frozen=True):
    """What an event row keeps in one document."""

    location: Location | UnsetType = UNSET
    incident_reason: IncidentReason | UnsetType = UNSET
    actor: Actor | UnsetType = UNSET
    pod: ProofOfDelivery | UnsetType = UNSET
    extensions: dict[str, Any] | UnsetType = UNSET


_NOTHING = Detail()


@lru_cache(maxsize=2048)
def _zone(offset_min: int) -> timezone:
    return timezone(timedelta(minutes=offset_min))


def _told_at(instant: datetime, offset_min: int) -> datetime:
    """The instant in the offset in which the source told it."""
    return instant.astimezone(_zone(offset_min)) if offset_min else instant


def _event(row: Any) -> Event:
    detail = msgspec.convert(row.detail, Detail) if row.detail else _NOTHING
    return Event(
        event_id=row.event_id,
        occurred_at=_told_at(row.occurred_at, row.offset_min),
        recorded_at=row.recorded_at,
        status_code=row.status_code,
        phase=row.phase,
        source=Source(type=row.source_type, name=row.source_name or UNSET, reference=row.source_reference or UNSET),
        location=detail.location,
        incident_reason=detail.incident_reason,
        actor=detail.actor,
        pod=detail.pod,
        raw_status=row.raw_status or UNSET,
        extensions=detail.extensions,
    )


def _subject(row: Any) -> Subject:
    return Subject(
        tracking_number=row.tracking_number,
        order_id=row.order_id or UNSET,
        package_id=row.package_id or UNSET,
        external_tracking_number=row.external_number or UNSET,
        gs1_sscc=row.sscc or UNSET,
    )


def timeline_of(rows: Sequence[Any]) -> Timeline:
    """The timeline of one subject's rows; the row of a subject without events carries none."""
    first = rows[0]
    return timeline(_subject(first), [_event(row) for row in rows if row.event_id], profile=first.profile)


def viewers_of(row: Any) -> dict[Account, int | None]:
    """The users besides the office who may see all of a subject."""
    return {
        Account.CUSTOMER: row.customer_id,
        Account.CONTRACTOR: row.contractor_id,
        Account.DRIVER: row.driver_id,
    }
