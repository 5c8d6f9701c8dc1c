"""Fees for visits that were missed."""

from pydantic import Field

from haulier.contexts.booking.reservations.contract.bookings import ReservationRef
from haulier.kernel.operations.fields import Reason


class WaiveNoShowFee(ReservationRef):
    """A fee that need not be paid."""

    reason: Reason = Field(min_length=1, examples=["The road was closed."])
    """Why; the customer reads it."""
