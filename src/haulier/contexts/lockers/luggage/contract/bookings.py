"""What goes in and out of bookings of luggage."""

from datetime import datetime
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.billing.services.contract.services import FormValues, ServiceCode
from haulier.contexts.documents.files.contract import FileUpload
from haulier.contexts.lockers.luggage.rules import BAGS_MAX, tags_twice
from haulier.contexts.lockers.parcels.contract import RecipientEmail, RecipientPhone
from haulier.contexts.lockers.sites.contract import SizeOfBox
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import NO_NUL, Latitude, Longitude, Name, Note, RecordId
from haulier.kernel.operations.ids import DriverId, UserId
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.moments import Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

FAMILY = PriceFamily.LOCAL_DELIVERY
"""The interface names no family for luggage: a bag that our van carries is a local delivery."""
TAG_MAX, TRAVEL_MAX, PLACE_MAX = 24, 40, 300

KindOfPlace = Literal["locker", "hotel", "airport", "station", "address"]
StatusOfLuggage = Literal[
    "booked", "received", "in_transit", "at_destination", "collected", "overdue", "lost", "cancelled"
]
LuggageTag = Annotated[
    str, Field(min_length=3, max_length=TAG_MAX, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", examples=["B7K39QX2M"])
]
TravelReference = Annotated[str, Field(min_length=1, max_length=TRAVEL_MAX, pattern=NO_NUL, examples=["AC 871"])]
PlaceText = Annotated[str, Field(min_length=1, max_length=PLACE_MAX, pattern=NO_NUL)]


class LuggagePlace(Request):
    """Where bags are handed in or out: a locker site, or an address."""

    kind: KindOfPlace = "address"
    site_id: RecordId | None = None
    """The locker site, and only for a locker."""
    name: Name | None = Field(default=None, examples=["Hotel Victoria"])
    """What people call it."""
    address: PlaceText | None = Field(default=None, examples=["56 Yonge St"])
    """Street and number; not for a locker, whose site knows it."""
    city: Name | None = Field(default=None, examples=["Toronto"])
    country: CountryCode | None = None
    """ISO 3166-1 alpha-2; the business's own where left out."""
    postal_code: Annotated[str, Field(max_length=20, pattern=NO_NUL)] | None = Field(default=None, examples=["M5E 1G5"])
    lat: Latitude | None = None
    """Degrees north, WGS 84; a tariff by kilometres needs it."""
    lng: Longitude | None = None

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if (self.kind == "locker") != (self.site_id is not None) or (self.site_id is None and self.address is None):
            raise PydanticCustomError("luggage_place", "a locker has site_id, any other place an address")
        return self


class NewBag(Request):
    """A bag."""

    size: SizeOfBox = "m"
    """s: cabin bag, m: suitcase, l: large suitcase, xl: skis, golf, a pushchair. Its box is at least so large."""
    description: Name | None = Field(default=None, examples=["Blue, with a red ribbon"])
    """How to know it."""
    tag: LuggageTag | None = None
    """The number on its tag; the answer has one where left out."""


class LuggageWish(Request):
    """What shall be carried, from where to where."""

    service_code: ServiceCode
    """A service of the kind `luggage`."""
    values: FormValues = {}
    """What the form of the service asks for."""
    bags: list[NewBag] = Field(min_length=1, max_length=BAGS_MAX)
    origin: LuggagePlace
    """Where the traveller hands them in."""
    destination: LuggagePlace
    """Where the traveller takes them."""

    @model_validator(mode="after")
    def _tags_once(self) -> Self:
        if tags_twice([bag.tag for bag in self.bags if bag.tag]):
            raise PydanticCustomError("tag_twice", "a tag is there twice")
        return self


class Traveller(Request):
    """Whose bags they are."""

    name: Name = Field(examples=["Ada"])
    email: RecipientEmail | None = None
    """Where codes are sent."""
    phone: RecipientPhone | None = None
    """Where codes are sent as texts."""


class BookLuggage(LuggageWish):
    """A new booking."""

    traveller: Traveller
    drop_from: Moment
    """From then on the bags can be handed in."""
    drop_until: Moment
    """Until then they must be."""
    pick_from: Moment
    """By then they must be at their destination."""
    travel_reference: TravelReference | None = None
    """A flight or train."""
    note: Note = Field(default="", examples=["Ring at the side door"])
    customer_id: RecordId | None = None
    """Whose booking it is, such as a hotel's; the office must say so, customers book for themselves."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.drop_from < self.drop_until <= self.pick_from:
            raise PydanticCustomError("luggage_times", "drop_from, drop_until and pick_from ascend")
        return self


class LuggageRef(Request):
    """Which booking."""

    luggage_id: RecordId


class UpdateLuggageBooking(LuggageRef):
    """What to change; what is left out stays."""

    traveller: Traveller | None = None
    travel_reference: TravelReference | None = None
    note: Note | None = Field(default=None, examples=["Ring at the side door"])
    drop_from: Moment | None = None
    drop_until: Moment | None = None
    pick_from: Moment | None = None
    destination: LuggagePlace | None = None
    """What is not paid costs what the new way costs; only the office sends bags elsewhere that are paid for."""


class ListLuggageBookings(PageRequest):
    """Which bookings; one must match all that is given."""

    status: StatusOfLuggage | None = None
    customer_id: RecordId | None = None
    """Customers get their own in any case."""
    driver_id: DriverId | None = None
    """The driver's id, as `get_drivers` lists it. Drivers get their own in any case."""
    from_site_id: RecordId | None = None
    to_site_id: RecordId | None = None
    tag: LuggageTag | None = None
    """The booking of a bag."""
    tracking_number: Annotated[str, Field(max_length=40, pattern=NO_NUL)] | None = None
    late: bool | None = None
    """Those whose bags were not there in time."""


class AddLuggagePhoto(LuggageRef):
    """A photo of a bag; the one before is no longer shown."""

    tag: LuggageTag
    photo: FileUpload


class LuggagePriceLine(Priced):
    """A part of a price."""

    code: str
    name: str
    amount: Annotated[int | UnsetType, price(FAMILY, "In minor units.")] = UNSET


class LuggageQuote(Priced):
    """What a relay costs now."""

    result: bool = True
    service_code: str
    bags: int
    lines: list[LuggagePriceLine]
    total_price: Annotated[int | UnsetType, price(FAMILY, "In minor units, with tax.")] = UNSET
    currency: Annotated[str | UnsetType, price(FAMILY, "ISO 4217.")] = UNSET
    free_boxes: Annotated[
        bool | None, doc("Whether each bag finds a free box at the origin now; null where it is no locker.")
    ]


class LuggagePlaceRecord(Answer):
    """Where bags are handed in or out."""

    kind: str
    site_id: int | None
    name: str | None
    address: str | None
    city: str | None
    country: str | None
    postal_code: str | None
    lat: float | None
    lng: float | None


class LuggageBooking(Priced):
    """A booking in a list."""

    id: int
    tracking_number: str
    status: Annotated[
        str,
        doc(
            "booked, received, in_transit, at_destination, collected, overdue, lost or cancelled: as far as the last bag.",
            "in_transit",
        ),
    ]
    end_reason: Annotated[
        str | None, doc("Why it was cancelled: cancelled, not_paid, not_brought, no_box or door_stuck.")
    ]
    service_code: str
    customer_id: int
    driver_id: DriverId | None
    bag_count: int
    traveller_name: str
    travel_reference: str | None
    origin: LuggagePlaceRecord
    destination: LuggagePlaceRecord
    drop_from: datetime
    drop_until: datetime
    pick_from: datetime
    pick_until: Annotated[datetime | None, doc("Until then the bags wait at their destination.")]
    late: Annotated[bool, doc("Whether they were not there in time.")]
    paid: bool
    can_be_paid: bool
    can_be_cancelled: bool
    total_price: Annotated[int | UnsetType, price(FAMILY, "In minor units, with tax.")] = UNSET
    refunded_amount: Annotated[int | UnsetType, price(FAMILY, "What was given back, in minor units.")] = UNSET
    refund_if_cancelled: Annotated[int | UnsetType, price(FAMILY, "What cancelling now gives back.")] = UNSET
    currency: Annotated[str | UnsetType, price(FAMILY, "ISO 4217.")] = UNSET
    created_at: datetime


class LuggageBag(Answer):
    """A bag."""

    tag: str
    size: str
    description: str | None
    status: Annotated[str, doc("expected, received, loaded, unloaded, collected, lost or absent.", "loaded")]
    damaged: bool
    photo_id: Annotated[int | None, doc("The file of its photo.")]
    cabinet: Annotated[str | None, doc("The cabinet in which it is, or shall be put.", "A")]
    box: int | None


class LuggageHandover(Answer):
    """A link of the custody chain: who had a bag from then on."""

    tag: str
    step: Annotated[str, doc("receive, load, unload, hand_out, lose or damage.", "load")]
    holder: Annotated[str, doc("Who has it since: locker, desk, courier, traveller or nobody.", "courier")]
    user_id: Annotated[UserId | None, doc("Who handed it over; null for a traveller at a locker.")]
    proof: Annotated[str | None, doc("How it was made sure: door, pin, identity or scan.", "pin")]
    note: str | None
    at: datetime


class LuggageDetail(LuggageBooking):
    """A booking, its bags, and who had them when."""

    traveller_email: str | None
    traveller_phone: str | None
    note: str
    lines: list[LuggagePriceLine]
    bags: list[LuggageBag]
    handovers: Annotated[list[LuggageHandover], doc("The custody chain, in its order.")]
    paid_at: datetime | None
    received_at: datetime | None
    arrived_at: datetime | None
    ended_at: datetime | None


class LuggageAnswer(Answer):
    """One booking."""

    result: bool = True
    luggage: LuggageDetail


class LuggageList(PagedAnswer):
    """A page of bookings, newest first."""

    bookings: list[LuggageBooking]
