"""What a document told: events of subjects, statuses that were seen, and what of it cannot be taken."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from haulier.contexts.otep.public import UNIVERSAL_PROFILE, Correction, Source, TrackingEvent
from haulier.kernel.operations.errors import declare_error

CALL_EVENTS_MAX = 1000
"""Events in one call."""

TOO_MANY_EVENTS = declare_error("ingest_too_many_events", 413)


class SubjectNames(Struct, frozen=True, kw_only=True):
    """A subject as the document calls it. The first of its names is what a new timeline is kept under."""

    names: tuple[str, ...]
    external: str | None = None
    sscc: str | None = None
    profile: str = UNIVERSAL_PROFILE


class ParsedEvent(Struct, frozen=True, kw_only=True):
    """One event of one subject. `event.event_id` is the provider's own name for it, empty when it gave none.

    With a correction the event is taken back, whether or not it was told before.
    """

    path: str
    subject: SubjectNames
    event: TrackingEvent
    correction: Correction | None = None


class PolledStatus(Struct, frozen=True, kw_only=True):
    """The present status of a subject at a source that shows no more than that."""

    path: str
    subject: SubjectNames
    status: str
    source: Source


class RefusalReason(Struct, frozen=True):
    """Why something was not taken: where in the document, and a message with its parameters."""

    path: str
    message: str
    params: Mapping[str, Any] = {}


class ParsedDocument(Struct, kw_only=True):
    """A whole document. `paths` are its events in order; each is told, seen, or refused with every reason at once."""

    paths: list[str]
    told: list[ParsedEvent]
    seen: list[PolledStatus]
    refused: dict[str, list[RefusalReason]]
    on_error: str | None = None


def empty_document() -> ParsedDocument:
    """A document of which nothing was read yet."""
    return ParsedDocument(paths=[], told=[], seen=[], refused={})


def require_event_limit(events: int) -> None:
    """Raises `TOO_MANY_EVENTS` for more than one call may bring."""
    if events > CALL_EVENTS_MAX:
        raise TOO_MANY_EVENTS(max=CALL_EVENTS_MAX)
