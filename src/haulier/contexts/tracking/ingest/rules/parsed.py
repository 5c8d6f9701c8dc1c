"""What was read of a document: events of subjects, present statuses, and what is refused."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from haulier.contexts.otep.public import UNIVERSAL_PROFILE, Correction, Source, TrackingEvent
from haulier.kernel.operations.errors import declare_error

CALL_EVENTS_MAX = 1000
"""Most events in one call."""

TOO_MANY_EVENTS = declare_error("ingest_too_many_events", 413)


class SubjectNames(Struct, frozen=True, kw_only=True):
    """The numbers of a subject in the document. A new timeline gets the first of `names` as its tracking number."""

    names: tuple[str, ...]
    external: str | None = None
    sscc: str | None = None
    profile: str = UNIVERSAL_PROFILE


class ParsedEvent(Struct, frozen=True, kw_only=True):
    """One event of one subject. `event.event_id` is the provider's own id of it, empty when it gave none.

    A correction voids the event, whether or not it was recorded before.
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
    """Why something was refused: where in the document, a message, what helps, and the parameters of both."""

    path: str
    message: str
    params: Mapping[str, Any] = {}
    hint: str | None = None


class ParsedDocument(Struct, kw_only=True):
    """A whole document. `paths` are its entries in order; each is among the events, polled, or refused with all reasons."""

    paths: list[str]
    events: list[ParsedEvent]
    polled: list[PolledStatus]
    refused: dict[str, list[RefusalReason]]
    on_error: str | None = None


def empty_document() -> ParsedDocument:
    """A document without entries."""
    return ParsedDocument(paths=[], events=[], polled=[], refused={})


def require_event_limit(count: int) -> None:
    """Raises `TOO_MANY_EVENTS` for more events than one call may push."""
    if count > CALL_EVENTS_MAX:
        raise TOO_MANY_EVENTS(max=CALL_EVENTS_MAX)
