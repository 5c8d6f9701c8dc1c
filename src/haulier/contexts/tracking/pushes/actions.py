"""Replay of a carrier's message with the current rules, rights and records."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import to_builtins

from haulier.contexts.tracking.ingest.actions.persist import persist_resolution
from haulier.contexts.tracking.ingest.actions.resolve import resolve_document
from haulier.contexts.tracking.ingest.rules import source_permissions
from haulier.contexts.tracking.ingest.rules.carrier_pushes import native_of_push, not_understood
from haulier.contexts.tracking.ingest.rules.native_document import read_native
from haulier.contexts.tracking.ingest.rules.parsed import RefusalReason
from haulier.contexts.tracking.ingest.rules.refused_scans import refused_scans
from haulier.contexts.tracking.ingest.rules.strict_json import read_json
from haulier.contexts.tracking.ports import StoredScanReader
from haulier.contexts.tracking.providers.queries import get_provider_rights
from haulier.contexts.tracking.pushes.actions.messages import carrier_scan_event
from haulier.contexts.tracking.pushes.actions.refused import refused_row
from haulier.contexts.tracking.pushes.rules import (
    REASONS_MAX,
    SCAN_UNREADABLE,
    CarrierMessageOrigin,
    CarrierMessageStatus,
    error_reason,
)
from haulier.contexts.tracking.pushes.store import messages, refused
from haulier.contexts.tracking.pushes.store.messages import CarrierMessageRow
from haulier.contexts.tracking.timelines.actions import record_events
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError, record_not_found


async def replay_message(call: Call, message_id: int) -> None:
    """Record the events of a message that can be recorded now. An applied message stays as it is.

    Raises `NOT_FOUND`. Events that are recorded already are recognised by their ids and change nothing.
    """
    row = await messages.get_message_row(call.work, message_id, lock=True)
    if row is None:
        raise record_not_found(carrier_message_id=message_id)
    if row.status == CarrierMessageStatus.APPLIED:
        return
    is_poll = row.origin == CarrierMessageOrigin.POLL
    reasons = await (_replay_scan(call, row) if is_poll else _replay_push(call, row))
    status = CarrierMessageStatus.OPEN if reasons else CarrierMessageStatus.APPLIED
    await messages.update_message(
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
        parsed = read_native(native, source_permissions.default_source(grant, name))
    except OperationError as error:
        return [error_reason(error)]
    resolution = await resolve_document(call, parsed, grant, name)
    await persist_resolution(call, resolution)
    await _replace_refused(call, row, native, resolution.refused)
    return [reason for reasons in resolution.refused.values() for reason in reasons]


async def _replace_refused(
    call: Call, row: CarrierMessageRow, native: Mapping[str, Any], reasons: Mapping[str, Sequence[RefusalReason]]
) -> None:
    """List the events that are still refused, and no others, as refused events of the push."""
    await refused.delete_refused_of_push(call.work, row.push_id)
    rows = [
        refused_row(row.provider_id or 0, row.push_id, row.received_at, call.now, scan)
        for scan in refused_scans(native, reasons)
    ]
    await refused.upsert_refused_pushes(call.work, rows)
