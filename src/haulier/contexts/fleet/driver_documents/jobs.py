"""Job that announces the expiry of a document.

On the day of notice, and on the day after the expiry.
"""

from datetime import date, datetime, time, timedelta

from msgspec import Struct

from haulier.contexts.fleet.driver_documents import store
from haulier.contexts.fleet.driver_documents.queries import get_business_day, load_document_policy
from haulier.contexts.fleet.driver_documents.rules import DriverDocumentState, ReviewVerdict, document_state, notice_day
from haulier.contexts.fleet.events import DriverDocumentExpiring
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

EXPIRY_WATCH_JOB = "driver_document.watch"


class WatchDocumentExpiry(Struct, frozen=True, kw_only=True):
    """Job data: a document, and its expiry date when the job was enqueued."""

    document_id: int
    expires_on: date


async def schedule_expiry_watch(call: Call, document_id: int, expires_on: date | None) -> None:
    """Enqueue the expiry announcement of an accepted document that expires."""
    if expires_on is not None:
        day = notice_day(expires_on, (await load_document_policy(call.work)).notice_days)
        await call.enqueue(
            EXPIRY_WATCH_JOB,
            WatchDocumentExpiry(document_id=document_id, expires_on=expires_on),
            run_at=_start_of_day(call, day),
        )


@job(EXPIRY_WATCH_JOB, WatchDocumentExpiry)
async def watch_document_expiry(run: JobRun, args: WatchDocumentExpiry) -> None:
    """Announce once that a document ends soon, and once that it has ended.

    Nothing is announced for a document that was rejected, has another end by now, or is superseded by another of its kind.
    Run twice, it announces nothing twice.
    """
    async with run.call() as call:
        row = await store.get_driver_document_row(call.work, args.document_id, lock=True)
        if row is None or row.verdict != ReviewVerdict.VALID or row.expires_on != args.expires_on:
            return
        expired = document_state(row, get_business_day(call)) is DriverDocumentState.EXPIRED
        if not expired:
            next_day = _start_of_day(call, args.expires_on + timedelta(days=1))
            await call.enqueue(EXPIRY_WATCH_JOB, args, run_at=next_day, idempotency_key=f"{row.id}:{row.expires_on}")
        if not await store.is_document_superseded(call.work, row.id):
            await _publish_expiry(call, row, args.expires_on, "told_over_at" if expired else "told_soon_at")


async def _publish_expiry(call: Call, row: store.DriverDocumentRow, expires_on: date, column: str) -> None:
    if getattr(row, column) is not None:
        return
    await store.mark_expiry_announced(call.work, row.id, column, call.now)
    await call.publish(
        DriverDocumentExpiring(
            document_id=row.id,
            driver_id=row.driver_id,
            kind=row.kind,
            expires_on=expires_on,
            expired=column == "told_over_at",
        )
    )


def _start_of_day(call: Call, day: date) -> datetime:
    """When a day begins for the business; now for a day that has begun already."""
    return max(datetime.combine(day, time(), call.time_zone), call.now)
