"""Writes of pushes for other families."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET, Struct, to_builtins

from haulier.contexts.otep.public import Location, Source
from haulier.contexts.tracking.events import RefusedScan
from haulier.contexts.tracking.ingest.actions import persist_resolution, resolve_document
from haulier.contexts.tracking.ingest.rules import parsed as parsed_rules
from haulier.contexts.tracking.ingest.rules.carrier_pushes import native_of_push, not_understood
from haulier.contexts.tracking.ingest.rules.native_document import read_native
from haulier.contexts.tracking.ingest.rules.parsed import RefusalReason, read_json, refused_scans
from haulier.contexts.tracking.ports import ReadScan, StoredScanReader
from haulier.contexts.tracking.providers.queries import get_provider_rights
from haulier.contexts.tracking.pushes import store
from haulier.contexts.tracking.pushes.rules import (
    REASONS_MAX,
    SCAN_UNREADABLE,
    CarrierMessageOrigin,
    CarrierMessageStatus,
    error_reason,
    scan_digest,
    scan_text,
)
from haulier.contexts.tracking.pushes.store import CarrierMessageRow
from haulier.contexts.tracking.timelines.actions import NewEvent, record_events
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError, record_not_found

PROFILE = "parcel"
NUMBER_MAX, CARRIER_MAX = 100, 120


class UnreadableScan(Struct, frozen=True):
    """A scan of a poll that cannot be recorded, as its `sender` wrote it."""

    tracking_number: str
    sender: str
    document: Mapping[str, Any]


async def store_unreadable_scans(call: Call, carrier: str, scans: Sequence[UnreadableScan]) -> None:
    """Store polled scans that cannot be recorded, each once.

    `carrier` is the code of the polled account.
    """
    rows = {(row := _scan_row(call, carrier, scan))["push_id"]: row for scan in scans}
    await store.insert_messages(call.work, list(rows.values()))


def _scan_row(call: Call, carrier: str, scan: UnreadableScan) -> dict[str, Any]:
    document = scan_text(scan.document)
    return {
        "push_id": scan_digest(carrier, scan.tracking_number, document),
        "origin": CarrierMessageOrigin.POLL.value,
        "sender": scan.sender,
        "carrier": carrier[:CARRIER_MAX],
        "provider_id": None,
        "tracking_number": scan.tracking_number[:NUMBER_MAX],
        "received_at": call.now,
        "reasons": [to_builtins(SCAN_UNREADABLE)],
        "document": document,
    }


def carrier_scan_event(carrier: str, number: str, scan: ReadScan, order_ref: str | None = None) -> NewEvent:
    """Return a polled scan as a timeline event. `carrier` is the account's code."""
    place = {name: getattr(scan, name) or UNSET for name in ("city", "region", "country")}
    known = any(value is not UNSET for value in place.values())
    return NewEvent(
        tracking_number=number,
        status_code=scan.otep_code,
        occurred_at=scan.occurred_at,
        location=Location(**place) if known else None,
        source=Source(type="carrier", name=carrier.lower()),
        reference=scan.event_id,
        raw_status=scan.text or scan.code,
        profile=PROFILE,
        order_ref=order_ref,
    )


def refused_row(
    provider_id: int, push_id: str, pushed_at: datetime, refused_at: datetime, scan: RefusedScan
) -> dict[str, Any]:
    """Return the row of a refused event of a carrier's webhook."""
    return {
        "provider_id": provider_id,
        "push_id": push_id,
        "path": scan.path,
        "pushed_at": pushed_at,
        "refused_at": refused_at,
        "tracking_number": scan.tracking_number,
        "reference": scan.reference,
        "status_code": scan.status_code,
        "occurred_at": scan.occurred_at or pushed_at,
        "reasons": list(scan.reasons),
    }


async def replay_message(call: Call, message_id: int) -> None:
    """Record the events of a message that can be recorded now.

    An applied message is unchanged. Raises `NOT_FOUND`. Recorded events are recognised by their ids.
    """
    row = await store.get_message_row(call.work, message_id, lock=True)
    if row is None:
        raise record_not_found(carrier_message_id=message_id)
    if row.status == CarrierMessageStatus.APPLIED:
        return
    is_poll = row.origin == CarrierMessageOrigin.POLL
    reasons = await (_replay_scan(call, row) if is_poll else _replay_push(call, row))
    status = CarrierMessageStatus.OPEN if reasons else CarrierMessageStatus.APPLIED
    await store.update_message(
        call.work,
        row.id,
        status=status.value,
        reasons=[to_builtins(reason) for reason in reasons[:REASONS_MAX]],
        replays=row.replays + 1,
        replayed_at=call.now,
        replayed_by=call.actor,
        applied_at=None if reasons else call.now,
    )


async def _replay_scan(call: Call, row: CarrierMessageRow) -> Sequence[RefusalReason]:
    scan = call.adapter(StoredScanReader).read_scan(row.sender, msgspec.json.decode(row.document))
    if scan is None:
        return [SCAN_UNREADABLE]
    await record_events(call, [carrier_scan_event(row.carrier, row.tracking_number, scan)])
    return []


async def _replay_push(call: Call, row: CarrierMessageRow) -> Sequence[RefusalReason]:
    """Return the reasons for which events are still refused."""
    name, grant = await get_provider_rights(call.work, row.provider_id or 0)
    try:
        document = read_json(row.document.encode())
        if reason := not_understood(document):
            return [reason]
        native = native_of_push(document, received_at=row.received_at)
        parsed = read_native(native, parsed_rules.default_source(grant, name))
    except OperationError as error:
        return [error_reason(error)]
    resolution = await resolve_document(call, parsed, grant, name)
    await persist_resolution(call, resolution)
    await _replace_refused(call, row, native, resolution.refused)
    return [reason for reasons in resolution.refused.values() for reason in reasons]


async def _replace_refused(
    call: Call, row: CarrierMessageRow, native: Mapping[str, Any], reasons: Mapping[str, Sequence[RefusalReason]]
) -> None:
    """Replace the rejected events of the push by those that are still rejected."""
    await store.delete_refused_of_push(call.work, row.push_id)
    rows = [
        refused_row(row.provider_id or 0, row.push_id, row.received_at, call.now, scan)
        for scan in refused_scans(native, reasons)
    ]
    await store.upsert_refused_pushes(call.work, rows)
