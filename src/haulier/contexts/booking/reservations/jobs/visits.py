"""Marking of missed visits and closing of waiting lists."""

from haulier.contexts.booking.reservations.actions.visits import mark_missed
from haulier.contexts.booking.reservations.actions.waiting_lists import set_entry_status
from haulier.contexts.booking.reservations.actions.work import (
    CLOSE_WAITING_JOB,
    CLOSED,
    NO_SHOW_JOB,
    CloseWaiting,
    MissedVisit,
    schedule_close_of_waiting,
    send_letter,
)
from haulier.contexts.booking.reservations.rules import WaitingStatus
from haulier.contexts.booking.reservations.store import waiting_lists as waiting
from haulier.contexts.booking.reservations.store.tables import BookingWindowRow
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


@job(NO_SHOW_JOB, MissedVisit)
async def mark_missed_visit(run: JobRun, args: MissedVisit) -> None:
    """Mark a visit as missed after its grace period, once."""
    async with run.call() as call:
        await mark_missed(call, args.reservation_id)


@job(CLOSE_WAITING_JOB, CloseWaiting)
async def close_waiting_list(run: JobRun, args: CloseWaiting) -> None:
    """Notify the remaining waiting list at a window's cut-off that no place is left.

    If the cut-off was postponed, wait for the new time.
    """
    async with run.call() as call:
        window = (await BookingWindowRow.lock_many(call.work, [args.window_id])).get(args.window_id)
        if window is None:
            return
        entries = await waiting.list_waiting_of_window(call.work, window.id)
        if entries and call.now < window.cut_off_at:
            await schedule_close_of_waiting(call, window.id, window.cut_off_at)
            return
        for entry in entries:
            await set_entry_status(call, entry, WaitingStatus.CLOSED)
            await send_letter(call, entry.id, CLOSED)
