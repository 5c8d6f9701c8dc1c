"""Writes of the offline queue for other families.

An event that builds on another one (a delivery on the start of its route) is not refused when it arrives first: it waits,
and is tried again at every later call of its device. A return to the depot that was applied already is applied again when
an earlier pickup or failed delivery of its route arrives late, so that its parcel is handed in too. The day therefore ends
the same however its events are split into calls, reordered or repeated.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct
from pydantic import ValidationError

from haulier.contexts.driver_app.day.actions import accept_given_route, return_route
from haulier.contexts.driver_app.day.contract import AnswerRoute
from haulier.contexts.driver_app.offline_queue import store
from haulier.contexts.driver_app.offline_queue.contract import DeviceEvent, DeviceEventReceipt
from haulier.contexts.driver_app.offline_queue.rules import (
    EVENT_NEVER_FITTED,
    PRECEDING_EVENT_MISSING,
    REFUSALS_WITH_PROOF,
    DeviceEventStatus,
    DeviceEventType,
    QueuedDeviceEvent,
    event_sort_key,
    has_waited_too_long,
    is_refused_for_time,
    may_still_fit,
    waits_for_preceding_event,
)
from haulier.contexts.driver_app.offline_queue.store import DeviceEventStatusRow
from haulier.contexts.driver_app.proof.actions import (
    complete_stop_with_proof,
    count_if_wrong,
    fail_stop_with_proof,
    store_refused_proof,
)
from haulier.contexts.driver_app.proof.contract import CompleteRiderStop, FailRiderStop
from haulier.contexts.driver_app.scans.actions import record_scan
from haulier.contexts.driver_app.scans.contract import ScanCode
from haulier.contexts.fleet.public import DriverRow, lock_drivers
from haulier.contexts.orders.public import PIN_WRONG
from haulier.contexts.routes.public import (
    finish_route,
    record_arrival,
    record_corrected_times,
    reopen_failed_stop,
    return_route_to_depot,
    start_route,
)
from haulier.contexts.routes.routes.contract import ReopenStop, ReportRouteEvent, ReportStopEvent, StartRoute
from haulier.contexts.routes.stops.rules import StopAction
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.client_keys import key_reused, list_differing_fields
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.errors import CONFLICT, INVALID_REQUEST, FieldError, OperationError
from haulier.kernel.values.device_times import DeviceClock, EventTime

R = TypeVar("R", bound=Request)


class DeviceEventAction(Struct, frozen=True):
    """Request model of an event type, and the action that handles it."""

    request: type[Request]
    action: Callable[..., Awaitable[Any]]
    takes_driver: bool = True
    """True if the action takes the driver as an argument. Route actions find the driver by the call."""


DEVICE_EVENT_ACTIONS: Mapping[DeviceEventType, DeviceEventAction] = {
    DeviceEventType.ACCEPT: DeviceEventAction(AnswerRoute, accept_given_route),
    DeviceEventType.DECLINE: DeviceEventAction(AnswerRoute, return_route),
    DeviceEventType.START: DeviceEventAction(StartRoute, partial(start_route, happened=True), takes_driver=False),
    DeviceEventType.ARRIVE: DeviceEventAction(ReportStopEvent, record_arrival, takes_driver=False),
    DeviceEventType.SCAN: DeviceEventAction(ScanCode, record_scan),
    DeviceEventType.PICK_UP: DeviceEventAction(
        CompleteRiderStop, partial(complete_stop_with_proof, action=StopAction.PICK_UP)
    ),
    DeviceEventType.DELIVER: DeviceEventAction(
        CompleteRiderStop, partial(complete_stop_with_proof, action=StopAction.DELIVER)
    ),
    DeviceEventType.FAIL: DeviceEventAction(FailRiderStop, fail_stop_with_proof),
    DeviceEventType.REOPEN: DeviceEventAction(ReopenStop, reopen_failed_stop, takes_driver=False),
    DeviceEventType.RETURN_TO_DEPOT: DeviceEventAction(ReportRouteEvent, return_route_to_depot, takes_driver=False),
    DeviceEventType.FINISH: DeviceEventAction(ReportRouteEvent, finish_route, takes_driver=False),
}


async def apply_device_event(call: Call, driver: DriverRow, event: QueuedDeviceEvent) -> None:
    """Apply an event.

    Raises `INVALID_REQUEST` if its type needs more fields, and the errors of the action.
    """
    entry = DEVICE_EVENT_ACTIONS[event.kind]
    request = read_device_event(event, entry.request)
    if entry.takes_driver:
        await entry.action(call, driver, request)
    else:
        await entry.action(call, request)


async def record_refused_event(call: Call, driver: DriverRow, event: QueuedDeviceEvent) -> None:
    """Store the proof of a refused delivery; other event types leave nothing."""
    if event.kind is DeviceEventType.DELIVER:
        await store_refused_proof(call, driver, read_device_event(event, CompleteRiderStop))


def read_device_event(event: QueuedDeviceEvent, request_type: type[R]) -> R:
    """Return the event as the request of its action, without unrelated fields.

    Raises `INVALID_REQUEST` if a field is missing.
    """
    fields = {name: event.body[name] for name in request_type.model_fields if event.body.get(name) is not None}
    try:
        return request_type.model_validate({**fields, "occurred_at": event.occurred_at})
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        field_errors = [
            FieldError(".".join(map(str, detail["loc"])), f"field.{detail['type']}", detail.get("ctx", {}))
            for detail in details
        ]
        raise INVALID_REQUEST.for_fields(*field_errors) from None


LOADING_EVENT_TYPES = frozenset({DeviceEventType.PICK_UP, DeviceEventType.FAIL})
"""After these the vehicle holds a parcel that has to be handed in at the depot."""

MAX_TRIES_PER_SYNC = 3_000
"""Maximum number of attempts per call. The other events are tried in the device's next call."""


