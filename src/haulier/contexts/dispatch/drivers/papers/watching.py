"""The errand that looks at a paper on the day on which people should hear of its end, and on the day after its end."""

from datetime import date, datetime, time, timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.dispatch.drivers.papers import store
from haulier.contexts.dispatch.drivers.papers.asking import policy_of, today
from haulier.contexts.dispatch.drivers.papers.rules import PaperState, Verdict, notice_day, state
from haulier.contexts.dispatch.events import DriverDocumentEnds
from haulier.kernel.call import Call
from haulier.kernel.errands import errand
from haulier.kernel.run import Run

WATCH = "driver_document.watch"


class WatchPaper(Struct, frozen=True, kw_only=True):
    """Which paper to look at, and which end of it was known when this was put."""

    document_id: int
    expires_on: date


async def watch(call: Call, document_id: int, expires_on: date | None) -> None:
    """See to it that people hear of the end of a paper that was accepted. One that does not end needs nobody."""
    if expires_on is not None:
        day = notice_day(expires_on, (await policy_of(call.work)).notice_days)
        await call.post(WATCH, WatchPaper(document_id=document_id, expires_on=expires_on), run_at=_morning(call, day))


@errand(WATCH, WatchPaper)
async def watch_paper(run: Run, args: WatchPaper) -> None:
    """Announce once that a paper ends soon, and once that it has ended.

    Nothing is said of one that was rejected, has another end by now, or is outlived by another of its kind. Running it again
    changes nothing.
    """
    async with run.call() as call:
        row = await store.one(call.work, args.document_id, lock=True)
        if row is None or row.verdict != Verdict.VALID or row.expires_on != args.expires_on:
            return
        over = state(row, today(call)) is PaperState.EXPIRED
        if not over:
            next_day = _morning(call, row.expires_on + timedelta(days=1))
            await call.post(WATCH, args, run_at=next_day, idempotency_key=f"{row.id}:{row.expires_on}")
        if not await store.outlived(call.work, row.id):
            await _tell(call, row, "told_over_at" if over else "told_soon_at")


async def _tell(call: Call, row: Any, column: str) -> None:
    if getattr(row, column) is not None:
        return
    await store.told(call.work, row.id, column, call.now)
    await call.announce(
        DriverDocumentEnds(
            document_id=row.id,
            driver_id=row.driver_id,
            kind=row.kind,
            expires_on=row.expires_on,
            over=column == "told_over_at",
        )
    )


def _morning(call: Call, day: date) -> datetime:
    """When a day begins for the business; now for a day that has begun already."""
    return max(datetime.combine(day, time(), call.time_zone), call.now)
