"""The offline queue: events are kept once, tried in the order in which they happened, and wait for what is still to come.

An event that builds on another one (a delivery on the start of its route) is not refused when it comes first: it waits, and
is tried again whenever its device is heard of. What was collected or not delivered before a return to the depot that we
already know of is handed in at that return. So however a day's events are cut into calls, mixed up or repeated, the day ends
the same.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.driver_app.offline_queue import store as queue
from haulier.contexts.driver_app.offline_queue.actions.device_events import apply_device_event
from haulier.contexts.driver_app.offline_queue.contract import DeviceEvent, DeviceEventReceipt
from haulier.contexts.driver_app.offline_queue.rules import (
    EVENT_NEVER_FITTED,
    PRECEDING_EVENT_MISSING,
    DeviceEventStatus,
    DeviceEventType,
    QueuedDeviceEvent,
    event_sort_key,
    has_waited_too_long,
    may_still_fit,
    waits_for_preceding_event,
)
from haulier.contexts.driver_app.positions import store as positions
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.errors import CONFLICT, INVALID_REQUEST, OperationError

LOADING_EVENT_TYPES = frozenset({DeviceEventType.PICK_UP, DeviceEventType.FAIL})
"""After these the vehicle holds something that belongs to the depot."""

MAX_TRIES_PER_SYNC = 3_000
"""So many attempts in one call; what is left is tried when the device is heard of next."""


class DeviceEventVerdict(Struct, frozen=True):
    """What became of an event, and why where it was not applied."""

    fate: DeviceEventStatus
    refusal: OperationError | None = None


async def store_new_events(call: Call, driver: Any, events: Sequence[DeviceEvent]) -> dict[str, Any]:
    """Keep the events that are new. Returns the rows of those that were known before."""
    await positions.lock_driver(call.work, driver.id)
    readable = {event.id: event for event in reversed(events) if event.unread is None}
    known = await queue.get_known_events(call.work, driver.id, readable)
    fresh = [event for id, event in readable.items() if id not in known]
    await queue.insert_device_events(call.work, driver.id, [_device_event_row(call, event) for event in fresh])
    return known


async def apply_waiting_events(call: Call, driver: Any) -> dict[str, DeviceEventVerdict]:
    """Try everything that waits, until nothing more fits; what became of each event."""
    waiting = await queue.list_waiting_events(call.work, driver.id)
    aboard = {event.body["route_id"] for event in waiting if event.kind in LOADING_EVENT_TYPES}
    returns = await queue.list_applied_returns(call.work, driver.id, aboard)
    links = await queue.get_known_events(call.work, driver.id, [event.after for event in waiting if event.after])
    settled = {id for id, row in links.items() if row.fate != DeviceEventStatus.WAITING}
    verdicts: dict[str, DeviceEventVerdict] = {}
    left, tries = sorted([*waiting, *returns], key=event_sort_key), MAX_TRIES_PER_SYNC
    while left and tries > 0:
        before = len(settled)
        for event in left[:tries]:
            verdict = await _try_event(call, driver, event, settled)
            if not event.again:
                verdicts[event.id] = verdict
            if verdict.fate is not DeviceEventStatus.WAITING:
                settled.add(event.id)
        tries -= len(left)
        if len(settled) == before:
            break
        left = [event for event in left if event.again or event.id not in settled]
    await queue.update_event_verdicts(
        call.work, driver.id, [_verdict_row(id, verdict) for id, verdict in verdicts.items()], call.now
    )
    return verdicts


async def _try_event(call: Call, driver: Any, event: QueuedDeviceEvent, settled: set[str]) -> DeviceEventVerdict:
    if waits_for_preceding_event(event, settled, call.now):
        return DeviceEventVerdict(DeviceEventStatus.WAITING, PRECEDING_EVENT_MISSING(event_id=event.after))
    side_effects, audited_records = len(call.side_effects), len(call.audited_records)
    try:
        async with call.work.savepoint():
            await apply_device_event(call, driver, event)
    except (OperationError, UniqueConflict) as error:
        del call.side_effects[side_effects:], call.audited_records[audited_records:]
        refusal = error if isinstance(error, OperationError) else CONFLICT()
        if not may_still_fit(refusal.error_type.id, refusal.params):
            return DeviceEventVerdict(DeviceEventStatus.REFUSED, refusal)
        if has_waited_too_long(event, call.now):
            return DeviceEventVerdict(DeviceEventStatus.REFUSED, EVENT_NEVER_FITTED(event_id=event.id))
        return DeviceEventVerdict(DeviceEventStatus.WAITING, refusal)
    return DeviceEventVerdict(DeviceEventStatus.APPLIED)


def build_receipts(
    call: Call, events: Sequence[DeviceEvent], known: Mapping[str, Any], verdicts: Mapping[str, DeviceEventVerdict]
) -> list[DeviceEventReceipt]:
    """A receipt for every event of a call, in its order; of one that the call names twice, the second is a duplicate."""
    seen: set[str] = set(known)
    told: list[DeviceEventReceipt] = []
    for event in events:
        if event.unread is not None:
            told.append(_unreadable_receipt(call, event))
            continue
        duplicate = event.id in seen
        seen.add(event.id)
        if event.id in verdicts:
            told.append(build_receipt(call, event.id, verdicts[event.id], duplicate=duplicate))
        else:
            told.append(_repeated_receipt(call, known[event.id]))
    return told


def build_receipt(call: Call, id: str, verdict: DeviceEventVerdict, *, duplicate: bool = False) -> DeviceEventReceipt:
    """What became of an event, in the caller's language."""
    refusal = verdict.refusal
    return DeviceEventReceipt(
        id=id,
        fate=verdict.fate,
        duplicate=duplicate,
        code=refusal.error_type.code if refusal else None,
        message=call.translate(refusal.error_type.id, **refusal.params) if refusal else None,
        fields=[fault.field for fault in refusal.field_errors] if refusal else [],
    )


def _repeated_receipt(call: Call, row: Any) -> DeviceEventReceipt:
    return DeviceEventReceipt(
        id=row.event_id,
        fate=DeviceEventStatus(row.fate),
        duplicate=True,
        code=row.code and row.code.upper(),
        message=call.translate(row.code, **(row.params or {})) if row.code else None,
    )


def _unreadable_receipt(call: Call, event: DeviceEvent) -> DeviceEventReceipt:
    return DeviceEventReceipt(
        id=event.id,
        fate=DeviceEventStatus.REFUSED,
        duplicate=False,
        code=INVALID_REQUEST.code,
        message=call.translate(INVALID_REQUEST.id),
        fields=[event.unread or ""],
    )


def _device_event_row(call: Call, event: DeviceEvent) -> dict[str, Any]:
    body = event.model_dump(mode="json", exclude_none=True, exclude={"id", "kind", "occurred_at", "after"})
    return {
        "event_id": event.id,
        "after": event.after,
        "kind": event.kind,
        "route_id": event.route_id,
        "occurred_at": event.occurred_at,
        "received_at": call.now,
        "body": body,
    }


def _verdict_row(id: str, verdict: DeviceEventVerdict) -> dict[str, Any]:
    refusal = verdict.refusal
    return {
        "event": id,
        "new_fate": verdict.fate,
        "new_code": refusal.error_type.id if refusal else None,
        "new_params": dict(refusal.params) if refusal else None,
    }
