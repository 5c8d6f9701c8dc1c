"""Daily job that deletes and erases due data in short transactions."""

from datetime import datetime, timedelta

from msgspec import Struct

from haulier.contexts.control_tower.retention import store
from haulier.contexts.control_tower.retention.queries import load_retention_days
from haulier.contexts.control_tower.retention.rules import due_before, rules_by_kind
from haulier.contexts.identity.public import find_all_client_ids
from haulier.kernel import background
from haulier.kernel.application import Application
from haulier.kernel.background.jobs import job
from haulier.kernel.background.periodic import periodic
from haulier.kernel.data.personal_data import RecordKind, RetentionRule, list_retention_rules
from haulier.kernel.data.personal_records import apply_rule_batch
from haulier.kernel.data.tables import is_tenant_table
from haulier.kernel.job_run import JobRun

RETENTION_JOB = "retention.apply"


class ApplyRetention(Struct, frozen=True, kw_only=True):
    """Job without arguments: checks every kind of record of its client."""


@periodic(timedelta(hours=1))
async def schedule_retention(app: Application) -> None:
    """Enqueue the daily jobs of each client and of shared data, in one process."""
    now = app.clock()
    async with app.database.write(None) as work:
        for client_id in (None, *await find_all_client_ids(work)):
            await background.enqueue_job(
                work,
                RETENTION_JOB,
                {},
                client_id=client_id,
                run_at=now,
                idempotency_key=now.date().isoformat(),
            )


@job(RETENTION_JOB, ApplyRetention)
async def apply_retention(run: JobRun, args: ApplyRetention) -> None:
    """Delete and erase due data by kind. A repeated run continues where it stopped."""
    if run.client_id is None:
        await _apply_defaults(run)
        return
    for kind, rules in rules_by_kind().items():
        async with run.call() as call:
            before = due_before(call.now, await load_retention_days(call, kind))
            progress = (await store.list_progress(call.work)).get(kind.value)
        since = progress and progress.done_until
        removed = sum([await _apply_rule(run, rule, since, before) for rule in rules])
        await _record_progress(run, kind, before, removed)


async def _apply_defaults(run: JobRun) -> None:
    """Delete shared data, such as anonymous audit entries, after the default days."""
    for rule in list_retention_rules():
        if not is_tenant_table(rule.since.table):
            await _apply_rule(run, rule, None, due_before(run.app.clock(), rule.default_days))


async def _apply_rule(run: JobRun, rule: RetentionRule, since: datetime | None, before: datetime) -> int:
    removed, after, more = 0, None, True
    while more:
        async with run.call() as call:
            count, after = await apply_rule_batch(call, rule, since, before, after)
        removed, more = removed + count, after is not None
    return removed


async def _record_progress(run: JobRun, kind: RecordKind, before: datetime, removed: int) -> None:
    async with run.call() as call:
        row = (await store.list_progress(call.work)).get(kind.value)
        done_until = max(before, row.done_until) if row else before
        await store.upsert_progress(
            call.work,
            kind.value,
            done_until=done_until,
            last_run_at=call.now,
            removed=removed + (row.removed if row else 0),
        )
