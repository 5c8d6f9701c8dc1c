"""Background jobs: rows of a table, so that enqueueing one belongs to the caller's transaction. That makes it the outbox.

A job runs at least once: its handler must be safe to repeat. Words: a *lane* is a group of kinds with slots of its own; a
*share* is a client's part of them, in turn with others; a *lease* is how long a worker may be silent before others take its
jobs; an *owner* is one running worker.
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
