"""Request and response models for locker rentals, their payments and parcels."""

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
    """A locker rental to reserve."""

    locker_offer_id: RecordId
    boxes: LeasedBoxes
    """Quantity."""
    days: LeaseDays
    """Term in days of 24 hours, counted from payment."""
    customer_id: RecordId | None = None
    """Customer who rents. Required for staff; customers always rent for themselves."""
    lease_ref: LeaseReference | None = None
    """Your own reference."""


class LockerLeaseRef(Request):
    """Reference to a locker rental."""

    locker_lease_id: RecordId
    """ID of the rental."""


class ExtendLockerLease(LockerLeaseRef):
    """An extension of a rental."""

    days: LeaseDays
    """Number of extra days, priced by the current offer."""


class LockerLeaseWithReason(LockerLeaseRef):
    """A rental to stop and the reason."""

    reason: LeaseReason
    """Reason shown to the customer."""


class ListLockerLeases(PageRequest):
    """Filters for rentals. Rentals must match all of them."""

    status: StatusOfLease | None = None
    """Filter by status."""
    locker_offer_id: RecordId | None = None
    """Filter by offer."""
    site_id: RecordId | None = None
    """Filter by site."""
    customer_id: RecordId | None = None
    """Filter by customer. Customers always see only their own."""
    lease_ref: LeaseReference | None = None
    """Filter by reference."""


class ListLeasedBoxes(PageRequest):
    """Filters for the compartments of a rental."""

    locker_lease_id: RecordId


class LeaseRecipient(Request):
    """Recipient of a parcel."""

    name: Name = Field(examples=["Ada"])
    """Name of the recipient."""
    email: RecipientEmail | None = None
    """Email address for the code."""
    phone: RecipientPhone | None = None
    """Phone number for the code by SMS, if there is no email address."""


class ReserveLeasedBox(LockerLeaseRef):
    """A reservation of a rented compartment for a parcel."""

    recipient: LeaseRecipient | None = None
    """Recipient of the code. If omitted, only the renter can open the compartment."""
    reference: LockerReference | None = None
    """External reference of the parcel."""
    low: bool = False
    """If true, the compartment must be wheelchair accessible."""
    hold_hours: int = Field(default=48, ge=1, le=24 * 14)
    """The box is kept for it for so long."""
    keep_days: int = Field(default=3, ge=1, le=KEEP_DAYS_MAX)
    """Days for which the code works after the deposit."""


class LeasedParcelRef(Request):
    """Reference to a parcel in a rented compartment."""

    locker_parcel_id: RecordId


class OpenLeasedBox(LeasedParcelRef):
    """An opening of a rented compartment."""

    purpose: Literal["deposit", "retrieve"] = "deposit"
    """Purpose: deposit or retrieve the parcel."""


class LockerLeaseSummary(Priced):
    """Summary of a locker rental."""

    id: int
    locker_offer_id: int
    offer_name: str
    site_id: int
    customer_id: int
    status: Annotated[str, doc("reserved, active, suspended, ended or cancelled.", "active")]
    lease_ref: str | None
    size: str
    boxes: Annotated[int, doc("Number of rented compartments.", 4)]
    days: Annotated[int, doc("Number of days paid, or to be paid.", 30)]
    total_price: Annotated[int | UnsetType, price(LEASES, "Price of the term in minor units, including tax.")] = UNSET
    paid_amount: Annotated[int | UnsetType, price(LEASES, "Amount paid, including extensions, in minor units.")] = UNSET
    refunded_amount: Annotated[int | UnsetType, price(LEASES, "Amount refunded, in minor units.")] = UNSET
    balance_due: Annotated[int | UnsetType, price(LEASES, "Amount due, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LEASES, "ISO 4217 code of the currency.")] = UNSET
    can_be_paid: Annotated[bool, doc("If true, the rental can be paid now.")]
    can_be_cancelled: Annotated[
        bool, doc("If true, the rental can be cancelled: before payment, or for a limited time after it if unused.")
    ]
    held_until: Annotated[datetime, doc("Time until which the unpaid reservation is valid.")]
    paid_at: datetime | None
    ends_at: Annotated[datetime | None, doc("End of the term. Null until it is paid.")]
    created_at: datetime


class LockerLeaseDetail(LockerLeaseSummary):
    """A locker rental."""

    day_price: Annotated[
        int | UnsetType, price(LEASES, "Price per compartment and day in minor units, including tax.")
    ] = UNSET
    setup_price: Annotated[int | UnsetType, price(LEASES, "One-time setup price in minor units, including tax.")] = (
        UNSET
    )
    withdraw_until: Annotated[datetime | None, doc("Time until which an unused rental can be cancelled.")]
    suspended_at: datetime | None
    ended_at: Annotated[datetime | None, doc("Time when the compartments were released.")]
    reason: Annotated[str | None, doc("Reason for the suspension or end.")]


class LockerLeaseAnswer(Answer):
    """A locker rental."""

    result: bool = True
    lease: LockerLeaseDetail


class LockerLeaseList(PagedAnswer):
    """A page of locker rentals, newest first."""

    leases: list[LockerLeaseSummary]


class LeasedBox(Answer):
    """A rented compartment."""

    box_id: int
    cabinet: Annotated[str, doc("Code on the locker.", "A")]
    box: Annotated[int, doc("Number of the compartment in the locker.", 7)]
    size: str
    low: Annotated[bool, doc("If true, the compartment is wheelchair accessible.")]
    state: Annotated[str, doc("ready, faulty or disabled.", "ready")]
    since: Annotated[datetime, doc("Time when the compartment joined the rental.")]
    out_since: Annotated[datetime | None, doc("Start of an outage. Its days are refunded.")]
    parcel_id: Annotated[int | None, doc("ID of the parcel in the compartment. Null if it is empty.")]


class LeasedBoxList(PagedAnswer):
    """A page of the current compartments of a rental, by locker and number."""

    boxes: list[LeasedBox]


class LeasedParcelAnswer(LockerParcelAnswer):
    """A parcel in a rented compartment."""

    locker_lease_id: int