class DeviceEventVerdict(Struct, frozen=True):
    """The status of an event, and the error where it was not applied."""

    status: DeviceEventStatus
    error: OperationError | None = None


async def store_new_events(
    call: Call, driver: DriverRow, events: Sequence[DeviceEvent], clock: DeviceClock
) -> dict[str, DeviceEventStatusRow]:
    """Store new events, and return the status of those stored before.

    An event that was refused because of its time counts as new.
    """
    # Two calls of one device at once would both store and apply the same event.
    await lock_drivers(call, [driver.id])
    readable = {event.id: event for event in reversed(events) if event.unread is None}
    stored = await store.get_known_events(call.work, driver.id, readable)
    retried = {id for id, row in stored.items() if is_refused_for_time(row.status, row.code, row.fields)}
    await store.delete_device_events(call.work, driver.id, retried)
    stored = {id: row for id, row in stored.items() if id not in retried}
    fresh = [event for id, event in readable.items() if id not in stored]
    times = [clock.read_time(event.occurred_at) for event in fresh]
    rows = [_device_event_row(call, event, time) for event, time in zip(fresh, times, strict=True)]
    await store.insert_device_events(call.work, driver.id, rows)
    await record_corrected_times(call, {event.route_id for event in fresh}, times, driver_id=driver.id)
    return stored


async def apply_waiting_events(call: Call, driver: DriverRow) -> dict[str, DeviceEventVerdict]:
    """Try the waiting events until none can be applied, and return the verdicts."""
    waiting = await store.list_waiting_events(call.work, driver.id)
    aboard = {event.body["route_id"] for event in waiting if event.kind in LOADING_EVENT_TYPES}
    returns = await store.list_applied_returns(call.work, driver.id, aboard)
    links = await store.get_known_events(call.work, driver.id, [event.after for event in waiting if event.after])
    settled = {id for id, row in links.items() if row.status != DeviceEventStatus.WAITING}
    verdicts: dict[str, DeviceEventVerdict] = {}
    remaining, tries = sorted([*waiting, *returns], key=event_sort_key), MAX_TRIES_PER_SYNC
    while remaining and tries > 0:
        settled_before = len(settled)
        for event in remaining[:tries]:
            verdict = await _try_event(call, driver, event, settled)
            if not event.again:
                verdicts[event.id] = verdict
            if verdict.status is not DeviceEventStatus.WAITING:
                settled.add(event.id)
        tries -= len(remaining)
        if len(settled) == settled_before:
            break
        remaining = [event for event in remaining if event.again or event.id not in settled]
    await store.update_event_verdicts(
        call.work, driver.id, [_verdict_row(id, verdict) for id, verdict in verdicts.items()], call.now
    )
    return verdicts


async def _try_event(call: Call, driver: DriverRow, event: QueuedDeviceEvent, settled: set[str]) -> DeviceEventVerdict:
    if waits_for_preceding_event(event, settled, call.now):
        return DeviceEventVerdict(DeviceEventStatus.WAITING, PRECEDING_EVENT_MISSING(event_id=event.after))
    try:
        async with call.savepoint():
            await apply_device_event(call, driver, event)
    except (OperationError, UniqueConflict) as failure:
        error = failure if isinstance(failure, OperationError) else CONFLICT()
        if error.error_type is PIN_WRONG:
            await count_if_wrong(call, read_device_event(event, CompleteRiderStop))
        if not may_still_fit(error.error_type.id, error.params):
            if error.error_type.id in REFUSALS_WITH_PROOF:
                await record_refused_event(call, driver, event)
            return DeviceEventVerdict(DeviceEventStatus.REFUSED, error)
        if has_waited_too_long(event, call.now):
            return DeviceEventVerdict(DeviceEventStatus.REFUSED, EVENT_NEVER_FITTED(event_id=event.id))
        return DeviceEventVerdict(DeviceEventStatus.WAITING, error)
    return DeviceEventVerdict(DeviceEventStatus.APPLIED)


