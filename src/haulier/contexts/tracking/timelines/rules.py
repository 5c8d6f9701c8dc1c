"""Decisions about timelines: when two events are the same, and who may see all of a timeline."""

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
"""Spaces and hyphens of every kind: people copy numbers from letters."""

TRACKING_CHANNEL = "tracking"
"""The database notifies this channel of new events; a subject is the key of a number, which is one of all clients."""
TRACKING_NUMBER_TAKEN = declare_error("tracking_number_taken", 409)


def make_event_id(tracking_number: str, source: Source, status_code: str, occurred_at: datetime) -> str:
    """The id of an event, made from its content: the same event pushed twice gets the same id.

    A source's own reference identifies an event; without one, the instant and the code do. Free text never takes part,
    because carriers reword their places from one push to the next.
    """
    identity = source.reference or f"{status_code}@{occurred_at.astimezone(UTC).isoformat(timespec='milliseconds')}"
    text = "\x1f".join((tracking_number, source.type, source.name or "", identity))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def correction_id(correction: Correction) -> str:
    """The id of a declaration, made from its content, so that the same one twice is one."""
    return hashlib.sha256(encode(correction)).hexdigest()[:32]


def may_see_full_timeline(caller: Principal, owner_client_id: int, viewers: dict[Account, int | None]) -> bool:
    """Whether a caller may see more of a timeline than the public does.

    The office sees all of its client's; a customer, contractor or driver what is theirs; nobody another client's.
    """
    if caller.client_id != owner_client_id:
        return False
    if caller.account in OFFICE:
        return True
    return caller.user_id is not None and viewers.get(caller.account) == caller.user_id


@lru_cache(maxsize=4096)  # a call asks several times for the same numbers
def make_number_key(number: str) -> str:
    """What all spellings of a number share: its signs in capitals, without spaces and hyphens.

    A number that is nothing but those is its own key.
    """
    capitals = number.upper()
    return capitals if capitals.isalnum() else _SEPARATORS.sub("", capitals) or number


def find_by_spelling(numbers: Iterable[str], known: Mapping[str, Found]) -> dict[str, Found]:
    """What is known under some numbers, by the number that was asked for; unknown ones are missing.

    The very number counts before other spellings; of several spellings, the first one in `known`.
    """
    by_key: dict[str, Found] = {}
    for name, found in known.items():
        by_key.setdefault(make_number_key(name), found)
    nearest = ((number, known.get(number, by_key.get(make_number_key(number)))) for number in numbers)
    return {number: found for number, found in nearest if found is not None}


def without_actor_ids(timeline: Timeline) -> Timeline:
    """A timeline as people outside the office see it: who acted is told by kind alone."""
    events = tuple(_without_actor_id(event) for event in timeline.events)
    voided = tuple(replace(entry, event=_without_actor_id(entry.event)) for entry in timeline.voided or ())
    return replace(timeline, events=events, voided=voided or UNSET)


def without_third_persons(timeline: Timeline) -> Timeline:
    """Return a timeline as customers see it, without names and places of other receivers."""
    events = tuple(without_third_person(event) for event in timeline.events)
    voided = tuple(replace(entry, event=without_third_person(entry.event)) for entry in timeline.voided or ())
    return replace(timeline, events=events, voided=voided or UNSET)


def _without_actor_id(event: TrackingEvent) -> TrackingEvent:
    return replace(event, actor=replace(event.actor, id=UNSET)) if event.actor else event
