"""Waiting lists of windows, and checking in."""

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
    """The code that somebody says or shows who came."""

    code: VisitCode
    """The code of the reservation; capital or not."""


class JoinWaitingList(Request):
    """A window that is full, and who waits for a place in it."""

    window_id: RecordId
    """The window."""
    postal_code: PostalCode | None = None
    """The postal code of the address, which must lie in the window's zone; not for visits."""
    customer_id: RecordId | None = None
    """For which customer; customers wait for themselves."""


class WaitingEntryRef(Request):
    """Which entry of a waiting list."""

    waiting_entry_id: RecordId
    """The id of the entry."""


class ListWaitingEntries(PageRequest):
    """Which entries of waiting lists to list. Customers see their own."""

    window_id: RecordId | None = None
    """Only those of this window."""
    customer_id: RecordId | None = None
    """Only those of a customer; customers get their own in any case."""
    status: WaitingStatus | None = None
    """Only those that stand there."""


class WaitingEntry(Answer):
    """Somebody who waits for a place in a window, or was offered one."""

    id: int
    status: WaitingStatus
    position: Annotated[int | None, doc("Where they stand in the line, from 1; null for who waits no more.")]
    window_id: int
    day: date
    starts_at: datetime
    ends_at: datetime
    kind: BookingKind
    zone_name: str
    postal_code: str
    customer_id: int
    joined_at: datetime
    reservation_id: Annotated[int | None, doc("The place that is offered: confirm it, or cancel it.")]
    offered_until: Annotated[datetime | None, doc("Until when the offered place has to be confirmed.")]
    ended_at: datetime | None


class WaitingEntryAnswer(Answer):
    """One entry of a waiting list."""

    result: bool = True
    waiting_entry: WaitingEntry


class WaitingEntryList(PagedAnswer):
    """A page of entries of waiting lists, oldest first."""

    waiting_entries: list[WaitingEntry]
