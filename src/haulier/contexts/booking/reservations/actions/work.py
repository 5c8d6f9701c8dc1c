"""Background jobs for reservations: expiry, missed visits, closings and emails."""

from datetime import datetime

from msgspec import Struct

from haulier.kernel.call import Call

EXPIRE_HOLD_JOB = "reservation.expire"
NO_SHOW_JOB = "reservation.no_show"
CLOSE_WAITING_JOB = "waiting_entry.close"
LETTER_JOB = "reservation.letter"
OFFERED, LAPSED, CLOSED = "offered", "lapsed", "closed"
BOOKED, MISSED = "booked", "missed"


class ExpireHold(Struct, frozen=True, kw_only=True):
    """Hold that expires."""

    reservation_id: int


class MissedVisit(Struct, frozen=True, kw_only=True):
    """Visit that may have been missed."""

    reservation_id: int


class CloseWaiting(Struct, frozen=True, kw_only=True):
    """Window whose waiting list closes."""

    window_id: int


class ReservationLetter(Struct, frozen=True, kw_only=True):
    """Email about a visit or a waiting list.

    Occasions: `booked` and `missed` for visits; `offered`, `lapsed` and `closed` for waiting lists.
    """

    subject_id: int
    occasion: str


async def schedule_hold_expiry(call: Call, reservation_id: int, at: datetime) -> None:
    """Schedule the job that marks a hold as expired.

    From `at` on it takes no place, marked or not.
    """
    await call.enqueue(EXPIRE_HOLD_JOB, ExpireHold(reservation_id=reservation_id), run_at=at)


async def schedule_no_show(call: Call, reservation_id: int, at: datetime) -> None:
    """Schedule the job that marks a visit as missed unless it is checked in."""
    await call.enqueue(NO_SHOW_JOB, MissedVisit(reservation_id=reservation_id), run_at=at)


async def schedule_close_of_waiting(call: Call, window_id: int, at: datetime) -> None:
    """Schedule the job that closes the waiting list of a window."""
    await call.enqueue(CLOSE_WAITING_JOB, CloseWaiting(window_id=window_id), run_at=at)


async def send_letter(call: Call, subject_id: int, occasion: str) -> None:
    """Enqueue an email to send after the commit."""
    await call.enqueue(LETTER_JOB, ReservationLetter(subject_id=subject_id, occasion=occasion))
