"""Request and response models for waiting lists and check-in."""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.booking.reservations.contract.bookings import PostalCode
from haulier.contexts.booking.reservations.rules import BookingKind, WaitingStatus
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

VisitCode = Annotated[str, Field(min_length=6, max_length=6, examples=["7K3F9Q"])]


class CheckInByCode(Request):
    """Code of the visitor."""

    code: VisitCode
    """Code of the reservation. Case is ignored."""


class JoinWaitingList(Request):
    """Full window and the customer who waits for a place."""

    window_id: RecordId
    """ID of the window."""
    postal_code: PostalCode | None = None
    """Postal code of the delivery address, which must be in the window's zone. Not used for visits."""
    customer_id: RecordId | None = None
    """Customer who waits. Customers always wait for themselves."""


class WaitingEntryRef(Request):
    """Reference to a waiting list entry."""

    waiting_entry_id: RecordId
    """ID of the waiting list entry."""


class ListWaitingEntries(PageRequest):
    """Filters of waiting list entries. Customers see their own."""

    window_id: RecordId | None = None
    """Filter by window."""
    customer_id: RecordId | None = None
    """Filter by customer. Customers always see only their own."""
    status: WaitingStatus | None = None
    """Filter by status."""


class WaitingEntry(Answer):
    """Waiting list entry, possibly with an offered place."""

    id: int
    status: WaitingStatus
    position: Annotated[int | None, doc("Position in the queue from 1. Null if the entry no longer waits.")]
    window_id: int
    day: date
    starts_at: datetime
    ends_at: datetime
    kind: BookingKind
    zone_name: str
    postal_code: str
    customer_id: int
    joined_at: datetime
    reservation_id: Annotated[int | None, doc("Offered place. Confirm or cancel this reservation.")]
    offered_until: Annotated[datetime | None, doc("Time by which the offered place must be confirmed.")]
    ended_at: datetime | None


class WaitingEntryAnswer(Answer):
    """Single waiting list entry."""

    result: bool = True
    waiting_entry: WaitingEntry


class WaitingEntryList(PagedAnswer):
    """Page of waiting list entries, oldest first."""

    waiting_entries: list[WaitingEntry]
