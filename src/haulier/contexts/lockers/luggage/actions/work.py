"""Background jobs of luggage: compartments, deadlines and emails."""

from msgspec import Struct

BOXES_JOB, DUE_JOB, LETTER_JOB = "luggage.boxes", "luggage.due", "luggage.letter"
DROP, ARRIVED, OVERDUE, CANCELLED, CLAIM = "drop", "arrived", "overdue", "cancelled", "claim"


class DueLuggage(Struct, frozen=True):
    """Job for a booking with a due reservation or deadline."""

    booking_id: int


class LuggageLetter(Struct, frozen=True):
    """Email to a traveller: `drop`, `arrived`, `overdue`, `cancelled` or `claim`."""

    booking_id: int
    occasion: str
    claim_id: int | None = None
