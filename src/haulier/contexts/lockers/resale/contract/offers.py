"""Request and response models for rental offers."""

from datetime import datetime
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.lockers.sites.contract import BOXES_MAX, DayPrice, SizeOfBox
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import Name, Note, RecordId
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
    day_price: Annotated[
        int | UnsetType, price(LEASES, "Price per compartment and day in minor units, including tax.")
    ] = UNSET
    setup_price: Annotated[
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
