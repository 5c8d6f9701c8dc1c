"""Request and response models of locker rentals."""

from datetime import date, datetime
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.lockers.parcels.contract import (
    KEEP_DAYS_MAX,
    LockerParcelAnswer,
    LockerReference,
    RecipientEmail,
    RecipientPhone,
)
from haulier.contexts.lockers.sites.contract import BOXES_MAX, DayPrice, SizeOfBox
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import NO_NUL, REASON_MAX, Name, Note, RecordId
from haulier.kernel.operations.ids import LockerBoxId, LockerParcelId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

LEASES = PriceFamily.STORAGE_SERVICES
DAYS_MAX = 3660
HOLD_MINUTES_MAX, WITHDRAW_HOURS_MAX = 7 * 24 * 60, 30 * 24

StatusOfOffer = Literal["offered", "suspended", "ended"]
LeaseDays = Annotated[int, Field(ge=1, le=DAYS_MAX, examples=[30])]
LeasedBoxes = Annotated[int, Field(ge=1, le=BOXES_MAX, examples=[4])]
HoldMinutes = Annotated[int, Field(ge=1, le=HOLD_MINUTES_MAX, examples=[60])]
WithdrawHours = Annotated[int, Field(ge=0, le=WITHDRAW_HOURS_MAX, examples=[24])]


def check_days(min_days: int | None, max_days: int | None) -> None:
    """Require that the shortest term is not longer than the longest.

    Raises `PydanticCustomError`.
    """
    if min_days is not None and max_days is not None and min_days > max_days:
        raise PydanticCustomError("offer_days", "min_days is more than max_days")


def check_boxes(min_boxes: int | None, boxes: int | None) -> None:
    """Require that the smallest rental fits the offer. Raises `PydanticCustomError`."""
    if min_boxes is not None and boxes is not None and min_boxes > boxes:
        raise PydanticCustomError("offer_boxes", "min_boxes is more than boxes")


