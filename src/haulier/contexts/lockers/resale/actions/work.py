"""The work on leases that is done after a call: unpaid and ended ones are closed, boxes exchanged, letters sent."""

from msgspec import Struct

LEASE_DUE_JOB = "lockers.lease_due"
LEASE_LETTER_JOB = "lockers.lease_letter"
LEASED_BOX_JOB = "lockers.leased_box"
ENDING, ENDED, REVOKED, SUSPENDED = "ending", "ended", "revoked", "suspended"
BOX_REPLACED, BOX_OUT = "box_replaced", "box_out"


class DueLease(Struct, frozen=True):
    """A lease whose time may be over."""

    lease_id: int


class LeaseLetter(Struct, frozen=True):
    """What a customer is told of a lease: `ending`, `ended`, `revoked`, `suspended`, `box_replaced` or `box_out`."""

    lease_id: int
    occasion: str


class ChangedBox(Struct, frozen=True):
    """A leased box that cannot be used any more, or again."""

    box_id: int
