"""States of background jobs."""

from enum import StrEnum


class JobState(StrEnum):
    """The state of a job. A dead job is not retried."""

    READY = "ready"
    RUNNING = "running"
    DONE = "done"
    DEAD = "dead"
