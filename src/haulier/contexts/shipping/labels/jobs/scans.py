"""Carriers that do not push are asked what happened: often while something happens, seldom while nothing does."""

import logging

from haulier.contexts.shipping.labels.actions.movements import (
    ask_for_scans,
    move_reported_shipments,
    store_scans,
    watch,
)
from haulier.contexts.shipping.labels.rules.lifecycle import TRACKED_FOR, ShipmentState, track_pause
from haulier.contexts.shipping.labels.rules.work import TRACK_JOB, TrackShipment
from haulier.contexts.shipping.ports import CarrierRefused, CarrierUnavailable
from haulier.contexts.tracking.events import ParcelsReported
from haulier.kernel.background.events import subscriber
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

log = logging.getLogger("haulier.shipping")


@subscriber(ParcelsReported)
async def follow_reported_parcels(call: Call, event: ParcelsReported) -> None:
    """Move shipments whose parcels were pushed about by a carrier, or scanned by our own people."""
    await move_reported_shipments(call, {update.tracking_number for update in event.updates})


@job(TRACK_JOB, TrackShipment, lane="outside")
async def track_shipment(run: JobRun, args: TrackShipment) -> None:
    """Ask the carrier of a shipment for scans, and once more later while it is under way."""
    if run.client_id is None:
        raise ValueError("a shipment belongs to a client")
    watched = await watch(run.app, run.client_id, args.shipment_id)
    if watched is None:
        return
    row = watched.row
    try:
        scans = await ask_for_scans(run.app, watched)
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
