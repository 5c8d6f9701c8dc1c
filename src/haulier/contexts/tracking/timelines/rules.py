"""Rules of timelines: equality of events, and full visibility."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import TypeVar

from msgspec import UNSET
from msgspec.json import encode
from msgspec.structs import replace

from haulier.contexts.otep.public import Correction, Source, Timeline, TrackingEvent, without_third_person
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.principal import Principal

Found = TypeVar("Found")

_SEPARATORS = re.compile(r"[\s\u2010-\u2013\u2212-]+")
"""Spaces and hyphens of every kind, as in copied numbers."""

TRACKING_CHANNEL = "tracking"
"""The database notifies this channel of new events; a subject is the key of a number, which is one of all clients."""
TRACKING_NUMBER_TAKEN = declare_error("tracking_number_taken", 409)


def make_event_id(tracking_number: str, source: Source, status_code: str, occurred_at: datetime) -> str:
    """Return the id of an event from its content: repeats have the same id.

    A source's own reference identifies an event; without one, the instant and the code do. Free text never takes part,
    because carriers reword their places from one push to the next.
    """
    identity = source.reference or f"{status_code}@{occurred_at.astimezone(UTC).isoformat(timespec='milliseconds')}"
    text = "\x1f".join((tracking_number, source.type, source.name or "", identity))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def correction_id(correction: Correction) -> str:
    """Return the id of a declaration from its content, so that repeats are one."""
    return hashlib.sha256(encode(correction)).hexdigest()[:32]


def may_see_full_timeline(caller: Principal, owner_client_id: int, viewers: dict[Account, int | None]) -> bool:
    """Return True if a caller may see more than the public view.

    Staff see all of their client's; customers, contractors and drivers see their own; nothing of another client.
    """
    if caller.client_id != owner_client_id:
        return False
    if caller.account in OFFICE:
        return True
    return caller.user_id is not None and viewers.get(caller.account) == caller.user_id


@lru_cache(maxsize=4096)  # cached within the call: the same numbers are requested several times
def make_number_key(number: str) -> str:
    """Return the key that all spellings of a number share.

    Capitals without spaces and hyphens. A number that is nothing but those is its own key.
    """
    capitals = number.upper()
    return capitals if capitals.isalnum() else _SEPARATORS.sub("", capitals) or number


def find_by_spelling(numbers: Iterable[str], known: Mapping[str, Found]) -> dict[str, Found]:
    """Return the known entries of numbers, by requested number.

    The exact number counts before other spellings; of several spellings, the first one in `known`. Unknown ones are
    missing.
    """
    by_key: dict[str, Found] = {}
    for name, found in known.items():
        by_key.setdefault(make_number_key(name), found)
    nearest = ((number, known.get(number, by_key.get(make_number_key(number)))) for number in numbers)
    return {number: found for number, found in nearest if found is not None}


def without_actor_ids(timeline: Timeline) -> Timeline:
    """Return a timeline for callers outside the office: actors only by kind."""
    events = tuple(_without_actor_id(event) for event in timeline.events)
    voided = tuple(replace(entry, event=_without_actor_id(entry.event)) for entry in timeline.voided or ())
    return replace(timeline, events=events, voided=voided or UNSET)


def without_third_persons(timeline: Timeline) -> Timeline:
    """Return a timeline for customers, without names and places of other receivers."""
    events = tuple(without_third_person(event) for event in timeline.events)
    voided = tuple(replace(entry, event=without_third_person(entry.event)) for entry in timeline.voided or ())
    return replace(timeline, events=events, voided=voided or UNSET)


def _without_actor_id(event: TrackingEvent) -> TrackingEvent:
    return replace(event, actor=replace(event.actor, id=UNSET)) if event.actor else event
