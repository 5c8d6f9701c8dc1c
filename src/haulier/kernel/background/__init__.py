"""Background jobs, stored in a table and enqueued in the caller's transaction.

A job runs at least once, so its handler must be safe to repeat. Terms: a *lane* is a group of job kinds with its own
slots; a *share* is one client's part of a lane, served in turn with others; a *lease* is the time after which other
workers take over the jobs of a silent worker; an *owner* is one running worker.
"""

from haulier.kernel.background.job_table import JOB_CHANNEL, job_table
from haulier.kernel.background.outbox import enqueue_job, enqueue_jobs
from haulier.kernel.background.queue import ClaimedJob, JobState, get_job, record_job_progress
from haulier.kernel.background.worker import JobHandler, PermanentJobFailure, Worker

__all__ = [
    "JOB_CHANNEL",
    "ClaimedJob",
    "JobHandler",
    "JobState",
    "PermanentJobFailure",
    "Worker",
    "enqueue_job",
    "enqueue_jobs",
    "get_job",
    "job_table",
    "record_job_progress",
]
