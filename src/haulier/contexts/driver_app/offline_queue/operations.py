"""The operation of the offline queue."""

from haulier.contexts.driver_app.driver_account.queries import NO_DRIVER_RECORD, get_calling_driver
from haulier.contexts.driver_app.offline_queue.actions import (
    apply_waiting_events,
    build_receipt,
    build_receipts,
    store_new_events,
)
from haulier.contexts.driver_app.offline_queue.contract import SyncResult, SyncRiderEvents
from haulier.contexts.driver_app.offline_queue.rules import DeviceEventStatus
from haulier.contexts.driver_app.policy.operations import DRIVERS_ONLY
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import Risk, Scope
from haulier.kernel.values.device_times import DeviceClock


@writes(
    "sync_rider_events",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NO_DRIVER_RECORD,),
    interfaces=(Rest("POST", "/v1/rider/sync"), GraphQL("syncRiderEvents")),
)
async def sync_rider_events(call: Call, request: SyncRiderEvents) -> SyncResult:
    """Submit events recorded offline.

    Takes up to 100 events in any order, including late and repeated ones. They are applied in the order in which they
    happened. Wrong device clocks are corrected and are no reason for refusal. A refused event does not affect the
    others, and an event that depends on a missing one waits for it. Every event gets a receipt; an event with a receipt
    is stored.
    """
    driver = await get_calling_driver(call)
    clock = DeviceClock(received_at=call.now, sent_at=request.sent_at)
    stored = await store_new_events(call, driver, request.events, clock)
    verdicts = await apply_waiting_events(call, driver)
    receipts = await build_receipts(call, driver, request.events, stored, verdicts)
    named = {event.id for event in request.events}
    settled_now = {
        id: verdict
        for id, verdict in verdicts.items()
        if id not in named and verdict.status is not DeviceEventStatus.WAITING
    }
    return SyncResult(
        applied=sum(receipt.status is DeviceEventStatus.APPLIED and not receipt.duplicate for receipt in receipts),
        refused=sum(receipt.status is DeviceEventStatus.REFUSED and not receipt.duplicate for receipt in receipts),
        waiting=sum(receipt.status is DeviceEventStatus.WAITING and not receipt.duplicate for receipt in receipts),
        duplicates=sum(receipt.duplicate for receipt in receipts),
        receipts=receipts,
        settled=[build_receipt(call, id, verdict, duplicate=True) for id, verdict in settled_now.items()],
        clock_ahead_s=clock.ahead_s,
    )
