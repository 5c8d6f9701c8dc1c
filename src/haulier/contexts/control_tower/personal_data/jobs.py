"""Jobs: build and delete exports, erase people, cancel exports without a right."""

from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.control_tower.personal_data import store
from haulier.contexts.control_tower.personal_data.actions import cancel_lapsed, end_export
from haulier.contexts.control_tower.personal_data.rules import EXPORT_KEPT, read_keys
from haulier.contexts.documents.public import save_export
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import PersonalData, PersonKeys, list_personal_data
from haulier.kernel.data.personal_records import erase_batch, read_records
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.job_run import JobRun

EXPORT_JOB, ERASE_JOB, EXPIRE_JOB = "personal_data.export", "personal_data.erase", "personal_data.expire"
MAX_EXPORT_ROWS = 50_000
"""Maximum rows per table in an export; the rest is counted."""
EXPORT_ATTEMPTS, ERASE_ATTEMPTS = 8, 24
CHECK_EVERY, RESOLUTION = timedelta(hours=1), timedelta(microseconds=1)


class HandlePersonalData(Struct, frozen=True, kw_only=True):
    """Job arguments: an export or erasure."""

    request_id: int


@asynccontextmanager
async def _failing_in_the_end(run: JobRun, request_id: int, attempts: int) -> AsyncGenerator[None]:
    """Record the failure of the last attempt; the request can then be repeated."""
    try:
        yield
    except Exception:
        if run.attempt >= attempts:
            async with run.call() as call:
                await store.update_request(call.work, request_id, state="failed")
        raise


@job(EXPORT_JOB, HandlePersonalData, max_attempts=EXPORT_ATTEMPTS)
async def build_export(run: JobRun, args: HandlePersonalData) -> None:
    """Export all data about a person to a file. A repeat changes nothing."""
    async with _failing_in_the_end(run, args.request_id, EXPORT_ATTEMPTS):
        await _build_export(run, args)


async def _build_export(run: JobRun, args: HandlePersonalData) -> None:
    async with run.app.database.read(run.client_id) as work:
        row = await store.get_request(work, args.request_id)
    if row is None or row.keys is None or await _cancel_if_lapsed(run, args.request_id):
        return
    async with run.app.database.read(run.client_id) as work:
        document, counts = await _read_everything(work, read_keys(row.keys))
    async with run.call() as call:
        row = await store.get_request(call.work, args.request_id, lock=True)
        if row is None or row.keys is None or await cancel_lapsed(call, row):
            return
        content = msgspec.json.format(msgspec.json.encode({"made_at": call.local_time(call.now), **document}))
        file_id = await save_export(
            call, content=content, name=f"personal-data-{row.id}.json", about=f"personal_data_request:{row.id}"
        )
        expires_at = call.now + EXPORT_KEPT
        await _finish(call, row.id, file_id=file_id, expires_at=expires_at, records=dict(counts))
        await _enqueue_check(call, row.id, expires_at)


async def _read_everything(work: UnitOfWork, keys: PersonKeys) -> tuple[dict[str, Any], Counter[str]]:
    """Return a person's rows by kind and table, and their number by kind."""
    tables: dict[str, dict[str, list[Any]]] = {}
    left_out: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for held in list_personal_data():
        rows = tables.setdefault(held.kind.value, {}).setdefault(held.table.name, [])
        known = {msgspec.json.encode(row) for row in rows}
        async for row in read_records(work, held, keys):
            if len(rows) >= MAX_EXPORT_ROWS:
                left_out[held.table.name] += 1
            elif msgspec.json.encode(row) not in known:
                rows.append(row)
                counts[held.kind.value] += 1
    found = {kind: {name: rows for name, rows in named.items() if rows} for kind, named in tables.items()}
    records = {kind: named for kind, named in sorted(found.items()) if named}
    return {"records": records, "left_out": dict(left_out)}, counts


async def _cancel_if_lapsed(run: JobRun, request_id: int) -> bool:
    async with run.call() as call:
        row = await store.get_request(call.work, request_id, lock=True)
        return row is not None and await cancel_lapsed(call, row)


@job(ERASE_JOB, HandlePersonalData, max_attempts=ERASE_ATTEMPTS)
async def erase_person(run: JobRun, args: HandlePersonalData) -> None:
    """Erase a person's data by table, in short transactions.

    A repeated run continues where it stopped.
    """
    async with _failing_in_the_end(run, args.request_id, ERASE_ATTEMPTS):
        await _erase_person(run, args)


async def _erase_person(run: JobRun, args: HandlePersonalData) -> None:
    async with run.app.database.read(run.client_id) as work:
        row = await store.get_request(work, args.request_id)
    if row is None or row.keys is None:
        return
    keys = read_keys(row.keys)
    for held in list_personal_data():
        await _erase_table(run, args.request_id, held, keys)
    async with run.call() as call:
        await _finish(call, args.request_id)


async def _erase_table(run: JobRun, request_id: int, held: PersonalData, keys: PersonKeys) -> None:
    after, more = None, True
    while more:
        async with run.call() as call:
            count, after = await erase_batch(call, held, keys, after)
            row = await store.get_request(call.work, request_id, lock=True)
            if row and count:
                records = Counter(row.records) + Counter({held.kind.value: count})
                await store.update_request(call.work, request_id, records=dict(records))
        more = after is not None


async def _finish(call: Call, request_id: int, **values: Any) -> None:
    await store.update_request(call.work, request_id, state="done", keys=None, finished_at=call.now, **values)


@job(EXPIRE_JOB, HandlePersonalData)
async def expire_export(run: JobRun, args: HandlePersonalData) -> None:
    """Delete the file of an expired export.

    Until then, cancel the export when its requester loses the right to it."""
    async with run.call() as call:
        row = await store.get_request(call.work, args.request_id, lock=True)
        if row is None or row.state != "done":
            return
        if row.expires_at is None or row.expires_at <= call.now:
            await end_export(call, row)
        elif not await cancel_lapsed(call, row):
            await _enqueue_check(call, row.id, row.expires_at)


async def _enqueue_check(call: Call, request_id: int, expires_at: datetime) -> None:
    """Check an export again within the hour.

    The time does not depend on when the last check ran."""
    run_at = expires_at - (expires_at - call.now - RESOLUTION) // CHECK_EVERY * CHECK_EVERY
    await call.enqueue(
        EXPIRE_JOB,
        HandlePersonalData(request_id=request_id),
        run_at=run_at,
        idempotency_key=f"{request_id}:{run_at.isoformat()}",
    )
