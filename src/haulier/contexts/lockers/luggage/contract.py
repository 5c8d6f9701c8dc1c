"""Request and response models of luggage bookings."""

from datetime import datetime
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, SecretStr, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.billing.services.contract import FormValues, ServiceCode
from haulier.contexts.documents.files.contract import FileUpload
from haulier.contexts.lockers.devices.contract import DeviceCommandRecord
from haulier.contexts.lockers.luggage.rules import BAGS_MAX, tags_twice
from haulier.contexts.lockers.parcels.contract import RecipientEmail, RecipientPhone
from haulier.contexts.lockers.sites.contract import SizeOfBox
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import NO_NUL, REASON_MAX, Latitude, Longitude, Name, Note, RecordId
from haulier.kernel.operations.ids import DriverId, UserId
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.moments import Day, Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

FAMILY = PriceFamily.LOCAL_DELIVERY
"""Luggage is priced as local delivery, since the interface has no price family of its own for it."""
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
    """Place where bags are dropped off or collected: a locker site or an address."""

    kind: KindOfPlace = "address"
    site_id: RecordId | None = None
    """Locker site. Only for places of the kind locker."""
    name: Name | None = Field(default=None, examples=["Hotel Victoria"])
    """Display name."""
    address: PlaceText | None = Field(default=None, examples=["56 Yonge St"])
    """Street and number. Not for lockers, which use the address of their site."""
    city: Name | None = Field(default=None, examples=["Toronto"])
    country: CountryCode | None = None
    """Country code (ISO 3166-1 alpha-2). Defaults to the country of the business."""
    postal_code: Annotated[str, Field(max_length=20, pattern=NO_NUL)] | None = Field(default=None, examples=["M5E 1G5"])
    lat: Latitude | None = None
    """Latitude in decimal degrees (WGS 84). Required for tariffs by distance."""
    lng: Longitude | None = None

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if (self.kind == "locker") != (self.site_id is not None) or (self.site_id is None and self.address is None):
            raise PydanticCustomError("luggage_place", "a locker has site_id, any other place an address")
        return self


class NewBag(Request):
    """A bag to carry."""

    size: SizeOfBox = "m"
    """Size: s (cabin bag), m (suitcase), l (large suitcase) or xl (skis, golf bag, stroller)."""
    description: Name | None = Field(default=None, examples=["Blue, with a red ribbon"])
    """Description that identifies the bag."""
    tag: LuggageTag | None = None
    """Number on the tag of the bag. If omitted, a tag is assigned and returned."""


class LuggageWish(Request):
    """Luggage to carry, its origin and its destination."""

    service_code: ServiceCode
    """Code of a service of the kind `luggage`."""
    values: FormValues = {}
    """Values for the form of the service."""
    bags: list[NewBag] = Field(min_length=1, max_length=BAGS_MAX)
    origin: LuggagePlace
    """Place where the traveller drops off the bags."""
    destination: LuggagePlace
    """Place where the traveller collects the bags."""

    @model_validator(mode="after")
    def _tags_once(self) -> Self:
        if tags_twice([bag.tag for bag in self.bags if bag.tag]):
            raise PydanticCustomError("tag_twice", "a tag is there twice")
        return self


class Traveller(Request):
    """Owner of the bags."""

    name: Name = Field(examples=["Ada"])
    email: RecipientEmail | None = None
    """Email address for codes."""
    phone: RecipientPhone | None = None
    """Phone number for codes by SMS."""


