"""Leases: boxes that a business has for a time, what it paid for them, and what it puts into them."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.lockers.parcels.contract import (
    KEEP_DAYS_MAX,
    LockerParcelAnswer,
    LockerReference,
    RecipientEmail,
    RecipientPhone,
)
from haulier.contexts.lockers.resale.contract.offers import LEASES, LeaseDays, LeasedBoxes
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, REASON_MAX, Name, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

LEASE_REF_MAX = 80
StatusOfLease = Literal["reserved", "active", "suspended", "ended", "cancelled"]
LeaseReference = Annotated[str, Field(min_length=1, max_length=LEASE_REF_MAX, pattern=NO_NUL, examples=["LK-2026-7"])]
LeaseReason = Annotated[
    str, Field(min_length=3, max_length=REASON_MAX, pattern=NO_NUL, examples=["The hall is being rebuilt"])
]


class ReserveLockerLease(Request):
    """Boxes that are wanted, and for how long."""

    locker_offer_id: RecordId
    boxes: LeasedBoxes
    """Quantity."""
    days: LeaseDays
    """For how many days of 24 hours, from payment."""
    customer_id: RecordId | None = None
    """Who leases them; the office must say so, customers lease for themselves."""
    lease_ref: LeaseReference | None = None
    """Your own reference."""


class LockerLeaseRef(Request):
    """Which lease."""

    locker_lease_id: RecordId
    """The lease's id."""


class ExtendLockerLease(LockerLeaseRef):
    """How much longer."""

    days: LeaseDays
    """So many more days, at what the offer costs today."""


class LockerLeaseWithReason(LockerLeaseRef):
    """A lease that is stopped, and why."""

    reason: LeaseReason
    """Why; the customer reads it."""


class ListLockerLeases(PageRequest):
    """Which leases; one must match all that is given."""

    status: StatusOfLease | None = None
    """Filter by status."""
    locker_offer_id: RecordId | None = None
    """Of this offer."""
    site_id: RecordId | None = None
    """At this site."""
    customer_id: RecordId | None = None
    """Of this customer; customers see their own."""
    lease_ref: LeaseReference | None = None
    """Filter by reference."""


class ListLeasedBoxes(PageRequest):
    """Which boxes of a lease."""

    locker_lease_id: RecordId


class LeaseRecipient(Request):
    """Who takes a parcel out."""

    name: Name = Field(examples=["Ada"])
    """Their name."""
    email: RecipientEmail | None = None
    """Where the code is sent."""
    phone: RecipientPhone | None = None
    """Where the code is sent as a text, where there is no e-mail address."""


class ReserveLeasedBox(LockerLeaseRef):
    """A box of a lease for a parcel."""

    recipient: LeaseRecipient | None = None
    """Who gets a code; without, only you can open the box."""
    reference: LockerReference | None = None
    """What the parcel is called elsewhere."""
    low: bool = False
    """If true, the compartment must be wheelchair accessible."""
    hold_hours: int = Field(default=48, ge=1, le=24 * 14)
    """The box is kept for it for so long."""
    keep_days: int = Field(default=3, ge=1, le=KEEP_DAYS_MAX)
    """Once it is in the box, the code works for so long."""


class LeasedParcelRef(Request):
    """Which parcel in a leased box."""

    locker_parcel_id: RecordId


class OpenLeasedBox(LeasedParcelRef):
    """Why a box is opened."""

    purpose: Literal["deposit", "retrieve"] = "deposit"
    """To put the parcel in, or to take it out again."""


class LockerLeaseSummary(Priced):
    """A lease in a list."""

    id: int
    locker_offer_id: int
    offer_name: str
    site_id: int
    customer_id: int
    status: Annotated[str, doc("reserved, active, suspended, ended or cancelled.", "active")]
    lease_ref: str | None
    size: str
    boxes: Annotated[int, doc("How many boxes it is for.", 4)]
    days: Annotated[int, doc("How many days were bought, or are to be paid.", 30)]
    total_price: Annotated[int | UnsetType, price(LEASES, "What the term costs, in minor units, with tax.")] = UNSET
    paid_amount: Annotated[int | UnsetType, price(LEASES, "What was paid, extensions too, in minor units.")] = UNSET
    refunded_amount: Annotated[int | UnsetType, price(LEASES, "What was given back, in minor units.")] = UNSET
    balance_due: Annotated[int | UnsetType, price(LEASES, "What is still to be paid, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LEASES, "ISO 4217.")] = UNSET
    can_be_paid: Annotated[bool, doc("Whether something is to be paid here.")]
    can_be_cancelled: Annotated[bool, doc("Until it is paid; then for a while, where it was not used.")]
    held_until: Annotated[datetime, doc("Until when its boxes are kept without being paid.")]
    paid_at: datetime | None
    ends_at: Annotated[datetime | None, doc("When its term is over; null until it is paid.")]
    created_at: datetime


class LockerLeaseDetail(LockerLeaseSummary):
    """A lease."""

    day_price: Annotated[int | UnsetType, price(LEASES, "What a box costs a day, in minor units, with tax.")] = UNSET
    setup_price: Annotated[int | UnsetType, price(LEASES, "What it costs once, in minor units, with tax.")] = UNSET
    withdraw_until: Annotated[datetime | None, doc("Until then it can be called off, where it was not used.")]
    suspended_at: datetime | None
    ended_at: Annotated[datetime | None, doc("When its boxes were free again.")]
    reason: Annotated[str | None, doc("Why it was suspended or ended.")]


class LockerLeaseAnswer(Answer):
    """One lease."""

    result: bool = True
    lease: LockerLeaseDetail


class LockerLeaseList(PagedAnswer):
    """A page of leases, newest first."""

    leases: list[LockerLeaseSummary]


class LeasedBox(Answer):
    """A box of a lease."""

    box_id: int
    cabinet: Annotated[str, doc("What is written on the cabinet.", "A")]
    box: Annotated[int, doc("Its number in the cabinet.", 7)]
    size: str
    low: Annotated[bool, doc("Whether it can be reached from a wheelchair.")]
    state: Annotated[str, doc("ready, faulty or disabled.", "ready")]
    since: Annotated[datetime, doc("Since when it belongs to the lease.")]
    out_since: Annotated[datetime | None, doc("Since when it cannot be used; the days are given back.")]
    parcel_id: Annotated[int | None, doc("The parcel that has it; null where it is empty.")]


class LeasedBoxList(PagedAnswer):
    """A page of the boxes that a lease has now, by cabinet and number."""

    boxes: list[LeasedBox]


class LeasedParcelAnswer(LockerParcelAnswer):
    """A parcel that has a box of a lease."""

    locker_lease_id: int
