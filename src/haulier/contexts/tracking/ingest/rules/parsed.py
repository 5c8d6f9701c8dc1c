"""Rules of ingest: parsed."""

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NoReturn

from msgspec import Struct, to_builtins

from haulier.contexts.otep.public import (
    CLOCK_AHEAD_MINUTES,
    TERMINAL_CODES,
    UNIVERSAL_PROFILE,
    Correction,
    Phase,
    Source,
    TrackingEvent,
    is_ahead,
    parse_timestamp,
)
from haulier.contexts.tracking.events import RefusedScan
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.principal import ProviderGrant

CALL_EVENTS_MAX = 1000
"""Most events in one call."""

TOO_MANY_EVENTS = declare_error("ingest_too_many_events", 413)


class SubjectNames(Struct, frozen=True, kw_only=True):
    """The numbers of a subject. A new timeline gets the first of `names`."""

    names: tuple[str, ...]
    external: str | None = None
    sscc: str | None = None
    profile: str = UNIVERSAL_PROFILE


class ParsedEvent(Struct, frozen=True, kw_only=True):
    """An event of a subject. `event.event_id` is the provider's own id, or empty.

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
    """A reason for a rejection: position, message, hint, and their parameters."""

    path: str
    message: str
    params: Mapping[str, Any] = {}
    hint: str | None = None


class ParsedDocument(Struct, kw_only=True):
    """A parsed document. `paths` are its entries in order.

    Each entry is among the events, polled, or refused with all reasons.
    """

    paths: list[str]
    events: list[ParsedEvent]
    polled: list[PolledStatus]
    refused: dict[str, list[RefusalReason]]
    on_error: str | None = None


def empty_document() -> ParsedDocument:
    """Return a document without entries."""
    return ParsedDocument(paths=[], events=[], polled=[], refused={})


def require_event_limit(count: int) -> None:
    """Raise `TOO_MANY_EVENTS` if a call has too many events."""
    if count > CALL_EVENTS_MAX:
        raise TOO_MANY_EVENTS(max=CALL_EVENTS_MAX)


NUMBER_MAX = 100


def push_digest(provider_id: int, document: bytes) -> str:
    """Return the id of a webhook; a repeat by the same provider has the same id."""
    return hashlib.sha256(f"{provider_id}|".encode() + document).hexdigest()[:32]


def refused_scans(native: Mapping[str, Any], refused: Mapping[str, Sequence[RefusalReason]]) -> tuple[RefusedScan, ...]:
    """Return the refused events of a webhook, by their paths in its native document."""
    entries = {
        path: (timeline, event)
        for number, timeline in enumerate(native.get("timelines", ()))
        for path, event in _paths(number, timeline)
    }
    return tuple(_refused_scan(path, *entries.get(path, ({}, {})), reasons) for path, reasons in refused.items())


def _paths(number: int, timeline: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    path = f"$.timelines[{number}]"
    return [(path, {}), *((f"{path}.events[{index}]", event) for index, event in enumerate(timeline.get("events", ())))]


def _refused_scan(
    path: str, timeline: dict[str, Any], event: dict[str, Any], reasons: Sequence[RefusalReason]
) -> RefusedScan:
    return RefusedScan(
        path=path,
        tracking_number=timeline.get("subject", {}).get("tracking_number", "")[:NUMBER_MAX],
        reference=event.get("event_id"),
        status_code=event.get("status_code", ""),
        occurred_at=parse_timestamp(event.get("occurred_at")),
        reasons=tuple(to_builtins(reason) for reason in reasons),
    )


PROVIDER_SOURCE_TYPES = ("carrier", "partner", "third_party")
"""The kinds of source that a provider can be. Events of own delivery and of the system come from the client alone."""


def default_source(provider_grant: ProviderGrant, name: str) -> Source:
    """Return the source of events without one: the key's only carrier, or its name."""
    return Source(
        type=provider_grant.source_type,
        name=next(iter(provider_grant.carriers)) if len(provider_grant.carriers) == 1 else name,
    )


def source_refusal(source: Source, provider_grant: ProviderGrant, name: str, path: str) -> RefusalReason | None:
    """Return the reason why a provider may not push as a source, or None."""
    if source.type not in PROVIDER_SOURCE_TYPES:
        return RefusalReason(
            f"{path}.source.type",
            "ingest.source_type",
            {"type": source.type, "allowed": ", ".join(PROVIDER_SOURCE_TYPES)},
        )
    if source.name and provider_grant.carriers and source.name not in provider_grant.carriers and source.name != name:
        allowed = ", ".join(sorted(provider_grant.carriers))
        return RefusalReason(f"{path}.source.name", "ingest.source_name", {"name": source.name, "allowed": allowed})
    return None


