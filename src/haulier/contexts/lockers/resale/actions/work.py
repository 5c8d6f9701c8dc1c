"""Background jobs of locker rentals."""

from msgspec import Struct

LEASE_DUE_JOB = "lockers.lease_due"
LEASE_LETTER_JOB = "lockers.lease_letter"
LEASED_BOX_JOB = "lockers.leased_box"
ENDING, ENDED, REVOKED, SUSPENDED = "ending", "ended", "revoked", "suspended"
BOX_REPLACED, BOX_OUT = "box_replaced", "box_out"


class DueLease(Struct, frozen=True):
    """Job for a rental with a due deadline."""

    lease_id: int


class LeaseLetter(Struct, frozen=True):
    """Email about a rental.

    One of `ending`, `ended`, `revoked`, `suspended`, `box_replaced` or `box_out`.
    """

    lease_id: int
    occasion: str


class ChangedBox(Struct, frozen=True):
    """Job for a rented compartment whose usability changed."""

    box_id: int
