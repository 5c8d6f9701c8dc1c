"""What a document told: events of subjects, statuses that were seen, and what of it cannot be taken."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from haulier.contexts.tracking.otep.model import Correction, Event, Source
from haulier.contexts.tracking.otep.vocabulary import UNIVERSAL
from haulier.kernel.errors import problem

EVENTS_MAX = 1000
"""Events in one call."""

TOO_MANY_EVENTS = problem("ingest_too_many_events", 413)


class Named(Struct, frozen=True, kw_only=True):
    """A subject as the document calls it. The first of its names is what a new timeline is kept under."""

    names: tuple[str, ...]
    external: str | None = None
    sscc: str | None = None
    profile: str = UNIVERSAL


class Told(Struct, frozen=True, kw_only=True):
    """One event of one subject. `event.event_id` is the provider's own name for it, empty when it gave none.

    With a correction the event is taken back, whether or not it was told before.
    """

    path: str
    subject: Named
    event: Event
    correction: Correction | None = None


class Seen(Struct, frozen=True, kw_only=True):
    """The present status of a subject at a source that shows no more than that."""

    path: str
    subject: Named
    status: str
    source: Source


class Reason(Struct, frozen=True):
    """Why something was not taken: where in the document, and a message with its parameters."""

    path: str
    message: str
    params: Mapping[str, Any] = {}


class Reading(Struct, kw_only=True):
    """A whole document. `paths` are its events in order; each is told, seen, or refused with every reason at once."""

    paths: list[str]
    told: list[Told]
    seen: list[Seen]
    refused: dict[str, list[Reason]]
    on_error: str | None = None


def a_reading() -> Reading:
    """A document of which nothing was read yet."""
    return Reading(paths=[], told=[], seen=[], refused={})


def demand_few(events: int) -> None:
    """Raises `TOO_MANY_EVENTS` for more than one call may bring."""
    if events > EVENTS_MAX:
        raise TOO_MANY_EVENTS(max=EVENTS_MAX)
