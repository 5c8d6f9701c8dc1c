"""What goes in and out of sites, cabinets and boxes."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.places.points_of_interest.contract import OpeningHours, OpeningHoursRecord
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import NO_NUL, Latitude, Longitude, Name, Note, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

ADDRESS_MAX, CODE_MAX, FAULT_MAX = 300, 40, 200
BOXES_MAX = 500
RADIUS_MAX_M = 200_000
FREE_DAYS_MAX, DAY_PRICE_MAX = 365, 10_000_000

SizeOfBox = Literal["s", "m", "l", "xl"]
StateOfBox = Literal["ready", "faulty", "disabled"]
Accessibility = Literal["step_free", "sheltered", "lit", "attended", "parking", "low_boxes"]
FreeDays = Annotated[int, Field(ge=0, le=FREE_DAYS_MAX, examples=[3])]
DayPrice = Annotated[int, Field(ge=0, le=DAY_PRICE_MAX, examples=[150])]
SiteAddress = Annotated[str, Field(max_length=ADDRESS_MAX, pattern=NO_NUL)]
CabinetCode = Annotated[
    str, Field(min_length=1, max_length=CODE_MAX, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", examples=["A"])
]


class CreateLockerSite(Request):
    """A new site."""

    name: Name | None = Field(default=None, examples=["Union Station, hall B"])
    """What people call it; the point of interest's name, where left out."""
    point_of_interest_id: RecordId | None = None
    """The point of interest at which it is: the site has its address, place and hours, and follows their changes."""
    address: SiteAddress = Field(default="", examples=["65 Front St W, Toronto"])
    """Where it is, in words."""
    lat: Latitude | None = None
    """Degrees north, WGS 84; needed without a point of interest."""
    lng: Longitude | None = None
    """Degrees east, WGS 84; needed without a point of interest."""
    opening_hours: OpeningHours | None = None
    """When people can get at it; always, where left out."""
    accessibility: list[Accessibility] = Field(default=[], max_length=6)
    """What helps people who need it."""
    access_notes: Note | None = Field(default=None, examples=["Behind the ticket office"])
    """How to find it."""
    storage_free_days: FreeDays | None = None
    """After so many days in a box, each day that begins costs `storage_day_minor`."""
    storage_day_minor: DayPrice | None = None
    """What a day of storage costs, in minor units of the business's currency; nothing, where left out."""

    @model_validator(mode="after")
    def _is_somewhere(self) -> "CreateLockerSite":
        if self.point_of_interest_id is None and None in (self.name, self.lat, self.lng):
            raise PydanticCustomError("site_place_needed", "name, lat and lng, or a point of interest")
        return self


class UpdateLockerSite(Request):
    """What to change; what is left out stays as it is."""

    site_id: RecordId
    name: Name | None = Field(default=None, examples=["Union Station, hall B"])
    point_of_interest_id: RecordId | None = None
    """The point of interest at which it is: the site has its address, place and hours from now on."""
    address: SiteAddress | None = None
    opening_hours: OpeningHours | None = None
    """When people can get at it."""
    accessibility: list[Accessibility] | None = Field(default=None, max_length=6)
    """What helps people who need it."""
    access_notes: Note | None = None
    storage_free_days: FreeDays | None = None
    """After so many days in a box, each day that begins costs `storage_day_minor`."""
    storage_day_minor: DayPrice | None = None
    """What a day of storage costs, in minor units; 0 is nothing."""
    retired: bool | None = None
    """A retired site takes no new parcels; those in it can still be taken out."""


class LockerSiteRef(Request):
    """Which site."""

    site_id: RecordId


class ListLockerSites(PageRequest):
    """Which sites."""

    retired: bool = False
    """If true, retired sites are included."""


class FindLockerSites(Request):
    """What is around a place."""

    lat: Latitude
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude
    """Longitude in decimal degrees (WGS 84)."""
    radius_m: int = Field(default=20_000, ge=1, le=RADIUS_MAX_M)
    """Search radius in metres, as the crow flies."""
    size: SizeOfBox = "s"
    """With a box at least so large that is free now."""
    low: bool = False
    """With such a box that can be reached from a wheelchair."""
    open_now: bool = False
    """Only sites that are open now."""
    limit: int = Field(default=20, ge=1, le=100)
    """Maximum number of results."""


class BoxesOfSize(Request):
    """Boxes of one size."""

    size: SizeOfBox
    """How large they are."""
    count: int = Field(ge=1, le=BOXES_MAX)
    """Quantity."""
    low: bool = False
    """Whether they can be reached from a wheelchair."""


