"""Request models for no-show fees."""

from pydantic import Field

from haulier.contexts.booking.reservations.contract.bookings import ReservationRef
from haulier.kernel.operations.fields import Reason


class WaiveNoShowFee(ReservationRef):
    """No-show fee to waive."""

    reason: Reason = Field(min_length=1, examples=["The road was closed."])
    """Reason for waiving the fee. Visible to the customer."""
