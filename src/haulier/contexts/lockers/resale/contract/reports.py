"""What was booked for leases, and how far they are used."""

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from haulier.contexts.lockers.resale.contract.offers import LEASES
from haulier.kernel.operations.answers import Priced, doc, price
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

KindOfEntry = Literal["term", "extension", "withdrawal", "revocation", "outage"]


class ListLeaseEntries(PageRequest):
    """Which entries; one must match all that is given."""

    locker_lease_id: RecordId | None = None
    """Of this lease."""
    locker_offer_id: RecordId | None = None
    """Of leases of this offer."""
    customer_id: RecordId | None = None
    """Of leases of this customer; customers see their own."""
    kind: KindOfEntry | None = None
    """Filter by kind."""
    first_day: Day | None = None
    """Booked on this day or later, in the business's time zone."""
    last_day: Day | None = None
    """Booked on this day or earlier."""


class GetLeaseUsage(PageRequest):
    """Of which days and which offers."""

    first_day: Day
    """The first day, in the business's time zone."""
    last_day: Day
    """The last day; at most a year later."""
    locker_offer_id: RecordId | None = None
    """Of leases of this offer alone."""
    customer_id: RecordId | None = None
    """Of leases of this customer alone; customers see their own."""


class LeaseEntry(Priced):
    """Something that was paid for a lease, or given back."""

    id: int
    locker_lease_id: int
    locker_offer_id: int
    customer_id: int
    kind: Annotated[
        str,
        doc("term and extension are paid; withdrawal, revocation and outage are given back.", "term"),
    ]
    boxes: Annotated[int, doc("For how many boxes.", 4)]
    days: Annotated[int, doc("For how many days each.", 30)]
    amount: Annotated[int | UnsetType, price(LEASES, "What was paid, or, below zero, given back; in minor units.")] = (
        UNSET
    )
    currency: Annotated[str | UnsetType, price(LEASES, "ISO 4217.")] = UNSET
    booked_on: Annotated[date, doc("On which day, in the business's time zone.")]
    created_at: datetime


class LeaseEntryList(PagedAnswer):
    """A page of what was booked for leases, newest first."""

    entries: list[LeaseEntry]


class LeaseUsage(Priced):
    """How far a lease was used, and what it brought."""

    locker_lease_id: int
    locker_offer_id: int
    offer_name: str
    customer_id: int
    status: Annotated[str, doc("reserved, active, suspended, ended or cancelled.", "active")]
    boxes: Annotated[int, doc("How many boxes it is for.", 4)]
    parcels: Annotated[int, doc("How many parcels were put into its boxes on these days.", 17)]
    in_boxes: Annotated[int, doc("How many of its boxes hold a parcel now.", 3)]
    paid_amount: Annotated[int | UnsetType, price(LEASES, "What was paid on these days, in minor units.")] = UNSET
    refunded_amount: Annotated[int | UnsetType, price(LEASES, "What was given back on these days, in minor units.")] = (
        UNSET
    )
    currency: Annotated[str | UnsetType, price(LEASES, "ISO 4217.")] = UNSET


class LeaseUsageReport(PagedAnswer):
    """Leases that had boxes on these days, newest first."""

    leases: list[LeaseUsage]