class AddLockerCabinet(Request):
    """A new cabinet of a site."""

    site_id: RecordId
    code: CabinetCode
    """What is written on it, unique at the site."""
    device_id: RecordId | None = None
    """The device that opens its doors."""
    layout: list[BoxesOfSize] = Field(min_length=1, max_length=20)
    """Its boxes, in the order of their numbers, which begin with 1."""

    @model_validator(mode="after")
    def _not_too_many(self) -> "AddLockerCabinet":
        if sum(each.count for each in self.layout) > BOXES_MAX:
            raise PydanticCustomError("too_many_boxes", "too many boxes", {"most": BOXES_MAX})
        return self


class UpdateLockerCabinet(Request):
    """What to change; what is left out stays as it is."""

    cabinet_id: RecordId
    device_id: RecordId | None = None
    """The device that opens its doors."""
    retired: bool | None = None
    """A retired cabinet takes no new parcels."""


class ListLockerBoxes(PageRequest):
    """Which boxes of a site; one must match all that is given."""

    site_id: RecordId
    cabinet_id: RecordId | None = None
    size: SizeOfBox | None = None
    state: StateOfBox | None = None


class UpdateLockerBox(Request):
    """A box that is taken out of use, or can be used again."""

    box_id: RecordId
    state: StateOfBox
    """What it shall be."""
    fault: Annotated[str, Field(max_length=FAULT_MAX, pattern=NO_NUL)] | None = Field(
        default=None, examples=["hinge is bent"]
    )
    """What is wrong with it."""


class FreeBoxes(Answer):
    """Boxes of one size that are free now."""

    size: str
    free: int
    boxes: Annotated[int, doc("How many there are.")]


class LockerCabinet(Answer):
    """A piece of furniture with boxes."""

    id: int
    site_id: int
    code: str
    device_id: int | None
    retired: bool
    created_at: datetime


class LockerSite(Priced):
    """A place with cabinets."""

    id: int
    name: str
    point_of_interest_id: Annotated[
        int | None, doc("The point of interest whose address, place and hours it has; null where they are its own.")
    ]
    address: str
    lat: Annotated[float, doc("Latitude in decimal degrees (WGS 84).")]
    lng: Annotated[float, doc("Longitude in decimal degrees (WGS 84).")]
    opening_hours: Annotated[OpeningHoursRecord | None, doc("Null where it is always open.")]
    accessibility: list[str]
    access_notes: str | None
    storage_free_days: Annotated[int | None, doc("After so many days in a box its storage costs something.")]
    storage_day_minor: Annotated[
        int | UnsetType | None, price(PriceFamily.STORAGE_SERVICES, "What a day costs then, in minor units.")
    ] = UNSET
    retired: bool
    created_at: datetime


class LockerSiteSummary(LockerSite):
    """A site in a list, and how its boxes are."""

    boxes: Annotated[int, doc("How many boxes it has.")]
    free: Annotated[int, doc("How many of them are free now.")]
    out_of_use: Annotated[int, doc("How many of them are faulty or disabled.")]


class LockerSiteDetail(LockerSite):
    """A site, its cabinets, and what is free in them."""

    open_now: bool
    cabinets: list[LockerCabinet]
    free: list[FreeBoxes]


class NearbyLockerSite(LockerSite):
    """A site near a place."""

    distance_m: Annotated[int, doc("Metres from where it was asked, as the crow flies.")]
    open_now: bool
    free: Annotated[int, doc("How many boxes that are large enough are free now.")]


class LockerSiteAnswer(Answer):
    """One site."""

    result: bool = True
    site: LockerSiteDetail


class LockerSiteList(PagedAnswer):
    """A page of sites, by name."""

    sites: list[LockerSiteSummary]


class NearbyLockerSites(Answer):
    """Sites, the nearest first."""

    result: bool = True
    sites: list[NearbyLockerSite]


class LockerCabinetAnswer(Answer):
    """One cabinet."""

    result: bool = True
    cabinet: LockerCabinet
    boxes: Annotated[int, doc("How many boxes it has.")]


class LockerBox(Answer):
    """One compartment with a door."""

    id: int
    site_id: int
    cabinet_id: int
    number: Annotated[int, doc("Its number in its cabinet.")]
    size: str
    low: Annotated[bool, doc("Whether it can be reached from a wheelchair.")]
    state: Annotated[str, doc("ready, faulty or disabled.", "ready")]
    fault: Annotated[str | None, doc("What is wrong with it.")]
    door_open: Annotated[bool | None, doc("What its sensor said last; null where it never said anything.")]
    parcel_id: Annotated[int | None, doc("The parcel that has it; null where it is empty.")]
    lease_id: Annotated[int | None, doc("The lease whose box it is; null where nobody leases it.")]


class LockerBoxAnswer(Answer):
    """One box."""

    result: bool = True
    box: LockerBox


class LockerBoxList(PagedAnswer):
    """A page of boxes, by cabinet and number."""

    boxes: list[LockerBox]
