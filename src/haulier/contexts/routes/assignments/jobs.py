"""Release of assignments without an answer by their deadline."""

from haulier.contexts.routes.assignments import store
from haulier.contexts.routes.assignments.actions import (
    EXPIRE_JOB,
    ExpireAssignments,
    end_assignments,
    lock_assignment_candidates,
)
from haulier.contexts.routes.assignments.rules import EXPIRED, RELEASED
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


@job(EXPIRE_JOB, ExpireAssignments)
async def expire_assignments(run: JobRun, args: ExpireAssignments) -> None:
    """Release orders neither accepted nor put on a route by their deadline.

    Running it twice changes nothing more.
    """
    async with run.call() as call:
        orders = await lock_assignment_candidates(call, args.order_ids)
        waiting = await store.list_pending_assignments(call.work, args.order_ids)
        over = [
            orders[id]
            for id, row in waiting.items()
            if id in orders and row.respond_by and row.respond_by <= call.now and orders[id].route_id is None
        ]
        await end_assignments(call, over, RELEASED, EXPIRED)
