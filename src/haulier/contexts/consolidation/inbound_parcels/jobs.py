"""Background jobs of inbound parcels."""

import logging
from datetime import timedelta

from haulier.contexts.consolidation.events import InboundParcelUnclaimed
from haulier.contexts.consolidation.inbound_parcels import store
from haulier.contexts.consolidation.inbound_parcels.actions import apply_reports
from haulier.contexts.consolidation.inbound_parcels.rules import (
    ASKED_FOR,
    GIVE_UP_JOB,
    POLL_JOB,
    UNDER_WAY_STATES,
    GiveUpUnclaimed,
    InboundState,
    PollInboundParcel,
    poll_pause,
)
from haulier.contexts.consolidation.inbound_parcels.store import InboundParcelRow
from haulier.contexts.consolidation.policy.queries import load_policy
from haulier.contexts.identity.public import find_all_client_ids
from haulier.contexts.shipping.public import (
    CarrierRefused,
    CarrierUnavailable,
    record_scans,
    request_scans_of,
)
from haulier.contexts.tracking.events import ParcelsReported
from haulier.kernel import background
from haulier.kernel.application import Application
from haulier.kernel.background.events import subscriber
from haulier.kernel.background.jobs import job
from haulier.kernel.background.periodic import periodic
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

log = logging.getLogger("haulier.consolidation")


@subscriber(ParcelsReported)
async def move_inbound_parcels(call: Call, event: ParcelsReported) -> None:
    """Move parcels that are expected here by what was reported of them."""
    await apply_reports(call, event.updates)


@job(POLL_JOB, PollInboundParcel, queue="outside")
async def poll_inbound_parcel(run: JobRun, args: PollInboundParcel) -> None:
    """Poll the carrier of a parcel, and repeat later while it is expected."""
    async with run.call() as call:
        row = await InboundParcelRow.get(call.work, args.parcel_id)
    if row is None or row.state not in UNDER_WAY_STATES or row.carrier is None or run.client_id is None:
        return
    try:
        scans = await request_scans_of(run.app, run.client_id, row.carrier, row.tracking_number)
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


AT_ONCE = 200
"""Parcels in one transaction."""


@periodic(timedelta(hours=1))
async def check_unclaimed_parcels(app: Application) -> None:
    """Enqueue the daily job of each client, in one process."""
    now = app.clock()
    async with app.database.write(None) as work:
        for client_id in await find_all_client_ids(work):
            await background.enqueue_job(
                work, GIVE_UP_JOB, {}, client_id=client_id, run_at=now, idempotency_key=now.date().isoformat()
            )


@job(GIVE_UP_JOB, GiveUpUnclaimed)
async def mark_unclaimed(run: JobRun, args: GiveUpUnclaimed) -> None:
    """Mark parcels without an owner as unclaimed after the policy's time.

    A repeated run continues where it stopped.
    """
    while True:
        async with run.call() as call:
            before = call.now - (await load_policy(call.work)).unclaimed_after
            rows = await store.lock_nobodys_parcels(call.work, before, AT_ONCE)
            changes = {"state": InboundState.UNCLAIMED.value, "updated_at": call.now}
            await store.update_parcels(call.work, [row.id for row in rows], changes)
            for row in rows:
                unclaimed = InboundParcelUnclaimed(parcel_id=row.id, tracking_number=row.tracking_number)
                await call.publish(unclaimed)
        if len(rows) < AT_ONCE:
            return