class BookLuggage(LuggageWish):
    """A luggage booking to create."""

    traveller: Traveller
    drop_from: Moment
    """Earliest time of the drop-off."""
    drop_until: Moment
    """Latest time of the drop-off."""
    pick_from: Moment
    """Time by which the bags must be at their destination."""
    travel_reference: TravelReference | None = None
    """Flight or train number."""
    note: Note = Field(default="", examples=["Ring at the side door"])
    customer_id: RecordId | None = None
    """Customer of the booking, such as a hotel. Required for staff; customers always book for themselves."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.drop_from < self.drop_until <= self.pick_from:
            raise PydanticCustomError("luggage_times", "drop_from, drop_until and pick_from ascend")
        return self


class LuggageRef(Request):
    """Reference to a luggage booking."""

    luggage_id: RecordId


class UpdateLuggageBooking(LuggageRef):
    """Changes to a luggage booking. Omitted fields stay unchanged."""

    traveller: Traveller | None = None
    travel_reference: TravelReference | None = None
    note: Note | None = Field(default=None, examples=["Ring at the side door"])
    drop_from: Moment | None = None
    drop_until: Moment | None = None
    pick_from: Moment | None = None
    destination: LuggagePlace | None = None
    """New destination. Unpaid bookings are repriced. Only staff can change the destination of a paid booking."""


class ListLuggageBookings(PageRequest):
    """Filters for luggage bookings. Bookings must match all of them."""

    status: StatusOfLuggage | None = None
    customer_id: RecordId | None = None
    """Filter by customer. Customers always see only their own."""
    driver_id: DriverId | None = None
    """Filter by driver ID, as returned by `get_drivers`. Drivers always see only their own."""
    from_site_id: RecordId | None = None
    to_site_id: RecordId | None = None
    tag: LuggageTag | None = None
    """Filter by the tag of a bag."""
    tracking_number: Annotated[str, Field(max_length=40, pattern=NO_NUL)] | None = None
    late: bool | None = None
    """If true, only bookings whose bags arrived late."""


class AddLuggagePhoto(LuggageRef):
    """A photo of a bag. It replaces the previous photo."""

    tag: LuggageTag
    photo: FileUpload


class LuggagePriceLine(Priced):
    """A part of a price."""

    code: str
    name: str
    amount: Annotated[int | UnsetType, price(FAMILY, "Amount in minor units.")] = UNSET


class LuggageQuote(Priced):
    """Current price of a luggage relay."""

    result: bool = True
    service_code: str
    bags: int
    lines: list[LuggagePriceLine]
    total_price: Annotated[int | UnsetType, price(FAMILY, "Total in minor units, including tax.")] = UNSET
    currency: Annotated[str | UnsetType, price(FAMILY, "ISO 4217 code of the currency.")] = UNSET
    free_boxes: Annotated[
        bool | None,
        doc("If true, each bag fits a free compartment at the origin now. Null if the origin is not a locker."),
    ]


class LuggagePlaceRecord(Answer):
    """Place where bags are dropped off or collected."""

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
    """Summary of a luggage booking."""

    id: int
    tracking_number: str
    status: Annotated[
        str,
        doc(
            "booked, received, in_transit, at_destination, collected, overdue, lost or cancelled, by the slowest bag.",
            "in_transit",
        ),
    ]
    end_reason: Annotated[
        str | None, doc("Reason for the cancellation: cancelled, not_paid, not_brought, no_box or door_stuck.")
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
    pick_until: Annotated[datetime | None, doc("Time until which the bags wait at their destination.")]
    late: Annotated[bool, doc("If true, the bags arrived late.")]
    paid: bool
    can_be_paid: bool
    can_be_cancelled: bool
    total_price: Annotated[int | UnsetType, price(FAMILY, "Total in minor units, including tax.")] = UNSET
    refunded_minor: Annotated[int | UnsetType, price(FAMILY, "Amount refunded, in minor units.")] = UNSET
    refund_if_cancelled: Annotated[int | UnsetType, price(FAMILY, "Refund for a cancellation now, in minor units.")] = (
        UNSET
    )
    currency: Annotated[str | UnsetType, price(FAMILY, "ISO 4217 code of the currency.")] = UNSET
    created_at: datetime


class LuggageBag(Answer):
    """A bag of a booking."""

    tag: str
    size: str
    description: str | None
    status: Annotated[str, doc("expected, received, loaded, unloaded, collected, lost or absent.", "loaded")]
    damaged: bool
    photo_id: Annotated[int | None, doc("ID of the photo file.")]
    cabinet: Annotated[str | None, doc("Locker that holds the bag, or is reserved for it.", "A")]
    box: int | None


class LuggageHandover(Answer):
    """A link in the chain of custody: the holder of a bag from this time on."""

    tag: str
    step: Annotated[str, doc("receive, load, unload, hand_out, lose or damage.", "load")]
    holder: Annotated[str, doc("New holder: locker, desk, courier, traveller or `nobody`.", "courier")]
    user_id: Annotated[UserId | None, doc("User who recorded the handover. Null for a traveller at a locker.")]
    proof: Annotated[str | None, doc("Proof of the handover: door, pin, identity or scan.", "pin")]
    note: str | None
    at: datetime


class LuggageDetail(LuggageBooking):
    """A luggage booking with its bags and their chain of custody."""

    traveller_email: str | None
    traveller_phone: str | None
    note: str
    lines: list[LuggagePriceLine]
    bags: list[LuggageBag]
    handovers: Annotated[list[LuggageHandover], doc("Chain of custody in chronological order.")]
    paid_at: datetime | None
    received_at: datetime | None
    arrived_at: datetime | None
    ended_at: datetime | None


class LuggageAnswer(Answer):
    """A luggage booking."""

    result: bool = True
    luggage: LuggageDetail


class LuggageList(PagedAnswer):
    """A page of luggage bookings, newest first."""

    bookings: list[LuggageBooking]


LuggageTags = Annotated[list[LuggageTag], Field(min_length=1, max_length=BAGS_MAX)]


class HandOverLuggage(LuggageRef):
    """A handover of bags."""

    step: Literal["receive", "load", "unload", "hand_out"]
    """Step: `receive` (from the traveller), `load`, `unload` (at the destination) or `hand_out` (to the traveller)."""
    tags: LuggageTags
    """Scanned tags of the bags."""
    pin: Annotated[SecretStr, Field(min_length=4, max_length=12, examples=["047155"])] | None = None
    """PIN sent to the traveller. Required when the traveller is present."""
    identity_checked: Annotated[str, Field(min_length=3, max_length=REASON_MAX, pattern=NO_NUL)] | None = Field(
        default=None, examples=["Passport shown"]
    )
    """Identity check by staff for a traveller without a PIN."""
    note: Note | None = Field(default=None, examples=["Left with the porter"])


class ReportLuggageBag(LuggageRef):
    """Report about a bag."""

    tag: LuggageTag
    fault: Literal["lost", "damaged"]
    note: Note = Field(min_length=3, examples=["A wheel is broken"])


class AssignLuggageDriver(LuggageRef):
    """Assignment of a driver to a luggage booking."""

    driver_id: DriverId | None
    """Driver ID, as returned by `get_drivers`. Null to unassign the driver."""


class ExtendLuggagePickup(LuggageRef):
    """New end of the pickup time."""

    until: Moment


class LuggageHandedOver(LuggageAnswer):
    """A luggage booking after a handover, or while doors are opening for it."""

    accepted: Annotated[bool, doc("False if the PIN was wrong. Nothing is handed over in this case.")]
    tries_left: int
    doors: Annotated[
        list[DeviceCommandRecord], doc("Doors that are opening now. The bags follow the outcome of each door.")
    ]


class LuggageBoxCode(Answer):
    """One-time code for the compartment of a bag."""

    tag: str
    cabinet: str
    box: int
    code: str


class LuggageCodes(LuggageAnswer):
    """New codes of a booking. They are shown only once."""

    codes: list[LuggageBoxCode]
    pin: Annotated[str | None, doc("PIN that the traveller gives at a handover in person.", "047155")]


LIABILITY_MAX = 100_000_000


class SetLuggageSettings(Request):
    """Settings of the luggage relay. Omitted fields are reset to their defaults."""

    pay_minutes: int = Field(default=60, ge=5, le=60 * 24 * 7)
    """Minutes after which an unpaid booking is cancelled."""
    free_cancel_hours: int = Field(default=24, ge=0, le=24 * 30)
    """Hours before the drop-off until which a cancellation is fully refunded."""
    late_refund_percent: int = Field(default=50, ge=0, le=100)
    """Percentage of the price refunded for later cancellations."""
    pick_days: int = Field(default=3, ge=1, le=60)
    """Days for which bags wait at their destination."""
    claim_days: int = Field(default=21, ge=1, le=365)
    """Days within which claims are accepted, counted from the collection or other end of the booking."""
    liability_minor: int = Field(default=0, ge=0, le=LIABILITY_MAX, examples=[150000])
    """Maximum compensation per bag in addition to its share of the price, in minor units of the booking's currency."""


