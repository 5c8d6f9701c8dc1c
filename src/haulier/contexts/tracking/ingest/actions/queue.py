"""Pushed events that a stream takes: they are written later, those of many pushes at once."""

import asyncio
import secrets
from collections.abc import Collection
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.tracking.ingest.rules import source_permissions
from haulier.contexts.tracking.ingest.rules.parsed import ParsedDocument, ParsedEvent
from haulier.contexts.tracking.ingest.rules.push_messages import split_into_messages
from haulier.kernel.background.streams import FactStream
from haulier.kernel.call import Call
from haulier.kernel.principal import ProviderGrant

PUSHES_STREAM = "tracking.pushes"


class PushingProvider(Struct, frozen=True, kw_only=True):
    """Whose key pushed, and what it might do then."""

    key_id: int
    name: str
    grant: ProviderGrant


class PushedEvents(Struct, frozen=True, kw_only=True):
    """Some events of a push."""

    push_id: str
    provider: PushingProvider
    events: list[ParsedEvent]


class QueuedEvents(Struct, frozen=True):
    """What the stream took of a document, by path."""

    push_id: str
    paths: Collection[str]


async def queue_events(
    call: Call, document: ParsedDocument, grant: ProviderGrant, provider: str
) -> QueuedEvents | None:
    """Hand events to the stream; None where it took none. What can be refused already is left to the caller.

    So is a document with present statuses: each of them is compared with the one before it, so they must keep their order.
    """
    if document.polled or not call.adapter(FactStream).keeps:
        return None
    refused = {event.path for event in document.events if _is_refused(call, event, grant, provider)}
    refused |= document.refused.keys()
    pusher = PushingProvider(key_id=call.principal.token_id or 0, name=provider, grant=grant)
    # Why a new id, and not that of the call: an event that was refused and is pushed again must be looked at again, and a
    # broker takes equal messages for one.
    push_id = secrets.token_hex(8)
    messages = list(split_into_messages(event for event in document.events if event.path not in refused))
    pushes = (PushedEvents(push_id=push_id, provider=pusher, events=events) for events in messages)
    taken = await asyncio.gather(*(call.stream(PUSHES_STREAM, push) for push in pushes))
    kept = chain.from_iterable(events for events, is_taken in zip(messages, taken, strict=True) if is_taken)
    paths = {event.path for event in kept}
    return QueuedEvents(push_id, paths) if paths else None


def _is_refused(call: Call, event: ParsedEvent, grant: ProviderGrant, provider: str) -> bool:
    """Whether an event is refused whatever is recorded."""
    if source_permissions.source_refusal(event.event.source, grant, provider, event.path):
        return True
    return not event.correction and source_permissions.time_refusal(event.event, call.now, event.path) is not None


def without_queued(document: ParsedDocument, queued: QueuedEvents | None) -> ParsedDocument:
    """A document without the events that the stream took."""
    if queued is None:
        return document
    return replace(document, events=[event for event in document.events if event.path not in queued.paths])
