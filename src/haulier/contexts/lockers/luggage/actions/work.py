"""The work on luggage that is done after a call: boxes kept, times watched, letters sent."""

from msgspec import Struct

BOXES_JOB, DUE_JOB, LETTER_JOB = "luggage.boxes", "luggage.due", "luggage.letter"
DROP, ARRIVED, OVERDUE, CANCELLED, CLAIM = "drop", "arrived", "overdue", "cancelled", "claim"


class DueLuggage(Struct, frozen=True):
    """A booking for which something may be due: boxes, or the end of a time."""

    booking_id: int


class LuggageLetter(Struct, frozen=True):
    """What a traveller is told: `drop` and `arrived`, with codes, `overdue`, `cancelled`, or a `claim` that was decided."""

    booking_id: int
    occasion: str
    claim_id: int | None = None
