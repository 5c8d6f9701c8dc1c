"""Jobs of queued pushes: events of many pushes are written together."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from haulier.contexts.tracking.events import CarrierPushRefused
from haulier.contexts.tracking.ingest.actions import (
    PUSHES_STREAM,
    IngestResolution,
    PushedEvents,
    PushingProvider,
    persist_resolution,
    resolve_document,
)
from haulier.contexts.tracking.ingest.rules.parsed import ParsedDocument, empty_document
from haulier.contexts.tracking.pushes import store
from haulier.contexts.tracking.pushes.actions import CARRIER_MAX, refused_row
from haulier.contexts.tracking.pushes.rules import REASONS_MAX, CarrierMessageOrigin
from haulier.kernel.background.events import subscriber
from haulier.kernel.background.streams import StreamItem, stream
from haulier.kernel.call import Call

MESSAGES_AT_ONCE = 20
"""Maximum number of messages in a transaction; full ones hold as many events as one call."""
Items = Sequence[StreamItem[PushedEvents]]


@stream(PUSHES_STREAM, PushedEvents, at_once=MESSAGES_AT_ONCE)
async def write_pushed_events(call: Call, items: Items) -> None:
    """Write queued events as if each provider had pushed them in one document.

    Recorded events change nothing.
    """
    by_provider: dict[PushingProvider, list[StreamItem[PushedEvents]]] = {}
    for item in items:
        by_provider.setdefault(item.args.provider, []).append(item)
    for provider, own in by_provider.items():
        document = _merged(own)
        resolution = await resolve_document(call, document, provider.grant, provider.name)
        await persist_resolution(call, resolution)
        await store.upsert_refused_pushes(call.work, list(_refused_rows(call, own, document, resolution)))


@subscriber(CarrierPushRefused)
async def list_refused_webhook(call: Call, event: CarrierPushRefused) -> None:
    """List the rejected events of a carrier's webhook, and store it for a replay."""
    rows = [
        refused_row(event.provider_id, event.push_id, event.pushed_at, event.pushed_at, scan) for scan in event.scans
    ]
    reasons = [*event.reasons, *(reason for scan in event.scans for reason in scan.reasons)][:REASONS_MAX]
    message = {
        "push_id": event.push_id,
        "origin": CarrierMessageOrigin.PUSH.value,
        "sender": event.sender,
        "carrier": event.provider[:CARRIER_MAX],
        "provider_id": event.provider_id,
        "tracking_number": event.tracking_number or next((scan.tracking_number for scan in event.scans), ""),
        "received_at": event.pushed_at,
        "reasons": reasons,
        "document": event.document,
    }
    if not await store.insert_messages(call.work, [message]):
        await store.update_open_reasons(call.work, event.push_id, reasons)
    await store.upsert_refused_pushes(call.work, rows)


def _merged(items: Items) -> ParsedDocument:
    """Merge documents into one; paths name the item, since positions repeat."""
    document = empty_document()
    for number, item in enumerate(items):
        document.events += [replace(event, path=f"{number}:{event.path}") for event in item.args.events]
    document.paths = list(dict.fromkeys(event.path for event in document.events))
    return document


def _refused_rows(
    call: Call, items: Items, document: ParsedDocument, resolution: IngestResolution
) -> Iterator[dict[str, Any]]:
    """Yield a row for each rejected event; one event can have several subjects."""
    events = {event.path: event for event in reversed(document.events)}
    for merged_path, reasons in resolution.refused.items():
        number, _, path = merged_path.partition(":")
        item, parsed = items[int(number)], events[merged_path]
        yield {
            "provider_id": item.args.provider.key_id,
            "push_id": item.args.push_id,
            "path": path,
            "pushed_at": item.at,
            "refused_at": call.now,
            "tracking_number": parsed.subject.names[0],
            "reference": parsed.event.event_id or parsed.event.source.reference or None,
            "status_code": parsed.event.status_code,
            "occurred_at": parsed.event.occurred_at,
            "reasons": [to_builtins(replace(each, path=each.path.partition(":")[2])) for each in reasons],
        }
