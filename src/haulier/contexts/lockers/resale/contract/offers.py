"""Offers: boxes of one size at a site that businesses can lease, for how long, and what they cost."""

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
    """The shortest term is not longer than the longest. Raises `PydanticCustomError`."""
    if min_days is not None and max_days is not None and min_days > max_days:
        raise PydanticCustomError("offer_days", "min_days is more than max_days")


def check_boxes(min_boxes: int | None, boxes: int | None) -> None:
    """The smallest block is not larger than all of it. Raises `PydanticCustomError`."""
    if min_boxes is not None and boxes is not None and min_boxes > boxes:
        raise PydanticCustomError("offer_boxes", "min_boxes is more than boxes")


class CreateLockerOffer(Request):
    """Boxes that can be leased."""

    site_id: RecordId
    """The site at which they are."""
    name: Name = Field(examples=["Ten small boxes at Union Station"])
    """What buyers read."""
    size: SizeOfBox = "s"
    """Boxes of exactly this size."""
    boxes: LeasedBoxes
    """At most so many are let at a time."""
    min_boxes: LeasedBoxes = 1
    """A lease has at least so many."""
    min_days: LeaseDays = 1
    """The shortest term that can be bought, in days of 24 hours."""
    max_days: LeaseDays = 366
    """The longest term that can be bought at a time."""
    day_minor: DayPrice
    """What a box costs a day, with its tax, in minor units of the business's currency."""
    setup_minor: DayPrice = 0
    """What a lease costs once, with its tax, in minor units."""
    hold_minutes: HoldMinutes = 60
    """Boxes are kept for so long until they are paid."""
    withdraw_hours: WithdrawHours = 24
    """Within so many hours after payment a lease that was not used can be called off, and all of it is given back."""
    terms: Note = Field(default="", examples=["No food, no dangerous goods"])
    """What buyers agree to."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        check_days(self.min_days, self.max_days)
        check_boxes(self.min_boxes, self.boxes)
        return self


class UpdateLockerOffer(Request):
    """What to change; what is left out stays. Leases that were made keep their terms until they are extended."""

    locker_offer_id: RecordId
    name: Name | None = Field(default=None, examples=["Ten small boxes at Union Station"])
    boxes: LeasedBoxes | None = None
    """At most so many are let at a time; those that are let stay let."""
    min_boxes: LeasedBoxes | None = None
    min_days: LeaseDays | None = None
    max_days: LeaseDays | None = None
    day_minor: DayPrice | None = None
    """What a box costs a day from now on, in minor units."""
    setup_minor: DayPrice | None = None
    """What a lease costs once from now on, in minor units."""
    hold_minutes: HoldMinutes | None = None
    withdraw_hours: WithdrawHours | None = None
    terms: Note | None = Field(default=None, examples=["No food, no dangerous goods"])
    suspended: bool | None = None
    """Whether nobody can lease from it for the time being."""


class LockerOfferRef(Request):
    """Which offer."""

    locker_offer_id: RecordId
    """The offer's id."""


class ListLockerOffers(PageRequest):
    """Which offers; one must match all that is given."""

    status: StatusOfOffer | None = None
    """In this status; customers see what is offered."""
    site_id: RecordId | None = None
    """At this site."""
    size: SizeOfBox | None = None
    """Of boxes of this size."""


class LockerOffer(Priced):
    """Boxes that can be leased."""

    id: int
    site_id: int
    name: str
    status: Annotated[str, doc("offered, suspended or ended.", "offered")]
    size: str
    boxes: Annotated[int, doc("At most so many are let at a time.", 10)]
    min_boxes: Annotated[int, doc("A lease has at least so many.", 1)]
    min_days: Annotated[int, doc("The shortest term that can be bought.", 7)]
    max_days: Annotated[int, doc("The longest term that can be bought at a time.", 366)]
    day_price: Annotated[int | UnsetType, price(LEASES, "What a box costs a day, in minor units, with tax.")] = UNSET
    setup_price: Annotated[int | UnsetType, price(LEASES, "What a lease costs once, in minor units, with tax.")] = UNSET
    currency: Annotated[str | UnsetType, price(LEASES, "ISO 4217.")] = UNSET
    hold_minutes: Annotated[int, doc("Boxes are kept for so long until they are paid.", 60)]
    withdraw_hours: Annotated[int, doc("Within so many hours after payment an unused lease can be called off.", 24)]
    terms: Annotated[str, doc("What buyers agree to.", "No food")]
    created_at: datetime
    ended_at: datetime | None


class LockerOfferDetail(LockerOffer):
    """An offer, and how much of it is left."""

    let: Annotated[int, doc("How many of its boxes are let or held now.", 4)]
    available: Annotated[int, doc("How many can be leased now.", 6)]


class LockerOfferAnswer(Answer):
    """One offer."""

    result: bool = True
    offer: LockerOfferDetail


class LockerOfferList(PagedAnswer):
    """A page of offers, newest first."""

    offers: list[LockerOfferDetail]
