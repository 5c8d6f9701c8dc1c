"""Parcels that nobody claims for as long as the policy says count as unclaimed."""

from datetime import timedelta

from haulier.contexts.consolidation.events import InboundParcelUnclaimed
from haulier.contexts.consolidation.inbound_parcels import store
from haulier.contexts.consolidation.inbound_parcels.rules.lifecycle import InboundState
from haulier.contexts.consolidation.inbound_parcels.rules.work import GIVE_UP_JOB, GiveUpUnclaimed
from haulier.contexts.consolidation.policy.queries import load_policy
from haulier.contexts.identity.public import find_all_client_ids
from haulier.kernel import background
from haulier.kernel.application import Application
from haulier.kernel.background.jobs import job
from haulier.kernel.background.periodic import periodic
from haulier.kernel.job_run import JobRun

AT_ONCE = 200
"""Parcels in one transaction."""


@periodic(timedelta(hours=1))
async def look_for_unclaimed(app: Application) -> None:
    """Enqueue the round of each client, once a day whichever process comes first."""
    now = app.clock()
    async with app.database.write(None) as work:
        for client_id in await find_all_client_ids(work):
            await background.enqueue_job(
                work, GIVE_UP_JOB, {}, client_id=client_id, run_at=now, idempotency_key=now.date().isoformat()
            )


@job(GIVE_UP_JOB, GiveUpUnclaimed)
async def give_up_unclaimed(run: JobRun, args: GiveUpUnclaimed) -> None:
    """Let parcels that nobody claimed in time count as unclaimed. Run again, it goes on where it was."""
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
