"""The table of jobs."""

from sqlalchemy import Column, ColumnElement, FromClause, Index, Integer, String, Text, cast, func, literal_column, or_

from haulier.kernel.data.personal_data import PersonKey, PersonKeys, RecordKind, personal_data
from haulier.kernel.data.tables import Id, Json, UTCDateTime, shared_table

JOB_CHANNEL = "haulier_job"
"""Channel that notifies workers of due jobs; the payload is the lane."""
DEFAULT_QUEUE = "default"
"""The lane of job kinds that name none."""

job_table = shared_table(
    "job",
    Column("client_id", Id),
    Column("share", Id, nullable=False, server_default="0"),
    Column("kind", String(100), nullable=False),
    Column("args", Json, nullable=False),
    Column("lane", String(40), nullable=False),
    Column("state", String(10), nullable=False),
    Column("run_at", UTCDateTime, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("max_attempts", Integer, nullable=False),
    Column("lease_until", UTCDateTime),
    Column("owner", String(100)),
    Column("last_error", Text),
    Column("idempotency_key", String(400), unique=True),
    Column("progress", Json),
    Column("created_at", UTCDateTime, nullable=False),
    Column("finished_at", UTCDateTime),
    machinery=True,
)
"""`share` is the client whose part of the workers a job uses, or 0 for jobs without a client."""


def _names(keys: PersonKeys) -> ColumnElement[bool] | None:
    """Return the condition that a job writes to one of a person's contacts."""
    known = [text for key in (PersonKey.EMAIL, PersonKey.PHONE) for text in sorted(keys.get(key, ()))]
    arguments = func.lower(cast(job_table.c.args, Text))
    return or_(*(arguments.contains(text, autoescape=True) for text in known)) if known else None


personal_data(job_table, RecordKind.MESSAGES, find=_names, matches=lambda row, keys: row.finished_at is not None)
"""A finished job is deleted along with the address it wrote to; `queue.purge_finished_jobs` deletes the others later.
"""


def is_ready(jobs: FromClause) -> ColumnElement[bool]:
    """Return the condition that a job waits.

    Uses a literal, so that planners can use partial indexes.
    """
    return jobs.c.state == literal_column("'ready'")


def is_running(jobs: FromClause) -> ColumnElement[bool]:
    """Return the condition that a job runs, as a literal."""
    return jobs.c.state == literal_column("'running'")


IS_READY, IS_RUNNING = is_ready(job_table), is_running(job_table)

Index("ix_job_due_in_lane", job_table.c.lane, job_table.c.run_at, postgresql_where=IS_READY, sqlite_where=IS_READY)
Index(
    "ix_job_share",
    *(job_table.c.lane, job_table.c.share, job_table.c.run_at),
    postgresql_where=IS_READY,
    sqlite_where=IS_READY,
)
Index("ix_job_lease", job_table.c.lease_until, postgresql_where=IS_RUNNING, sqlite_where=IS_RUNNING)
IS_DEAD = job_table.c.state == literal_column("'dead'")
Index("ix_job_dead", job_table.c.lane, job_table.c.kind, postgresql_where=IS_DEAD, sqlite_where=IS_DEAD)
Index(None, job_table.c.finished_at)