def speaks_for(source: Source, provider_grant: ProviderGrant, name: str) -> Collection[str]:
    """Return the names that a provider represents.

    Its own and its key's, or else the source's.
    """
    return {name, *(provider_grant.carriers or [source.name or name])}


def may_write(speakers: Collection[str], carriers: frozenset[str]) -> bool:
    """Return True if a provider with these names may write about a carrier's parcel."""
    return not carriers or not carriers.isdisjoint(speakers)


def is_end_of_own_delivery(event: TrackingEvent, order_id: int | None, carriers: frozenset[str]) -> bool:
    """Return True if an event ends an order's own delivery, without a carrier."""
    return ends_journey(event) and order_id is not None and not carriers


def ends_journey(event: TrackingEvent) -> bool:
    """Return True if an event ends a journey: terminal, or delivered by its profile."""
    return event.status_code in TERMINAL_CODES or event.phase == Phase.DELIVERED


def time_refusal(event: TrackingEvent, now: datetime, path: str) -> RefusalReason | None:
    """Return the refusal of an event too far in the future, or None."""
    if not is_ahead(event.occurred_at, now):
        return None
    return RefusalReason(path, "otep.validate.time_ahead", {"max": CLOCK_AHEAD_MINUTES}, "otep.hint.clock")


PARTS_MAX = 250_000
"""Most values in one document."""
# 250 for each of the 1,000 events of a call; a million empty objects would take 64 MB.

CHARACTERS_MAX_BYTES = 20_000_000
"""Maximum memory for the text of a document."""
# Python stores a text with a character beyond U+FFFF at four bytes a character.

DOCUMENT_MALFORMED = declare_error("document_malformed", 400)
NOT_UTF8 = declare_error("document_not_utf8", 400)
TOO_DEEP = declare_error("document_too_deep", 400)
DUPLICATE_KEY = declare_error("document_key_twice", 400)
NUMBER_TOO_LONG = declare_error("document_number_too_long", 400)
TOO_COMPLEX = declare_error("document_too_complex", 413)

_TWO_BYTES_WIDE, _FOUR_BYTES_WIDE = re.compile(rb"[\xc4-\xef]"), re.compile(rb"[\xf0-\xff]")
_NAME_SHOWN_MAX = 60


class _DuplicateKeyError(ValueError):
    """Raised for duplicate member names; JSON parsers differ in which one they take."""


def read_json(body: bytes) -> Any:
    """Return the value of a JSON document (RFC 8259).

    Raises `TOO_COMPLEX` before anything is read; `NOT_UTF8`, `DOCUMENT_MALFORMED` with the place, `TOO_DEEP`,
    `DUPLICATE_KEY` and `NUMBER_TOO_LONG`.
    """
    if (
        body.count(b",") + body.count(b"{") + body.count(b"[") > PARTS_MAX
        or _memory_bound_bytes(body) > CHARACTERS_MAX_BYTES
    ):
        raise TOO_COMPLEX(max=PARTS_MAX)
    try:
        return json.loads(body.decode(), object_pairs_hook=_unique_members, parse_constant=_reject_constant)
    except UnicodeDecodeError as error:
        raise NOT_UTF8(position=error.start) from None
    except RecursionError:
        raise TOO_DEEP() from None
    except json.JSONDecodeError as error:
        raise DOCUMENT_MALFORMED(line=error.lineno, column=error.colno) from None
    except _DuplicateKeyError as error:
        raise DUPLICATE_KEY(name=str(error)) from None
    except ValueError:  # Python's own limit to the digits of an integer
        raise NUMBER_TOO_LONG() from None


def _memory_bound_bytes(body: bytes) -> int:
    """Return an upper bound of a text's memory in bytes."""
    if body.isascii():
        return len(body)
    return len(body) * (4 if _FOUR_BYTES_WIDE.search(body) else 2 if _TWO_BYTES_WIDE.search(body) else 1)


def _unique_members(members: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(members)
    if len(value) != len(members):
        names: set[str] = set()
        for name, _ in members:
            if name in names:
                raise _DuplicateKeyError(name[:_NAME_SHOWN_MAX].encode("ascii", "backslashreplace").decode())
            names.add(name)
    return value


def _reject_constant(constant: str) -> NoReturn:
    """Reject NaN and Infinity, which are not JSON."""
    raise json.JSONDecodeError(constant, constant, 0)