class CreateLockerOffer(Request):
    """A rental offer to create."""

    site_id: RecordId
    """Site of the compartments."""
    name: Name = Field(examples=["Ten small boxes at Union Station"])
    """Name that buyers see."""
    size: SizeOfBox = "s"
    """Exact size of the compartments."""
    boxes: LeasedBoxes
    """Maximum number of compartments rented at a time."""
    min_boxes: LeasedBoxes = 1
    """Minimum number of compartments per rental."""
    min_days: LeaseDays = 1
    """Shortest term in days of 24 hours."""
    max_days: LeaseDays = 366
    """Longest term that can be bought at a time."""
    day_minor: DayPrice
    """Price per compartment and day in minor units of the business's currency, including tax."""
    setup_minor: DayPrice = 0
    """One-time setup price per rental in minor units, including tax."""
    hold_minutes: HoldMinutes = 60
    """Minutes until an unpaid reservation expires."""
    withdraw_hours: WithdrawHours = 24
    """Hours after payment within which an unused rental can be cancelled with a full refund."""
    terms: Note = Field(default="", examples=["No food, no dangerous goods"])
    """Terms that buyers accept."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        check_days(self.min_days, self.max_days)
        check_boxes(self.min_boxes, self.boxes)
        return self


class UpdateLockerOffer(Request):
    """Changes to an offer.

    Omitted fields stay unchanged. Existing rentals keep their terms until extended.
    """

    locker_offer_id: RecordId
    name: Name | None = Field(default=None, examples=["Ten small boxes at Union Station"])
    boxes: LeasedBoxes | None = None
    """Maximum number of compartments rented at a time. Existing rentals are not affected."""
    min_boxes: LeasedBoxes | None = None
    min_days: LeaseDays | None = None
    max_days: LeaseDays | None = None
    day_minor: DayPrice | None = None
    """New price per compartment and day in minor units."""
    setup_minor: DayPrice | None = None
    """New one-time setup price per rental in minor units."""
    hold_minutes: HoldMinutes | None = None
    withdraw_hours: WithdrawHours | None = None
    terms: Note | None = Field(default=None, examples=["No food, no dangerous goods"])
    suspended: bool | None = None
    """If true, no new rentals can be made for now."""


class LockerOfferRef(Request):
    """Reference to a rental offer."""

    locker_offer_id: RecordId
    """ID of the offer."""


class ListLockerOffers(PageRequest):
    """Filters for rental offers. Offers must match all of them."""

    status: StatusOfOffer | None = None
    """Filter by status. Customers see only open offers."""
    site_id: RecordId | None = None
    """Filter by site."""
    size: SizeOfBox | None = None
    """Filter by compartment size."""


class LockerOffer(Priced):
    """A rental offer."""

    id: int
    site_id: int
    name: str
    status: Annotated[str, doc("offered, suspended or ended.", "offered")]
    size: str
    boxes: Annotated[int, doc("Maximum number of compartments rented at a time.", 10)]
    min_boxes: Annotated[int, doc("Minimum number of compartments per rental.", 1)]
    min_days: Annotated[int, doc("Shortest term that can be bought.", 7)]
    max_days: Annotated[int, doc("Longest term that can be bought at a time.", 366)]
    day_price_minor: Annotated[
        int | UnsetType, price(LEASES, "Price per compartment and day in minor units, including tax.")
    ] = UNSET
    setup_price_minor: Annotated[
        int | UnsetType, price(LEASES, "One-time setup price per rental in minor units, including tax.")
    ] = UNSET
    currency: Annotated[str | UnsetType, price(LEASES, "ISO 4217 code of the currency.")] = UNSET
    hold_minutes: Annotated[int, doc("Minutes until an unpaid reservation expires.", 60)]
    withdraw_hours: Annotated[int, doc("Hours after payment within which an unused rental can be cancelled.", 24)]
    terms: Annotated[str, doc("Terms that buyers accept.", "No food")]
    created_at: datetime
    ended_at: datetime | None


class LockerOfferDetail(LockerOffer):
    """A rental offer and its availability."""

    let: Annotated[int, doc("Number of compartments rented or reserved now.", 4)]
    available: Annotated[int, doc("Number of compartments available now.", 6)]


class LockerOfferAnswer(Answer):
    """A rental offer."""

    result: bool = True
    offer: LockerOfferDetail


class LockerOfferList(PagedAnswer):
    """A page of rental offers, newest first."""

    offers: list[LockerOfferDetail]


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
    """Your reference."""


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
    """Time for which the compartment is reserved."""
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
    refunded_minor: Annotated[int | UnsetType, price(LEASES, "Amount refunded, in minor units.")] = UNSET
    balance_due_minor: Annotated[int | UnsetType, price(LEASES, "Amount due, in minor units.")] = UNSET
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

    day_price_minor: Annotated[
        int | UnsetType, price(LEASES, "Price per compartment and day in minor units, including tax.")
    ] = UNSET
    setup_price_minor: Annotated[
        int | UnsetType, price(LEASES, "One-time setup price in minor units, including tax.")
    ] = UNSET
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

    box_id: LockerBoxId
    cabinet: Annotated[str, doc("Code on the locker.", "A")]
    box: Annotated[int, doc("Number of the compartment in the locker.", 7)]
    size: str
    low: Annotated[bool, doc("If true, the compartment is wheelchair accessible.")]
    state: Annotated[str, doc("ready, faulty or disabled.", "ready")]
    since: Annotated[datetime, doc("Time when the compartment joined the rental.")]
    out_since: Annotated[datetime | None, doc("Start of an outage. Its days are refunded.")]
    parcel_id: Annotated[LockerParcelId | None, doc("ID of the parcel in the compartment. Null if it is empty.")]


class LeasedBoxList(PagedAnswer):
    """A page of the current compartments of a rental, by locker and number."""

    boxes: list[LeasedBox]


class LeasedParcelAnswer(LockerParcelAnswer):
    """A parcel in a rented compartment."""

    locker_lease_id: int


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
    date_from: Day | None = None
    """First booking day, in the business's time zone."""
    date_to: Day | None = None
    """Last booking day."""


class GetLeaseUsage(PageRequest):
    """Period and filters of the usage report."""

    date_from: Day
    """First day, in the business's time zone."""
    date_to: Day
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
    refunded_minor: Annotated[int | UnsetType, price(LEASES, "Amount refunded in the period, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LEASES, "ISO 4217 code of the currency.")] = UNSET


class LeaseUsageReport(PagedAnswer):
    """A page of rentals with compartments in the period, newest first."""

    leases: list[LeaseUsage]