class LuggageSettings(Answer, fields_of=SetLuggageSettings):
    """Settings of the luggage relay."""

    result: bool = True


class GetLuggageReport(Request):
    """Period and grouping of the report."""

    date_from: Day
    """First day of payment."""
    date_to: Day
    """Last day of payment, at most a year after the first."""
    by: Literal["service", "day", "site"] = "service"
    """Grouping. `site` is the locker site of the destination, empty for all other destinations."""
    limit: int = Field(default=100, ge=1, le=1000)
    """Maximum number of groups. The groups with the highest amounts are returned."""


class LuggageSums(Answer):
    """Luggage relayed with a service, on a day or to a site, in one currency."""

    key: Annotated[str, doc("Code of the service, day, or ID of the destination's site.", "city-bags")]
    currency: str
    bookings: Annotated[int, doc("Number of paid bookings.")]
    bags: int
    gross_minor: Annotated[int, doc("Amount paid, in minor units.")]
    refunded_minor: Annotated[int, doc("Amount refunded, including claims.")]
    collected: int
    late: Annotated[int, doc("Number of bookings whose bags arrived late.")]
    lost: Annotated[int, doc("Number of bookings whose bags are all lost.")]
    cancelled: int


class LuggageReport(Answer):
    """Relayed luggage, highest amount first."""

    result: bool = True
    groups: list[LuggageSums]


