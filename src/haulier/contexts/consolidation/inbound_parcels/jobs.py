"""Reports of carriers: those that are pushed come as events, those of other carriers are asked for."""

import logging

from haulier.contexts.consolidation.inbound_parcels.actions.reports import take_reports
from haulier.contexts.consolidation.inbound_parcels.rules.lifecycle import ASKED_FOR, UNDER_WAY_STATES, poll_pause
from haulier.contexts.consolidation.inbound_parcels.rules.work import POLL_JOB, PollInboundParcel
from haulier.contexts.consolidation.inbound_parcels.store import InboundParcelRow
from haulier.contexts.shipping.public import (
    CarrierRefused,
    CarrierUnavailable,
    ask_for_scans_of,
    record_scans,
)
from haulier.contexts.tracking.events import ParcelsReported
from haulier.kernel.background.events import subscriber
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

log = logging.getLogger("haulier.consolidation")


@subscriber(ParcelsReported)
async def move_inbound_parcels(call: Call, event: ParcelsReported) -> None:
    """Move parcels that are expected here by what was reported of them."""
    await take_reports(call, event.updates)


@job(POLL_JOB, PollInboundParcel, lane="outside")
async def poll_inbound_parcel(run: JobRun, args: PollInboundParcel) -> None:
    """Ask the carrier of a parcel for scans, and once more later while it is still to come."""
    async with run.call() as call:
        row = await InboundParcelRow.get(call.work, args.parcel_id)
    if row is None or row.state not in UNDER_WAY_STATES or row.carrier is None or run.client_id is None:
        return
    try:
        scans = await ask_for_scans_of(run.app, run.client_id, row.carrier, row.tracking_number)
    except (CarrierRefused, CarrierUnavailable) as fault:
        log.warning("scans of inbound parcel %s: %s", row.id, fault)
        scans = ()
    async with run.call() as call:
        if scans:
            await record_scans(call, row.carrier, {row.tracking_number: scans})
        heard_of = max(filter(None, (row.announced_at, row.created_at, row.carrier_status_at)))
        idle = call.now - heard_of
        if scans is not None and idle < ASKED_FOR:
            await call.enqueue(POLL_JOB, args, run_at=call.now + poll_pause(idle))