async def build_receipts(
    call: Call,
    driver: DriverRow,
    events: Sequence[DeviceEvent],
    stored: Mapping[str, DeviceEventStatusRow],
    verdicts: Mapping[str, DeviceEventVerdict],
) -> list[DeviceEventReceipt]:
    """Return a receipt for every event of a call, in its order.

    The second of two equal events is a duplicate. A different event with a used id is refused.
    """
    rows = await store.get_known_events(call.work, driver.id, [event.id for event in events if event.unread is None])
    seen_ids: set[str] = set(stored)
    receipts: list[DeviceEventReceipt] = []
    for event in events:
        if event.unread is not None:
            receipts.append(_unreadable_receipt(call, event))
            continue
        duplicate = event.id in seen_ids
        seen_ids.add(event.id)
        if duplicate and (differing := _differing_fields(event, rows[event.id])):
            receipts.append(_reused_receipt(call, event, differing))
            continue
        if event.id in verdicts:
            receipt = build_receipt(call, event.id, verdicts[event.id], duplicate=duplicate)
        else:
            receipt = _repeated_receipt(call, stored[event.id])
        receipt.occurred_at = call.local_time(rows[event.id].occurred_at)
        receipt.clock_corrected = rows[event.id].device_at is not None
        receipts.append(receipt)
    return receipts


def build_receipt(call: Call, id: str, verdict: DeviceEventVerdict, *, duplicate: bool = False) -> DeviceEventReceipt:
    """The receipt of an event, in the caller's language."""
    error = verdict.error
    return DeviceEventReceipt(
        id=id,
        status=verdict.status,
        duplicate=duplicate,
        code=error.error_type.code if error else None,
        message=call.translate(error.error_type.id, **error.params) if error else None,
        fields=_named_fields(error),
    )


def _named_fields(error: OperationError | None) -> list[str]:
    return [field_error.field for field_error in error.field_errors] if error else []


def _repeated_receipt(call: Call, row: DeviceEventStatusRow) -> DeviceEventReceipt:
    return DeviceEventReceipt(
        id=row.event_id,
        status=DeviceEventStatus(row.status),
        duplicate=True,
        code=row.code and row.code.upper(),
        message=call.translate(row.code, **(row.params or {})) if row.code else None,
        fields=row.fields or [],
    )


def _differing_fields(event: DeviceEvent, stored: DeviceEventStatusRow) -> list[str]:
    """Return the fields that differ from the stored event.

    None for an event with erased content. The time is not compared, because the stored one may be corrected.
    """
    if not stored.body:
        return []
    sent = {"kind": event.kind.value, "after": event.after, **_event_body(event)}
    known = {"kind": stored.kind, "after": stored.after, **stored.body}
    return list_differing_fields({**dict.fromkeys(known), **sent}, known)


def _reused_receipt(call: Call, event: DeviceEvent, differing: list[str]) -> DeviceEventReceipt:
    error = key_reused("id", event.id, differing)
    return build_receipt(call, event.id, DeviceEventVerdict(DeviceEventStatus.REFUSED, error))


def _unreadable_receipt(call: Call, event: DeviceEvent) -> DeviceEventReceipt:
    return DeviceEventReceipt(
        id=event.id,
        status=DeviceEventStatus.REFUSED,
        duplicate=False,
        code=INVALID_REQUEST.code,
        message=call.translate(INVALID_REQUEST.id),
        fields=[event.unread or ""],
    )


def _event_body(event: DeviceEvent) -> dict[str, Any]:
    return event.model_dump(mode="json", exclude_none=True, exclude={"id", "kind", "occurred_at", "after"})


def _device_event_row(call: Call, event: DeviceEvent, time: EventTime) -> dict[str, Any]:
    return {
        "event_id": event.id,
        "after": event.after,
        "kind": event.kind,
        "route_id": event.route_id,
        "occurred_at": time.at,
        "device_at": time.stored_device_at,
        "received_at": call.now,
        "body": _event_body(event),
    }


def _verdict_row(id: str, verdict: DeviceEventVerdict) -> dict[str, Any]:
    error = verdict.error
    return {
        "event": id,
        "new_status": verdict.status,
        "new_code": error.error_type.id if error else None,
        "new_params": dict(error.params) if error else None,
        "new_fields": _named_fields(error) or None,
    }
