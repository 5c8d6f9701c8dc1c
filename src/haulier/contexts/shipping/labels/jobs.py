"""Background jobs of labels."""

import logging

from haulier.contexts.shipping.labels import store
from haulier.contexts.shipping.labels.actions.handover import (
    move_reported_shipments,
    reconcile_manifest,
    request_scans,
    store_scans,
    watch,
)
from haulier.contexts.shipping.labels.actions.purchases import reconcile_purchase
from haulier.contexts.shipping.labels.actions.submissions import reconcile_void
from haulier.contexts.shipping.labels.rules import (
    SETTLE_MANIFEST_JOB,
    SETTLE_PURCHASE_JOB,
    SETTLE_VOID_JOB,
    TRACK_JOB,
    TRACKED_FOR,
    SettleManifest,
    SettleShipment,
    ShipmentState,
    TrackShipment,
    retry_delay,
    track_pause,
)
from haulier.contexts.shipping.ports import CarrierRefused, CarrierUnavailable
from haulier.contexts.tracking.events import ParcelsReported
from haulier.kernel.background.events import subscriber
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

QUEUE = "outside"


@job(SETTLE_PURCHASE_JOB, SettleShipment, queue=QUEUE)
async def reconcile_claimed_purchase(run: JobRun, args: SettleShipment) -> None:
    """Settle an unsettled purchase, and retry later while its outcome is unknown."""
    await reconcile_purchase(run.app, _client(run), args.shipment_id)
    await _retry_later(run, SETTLE_PURCHASE_JOB, args, ShipmentState.PURCHASE_UNKNOWN)


@job(SETTLE_VOID_JOB, SettleShipment, queue=QUEUE)
async def reconcile_requested_void(run: JobRun, args: SettleShipment) -> None:
    """Settle a void, and retry later while the carrier has not decided."""
    await reconcile_void(run.app, _client(run), args.shipment_id)
    await _retry_later(run, SETTLE_VOID_JOB, args, ShipmentState.VOID_PENDING)


@job(SETTLE_MANIFEST_JOB, SettleManifest, queue=QUEUE)
async def reconcile_started_manifest(run: JobRun, args: SettleManifest) -> None:
    """Close a manifest that was begun."""
    await reconcile_manifest(run.app, _client(run), args.manifest_id)
    async with run.call() as call:
        row = await store.get_manifest_row(call.work, args.manifest_id)
        if row is not None and row.state == "closing":
            following = SettleManifest(row.id, args.round + 1)
            await call.enqueue(SETTLE_MANIFEST_JOB, following, run_at=call.now + retry_delay(args.round))


async def _retry_later(run: JobRun, kind: str, args: SettleShipment, waiting: ShipmentState) -> None:
    async with run.call() as call:
        row = await store.get_shipment_row(call.work, args.shipment_id)
        if row is not None and row.state == waiting:
            following = SettleShipment(row.id, args.round + 1)
            await call.enqueue(kind, following, run_at=call.now + retry_delay(args.round))


def _client(run: JobRun) -> int:
    if run.client_id is None:
        raise ValueError("a shipment belongs to a client")
    return run.client_id


log = logging.getLogger("haulier.shipping")


@subscriber(ParcelsReported)
async def on_parcels_reported(call: Call, event: ParcelsReported) -> None:
    """Move shipments whose parcels were scanned by a carrier or by staff."""
    await move_reported_shipments(call, {update.tracking_number for update in event.updates})


@job(TRACK_JOB, TrackShipment, queue="outside")
async def track_shipment(run: JobRun, args: TrackShipment) -> None:
    """Request scans of a shipment, and repeat later while it is in transit."""
    if run.client_id is None:
        raise ValueError("a shipment belongs to a client")
    watched = await watch(run.app, run.client_id, args.shipment_id)
    if watched is None:
        return
    row = watched.row
    try:
        scans = await request_scans(run.app, watched)
    except (CarrierRefused, CarrierUnavailable) as fault:
        log.warning("scans of shipment %s: %s", row.id, fault)
    else:
        if scans is None:
            return
        row = await store_scans(run.app, run.client_id, watched, scans) or row
    if row.state in (ShipmentState.DELIVERED, ShipmentState.VOIDED):
        return
    async with run.call() as call:
        idle = call.now - (row.moved_at or row.created_at)
        if idle < TRACKED_FOR:
            await call.enqueue(TRACK_JOB, args, run_at=call.now + track_pause(idle))
