"""What becomes of told events: new, told before, told differently before, or taking back what was told."""

import hashlib
import re
from datetime import UTC, datetime
from enum import StrEnum

from msgspec import UNSET
from msgspec.json import encode
from msgspec.structs import replace

from haulier.contexts.tracking.inbound.rules.told import Told
from haulier.contexts.tracking.otep.model import Correction, Event, Source
from haulier.contexts.tracking.timelines.rules import event_id

_OURS = re.compile(r"[0-9a-f]{32}")


class Fate(StrEnum):
    """What became of an event."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    REFUSED = "refused"
    CORRECTED = "corrected"


Content = tuple[datetime, str]
"""When an event occurred and with which status: two events under one name must agree in it."""


def recorded(told: Told, number: str, default: str | None, now: datetime) -> Event:
    """The event as it is written down on the timeline with a number: under our name for it, made from its source's.

    `default` is the source's name when the event gives none. An event that came from us keeps the name we gave it.
    """
    event = told.event
    source = replace(event.source, name=event.source.name or default or UNSET)
    name = event_id(number, source, event.status_code, event.occurred_at)
    if not source.reference and event.event_id and event.event_id != name:
        source = replace(source, reference=event.event_id)
        name = event_id(number, source, event.status_code, event.occurred_at)
    return replace(event, event_id=name, source=source, recorded_at=now)


def content(event: Event) -> Content:
    """What two events under one name must agree in."""
    return event.occurred_at, event.status_code


def correction(told: Correction, event: Event, number: str) -> Correction:
    """An error declaration about a recorded event, in our names for the events that it names."""
    return Correction(
        event_id=event.event_id,
        declared_at=told.declared_at.astimezone(UTC),
        reason=told.reason,
        corrective_event_ids=tuple(_renamed(id, event.source, number) for id in told.corrective_event_ids or ())
        or UNSET,
        source=Source(type=event.source.type, name=event.source.name),
    )


def _renamed(id: str, source: Source, number: str) -> str:
    return (
        id
        if _OURS.fullmatch(id)
        else event_id(number, replace(source, reference=id), "", datetime.min.replace(tzinfo=UTC))
    )


def correction_id(told: Correction) -> str:
    """A name for a declaration, made from what it says, so that the same one twice is one."""
    return hashlib.sha256(encode(told)).hexdigest()[:32]


def fate(event: Event, known: Content | None) -> Fate:
    """What becomes of an event, where something was told under its name before; refused when that was something else."""
    if known is None:
        return Fate.ACCEPTED
    return Fate.DUPLICATE if known == content(event) else Fate.REFUSED
