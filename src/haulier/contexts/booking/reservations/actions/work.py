"""The work on reservations that is done later: holds expire, visits are missed, lists close, and letters are sent."""

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
    """Which hold expires."""

    reservation_id: int


class MissedVisit(Struct, frozen=True, kw_only=True):
    """Which visit may have been missed."""

    reservation_id: int


class CloseWaiting(Struct, frozen=True, kw_only=True):
    """The window for which nobody can be offered a place any more."""

    window_id: int


class ReservationLetter(Struct, frozen=True, kw_only=True):
    """What a customer is told: of a visit `booked` or `missed`, of a waiting list `offered`, `lapsed` or `closed`."""

    subject_id: int
    occasion: str


async def schedule_hold_expiry(call: Call, reservation_id: int, at: datetime) -> None:
    """Schedule the job that marks a hold as expired. From `at` on it takes no place, marked or not."""
    await call.enqueue(EXPIRE_HOLD_JOB, ExpireHold(reservation_id=reservation_id), run_at=at)


async def schedule_no_show(call: Call, reservation_id: int, at: datetime) -> None:
    """Schedule the job that marks a visit as missed, unless it is checked in by then."""
    await call.enqueue(NO_SHOW_JOB, MissedVisit(reservation_id=reservation_id), run_at=at)


async def schedule_close_of_waiting(call: Call, window_id: int, at: datetime) -> None:
    """Schedule the job that closes the waiting list of a window."""
    await call.enqueue(CLOSE_WAITING_JOB, CloseWaiting(window_id=window_id), run_at=at)


async def send_letter(call: Call, subject_id: int, occasion: str) -> None:
    """Have a letter written, after the commit."""
    await call.enqueue(LETTER_JOB, ReservationLetter(subject_id=subject_id, occasion=occasion))
