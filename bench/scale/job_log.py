"""Log of job states, written by a database trigger."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import asyncpg

CREATE = """
CREATE TABLE job_note (job_id bigint, before text, after text, owner text, error text, at timestamptz);
CREATE FUNCTION note_job() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    INSERT INTO public.job_note
        VALUES (NEW.id, OLD.state, NEW.state, coalesce(OLD.owner, NEW.owner), NEW.last_error, clock_timestamp());
    RETURN NULL;
END $$;
CREATE TRIGGER note_job AFTER UPDATE OF state ON job FOR EACH ROW EXECUTE FUNCTION note_job();
"""
TAKEN_OVER = "the worker stopped responding"


async def watch_jobs(superuser_url: str) -> None:
    """Start logging."""
    connection = await asyncpg.connect(superuser_url)
    await connection.execute(CREATE)
    await connection.close()


async def jobs_left(superuser_url: str) -> int:
    """Return the number of due jobs that are not done."""
    connection = await asyncpg.connect(superuser_url)
    try:
        return await connection.fetchval("SELECT count(*) FROM job WHERE state <> 'done' AND run_at < now()")
    finally:
        await connection.close()


async def judge_jobs(superuser_url: str, killed: Mapping[int, float]) -> dict[str, int]:
    """Return counts of jobs: done, done twice, taken from a live worker, and not done.

    `killed` maps process ids to the time of their kill.
    """
    connection = await asyncpg.connect(superuser_url)
    try:
        notes = await connection.fetch("SELECT * FROM job_note ORDER BY at")
    finally:
        await connection.close()
    done = Counter(note["job_id"] for note in notes if note["after"] == "done")
    return {
        "done": len(done),
        "done twice": sum(count > 1 for count in done.values()),
        "taken from the living": sum(_taken_from_the_living(note, killed) for note in notes),
        "not done": await jobs_left(superuser_url),
    }


def _taken_from_the_living(note: Any, killed: Mapping[int, float]) -> bool:
    if note["before"] != "running" or note["after"] not in {"ready", "dead"} or note["error"] != TAKEN_OVER:
        return False
    pid = int(note["owner"].split(":")[1])
    return killed.get(pid, float("inf")) > note["at"].timestamp()
