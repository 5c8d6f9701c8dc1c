"""Background jobs: rows of a table, so that putting one belongs to the caller's transaction. That makes it the outbox.

A job runs at least once: its handler must be safe to repeat. Words: a *lane* is a queue with a limit of its own; a *lease* is
how long a worker may be silent before others take its jobs; an *owner* is one running worker.
"""

from haulier.kernel.jobs.ledger import Job, State, look, note_progress
from haulier.kernel.jobs.outbox import put
from haulier.kernel.jobs.table import CHANNEL, jobs
from haulier.kernel.jobs.worker import GiveUp, Handler, Worker

__all__ = ["CHANNEL", "GiveUp", "Handler", "Job", "State", "Worker", "jobs", "look", "note_progress", "put"]
