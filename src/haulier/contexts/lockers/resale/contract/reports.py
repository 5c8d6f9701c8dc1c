"""Request and response models for rental payments and usage."""

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
    """Filters for entries. Entries must match all of them."""

    locker_lease_id: RecordId | None = None
    """Filter by rental."""
    locker_offer_id: RecordId | None = None
    """Filter by offer of the rental."""
    customer_id: RecordId | None = None
    """Filter by customer of the rental. Customers always see only their own."""
    kind: KindOfEntry | None = None
    """Filter by kind."""
    first_day: Day | None = None
    """First booking day, in the business's time zone."""
    last_day: Day | None = None
    """Last booking day."""


class GetLeaseUsage(PageRequest):
    """Period and filters of the usage report."""

    first_day: Day
    """First day, in the business's time zone."""
    last_day: Day
    """Last day, at most a year after the first."""
    locker_offer_id: RecordId | None = None
    """Filter by offer of the rental."""
    customer_id: RecordId | None = None
    """Filter by customer of the rental. Customers always see only their own."""


class LeaseEntry(Priced):
    """A payment or refund of a rental."""

    id: int
    locker_lease_id: int
    locker_offer_id: int
    customer_id: int
    kind: Annotated[
        str,
        doc("Payments: term and extension. Refunds: withdrawal, revocation and outage.", "term"),
    ]
    boxes: Annotated[int, doc("Number of compartments.", 4)]
    days: Annotated[int, doc("Number of days per compartment.", 30)]
    amount: Annotated[
        int | UnsetType, price(LEASES, "Amount in minor units: positive for payments, negative for refunds.")
    ] = UNSET
    currency: Annotated[str | UnsetType, price(LEASES, "ISO 4217 code of the currency.")] = UNSET
    booked_on: Annotated[date, doc("Booking day in the business's time zone.")]
    created_at: datetime


class LeaseEntryList(PagedAnswer):
    """A page of payments and refunds of rentals, newest first."""

    entries: list[LeaseEntry]


class LeaseUsage(Priced):
    """Use and revenue of a rental."""

    locker_lease_id: int
    locker_offer_id: int
    offer_name: str
    customer_id: int
    status: Annotated[str, doc("reserved, active, suspended, ended or cancelled.", "active")]
    boxes: Annotated[int, doc("Number of rented compartments.", 4)]
    parcels: Annotated[int, doc("Number of parcels deposited in the period.", 17)]
    in_boxes: Annotated[int, doc("Number of compartments that hold a parcel now.", 3)]
    paid_amount: Annotated[int | UnsetType, price(LEASES, "Amount paid in the period, in minor units.")] = UNSET
    refunded_amount: Annotated[int | UnsetType, price(LEASES, "Amount refunded in the period, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LEASES, "ISO 4217 code of the currency.")] = UNSET


class LeaseUsageReport(PagedAnswer):
    """A page of rentals with compartments in the period, newest first."""

    leases: list[LeaseUsage]
