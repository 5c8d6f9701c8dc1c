"""Handlers that release compartments and serve the queues of sites."""

from datetime import timedelta

from haulier.contexts.identity.public import find_all_client_ids
from haulier.contexts.lockers.deliveries import store
from haulier.contexts.lockers.deliveries.actions import assign_box, release_box
from haulier.contexts.lockers.deliveries.rules import QUEUE_JOB, QueueAtSite, needs_no_less
from haulier.contexts.lockers.events import LockerBoxChanged, LockerParcelChanged
from haulier.contexts.lockers.parcels.rules import LIVE, LockerStatus
from haulier.contexts.lockers.sites.rules import BoxState
from haulier.contexts.orders.events import OrderCancelled
from haulier.kernel import background
from haulier.kernel.application import Application
from haulier.kernel.background.events import subscriber
from haulier.kernel.background.jobs import job
from haulier.kernel.background.periodic import periodic
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

SWEEP_EVERY = timedelta(minutes=1)
QUEUE_MAX = 1000
"""Number of waiting orders to check when a compartment becomes free."""


@subscriber(OrderCancelled)
async def release_box_of_cancelled_order(call: Call, event: OrderCancelled) -> None:
    """Release the compartment of a cancelled order. Idempotent."""
    await release_box(call, event.order_id)


@subscriber(LockerParcelChanged)
async def serve_queue_after_parcel(call: Call, event: LockerParcelChanged) -> None:
    """Serve the queue for the compartment that a parcel left. Idempotent."""
    if LockerStatus(event.status) not in LIVE:
        await _serve(call, event.site_id)


@subscriber(LockerBoxChanged)
async def serve_queue_after_repair(call: Call, event: LockerBoxChanged) -> None:
    """Serve the queue for a repaired compartment. Idempotent."""
    if event.state == BoxState.READY:
        await _serve(call, event.site_id)


@periodic(SWEEP_EVERY)
async def sweep_queues(app: Application) -> None:
    """Serve all queues once a minute.

    Compartments are added, rentals end, and waiting orders go out for delivery.
    """
    now = app.clock()
    async with app.database.read(None) as work:
        clients = await find_all_client_ids(work)
    for client_id in clients:
        async with app.database.read(client_id) as work:
            sites = await store.list_sites_with_queue(work)
        for site_id in sites:
            async with app.database.write(client_id) as work:
                key, args = f"{site_id}:{now:%Y-%m-%dT%H:%M}", {"site_id": site_id}
                await background.enqueue_job(
                    work, QUEUE_JOB, args, client_id=client_id, run_at=now, idempotency_key=key
                )


@job(QUEUE_JOB, QueueAtSite)
async def serve_queue(run: JobRun, args: QueueAtSite) -> None:
    """Assign free compartments of a site to waiting orders, one transaction each."""
    async with run.call() as call:
        queue = await store.list_queue(call.work, args.site_id, limit=QUEUE_MAX)
    unserved: list[store.QueuedRow] = []
    for row in queue:
        if any(needs_no_less(row, other) for other in unserved):
            continue
        async with run.call() as call:
            if not await assign_box(call, row.order_id):
                unserved.append(row)


async def _serve(call: Call, site_id: int) -> None:
    if await store.list_queue(call.work, site_id, limit=1):
        await call.enqueue(QUEUE_JOB, QueueAtSite(site_id))