KindOfClaim = Literal["late", "lost", "damaged"]
StatusOfClaim = Literal["open", "accepted", "refused", "withdrawn"]


class FileLuggageClaim(LuggageRef):
    """A luggage claim to file."""

    kind: KindOfClaim
    tag: LuggageTag | None = None
    """Tag of the lost or damaged bag. Omit it if all bags were late."""
    note: Note = Field(min_length=3, examples=["Two wheels are broken"])
    """Description of the incident."""

    @model_validator(mode="after")
    def _of_a_bag(self) -> Self:
        if (self.kind == "late") != (self.tag is None):
            raise PydanticCustomError("claim_tag", "tag belongs to what is lost or damaged, and only to that")
        return self


class LuggageClaimRef(Request):
    """Reference to a luggage claim."""

    luggage_claim_id: RecordId


class SettleLuggageClaim(LuggageClaimRef):
    """Decision on a luggage claim."""

    outcome: Literal["accept", "refuse"]
    amount_minor: Annotated[int, Field(ge=1, le=LIABILITY_MAX, examples=[12000])] | None = None
    """Amount for the customer in minor units of the booking's currency. Only for accepted claims."""
    reason: Note = Field(min_length=3, examples=["Photo shows the damage"])
    """Reason shown to the customer."""

    @model_validator(mode="after")
    def _has_an_amount(self) -> Self:
        if (self.outcome == "accept") != (self.amount_minor is not None):
            raise PydanticCustomError("claim_amount", "amount_minor belongs to what is accepted, and only to that")
        return self


class ListLuggageClaims(PageRequest):
    """Filters for luggage claims. Claims must match all of them."""

    status: StatusOfClaim | None = None
    kind: KindOfClaim | None = None
    luggage_id: RecordId | None = None
    customer_id: RecordId | None = None
    """Filter by customer. Customers always see only their own."""


class LuggageClaim(Priced):
    """A luggage claim."""

    id: int
    luggage_id: int
    customer_id: int
    kind: str
    tag: str | None
    status: Annotated[str, doc("open, accepted, refused or withdrawn.", "open")]
    note: str
    reason: Annotated[str | None, doc("Reason for the decision.")]
    refunded_minor: Annotated[int | UnsetType, price(FAMILY, "Amount refunded from the price.")] = UNSET
    compensation_minor: Annotated[int | UnsetType, price(FAMILY, "Compensation paid in addition to the refund.")] = (
        UNSET
    )
    currency: Annotated[str | UnsetType, price(FAMILY, "ISO 4217 code of the currency.")] = UNSET
    created_at: datetime
    ended_at: datetime | None


class FiledLuggageClaim(Answer):
    """A luggage claim awaiting a decision."""

    id: int
    luggage_id: int
    customer_id: int
    kind: str
    tag: str | None
    status: str
    note: str
    created_at: datetime


class FiledLuggageClaimAnswer(Answer):
    """The filed claim."""

    result: bool = True
    claim: FiledLuggageClaim


class LuggageClaimAnswer(Answer):
    """A luggage claim."""

    result: bool = True
    claim: LuggageClaim


class LuggageClaimList(PagedAnswer):
    """A page of claims, newest first."""

    claims: list[LuggageClaim]
