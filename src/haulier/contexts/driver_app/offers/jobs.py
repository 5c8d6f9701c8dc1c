"""The job that ends a round of offers and starts the next."""

from haulier.contexts.driver_app.offers import store
from haulier.contexts.driver_app.offers.actions import (
    NEXT_ROUND_JOB,
    StartNextRound,
    check_order_offerable,
    end_instant_job,
    start_offer_round,
)
from haulier.contexts.driver_app.offers.rules import InstantJobStatus, OfferStatus
from haulier.contexts.driver_app.policy.queries import load_rider_policy
from haulier.contexts.orders.public import get_order_facts
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


@job(NEXT_ROUND_JOB, StartNextRound)
async def start_next_round(run: JobRun, args: StartNextRound) -> None:
    """Offer the order to the next drivers, unless the job or its round has ended.

    A repeat changes nothing.
    """
    async with run.call() as call:
        job = await store.get_instant_job(call.work, args.job_id, lock=True)
        if job is None or job.status != InstantJobStatus.OPEN or job.round != args.round:
            return
        await store.close_instant_offers(call.work, job.id, OfferStatus.EXPIRED)
        order = (await get_order_facts(call, [job.order_id])).get(job.order_id)
        if order is None or await check_order_offerable(call, order):
            await end_instant_job(call, job, InstantJobStatus.WITHDRAWN)
        else:
            await start_offer_round(call, job, await load_rider_policy(call), timed=args.timed)
