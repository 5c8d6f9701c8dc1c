"""Request and response models for sites, lockers and compartments."""

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
from haulier.kernel.operations.ids import LockerBoxId, LockerCabinetId, LockerDeviceId, LockerParcelId
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
    """A locker site to create."""

    name: Name | None = Field(default=None, examples=["Union Station, hall B"])
    """Name of the site. Defaults to the name of the point of interest."""
    point_of_interest_id: RecordId | None = None
    """Point of interest of the site. The site takes its address, location and hours, and follows changes."""
    address: SiteAddress = Field(default="", examples=["65 Front St W, Toronto"])
    """Address in one line."""
    lat: Latitude | None = None
    """Latitude in decimal degrees (WGS 84). Required unless `point_of_interest_id` is set."""
    lng: Longitude | None = None
    """Longitude in decimal degrees (WGS 84). Required unless `point_of_interest_id` is set."""
    opening_hours: OpeningHours | None = None
    """Opening hours. Always open if omitted."""
    accessibility: list[Accessibility] = Field(default=[], max_length=6)
    """Accessibility features."""
    access_notes: Note | None = Field(default=None, examples=["Behind the ticket office"])
    """Directions to the site."""
    storage_free_days: FreeDays | None = None
    """Free days of storage. Each further started day costs `storage_day_minor`."""
    storage_day_minor: DayPrice | None = None
    """Price per day of storage in minor units of the business's currency. Free if omitted."""

    @model_validator(mode="after")
    def _is_somewhere(self) -> "CreateLockerSite":
        if self.point_of_interest_id is None and None in (self.name, self.lat, self.lng):
            raise PydanticCustomError("site_place_needed", "name, lat and lng, or a point of interest")
        return self


class UpdateLockerSite(Request):
    """Changes to a site. Omitted fields stay unchanged."""

    site_id: RecordId
    name: Name | None = Field(default=None, examples=["Union Station, hall B"])
    point_of_interest_id: RecordId | None = None
    """New point of interest of the site, which takes its address, location and hours."""
    address: SiteAddress | None = None
    opening_hours: OpeningHours | None = None
    """Opening hours."""
    accessibility: list[Accessibility] | None = Field(default=None, max_length=6)
    """Accessibility features."""
    access_notes: Note | None = None
    storage_free_days: FreeDays | None = None
    """Free days of storage. Each further started day costs `storage_day_minor`."""
    storage_day_minor: DayPrice | None = None
    """Price per day of storage in minor units. 0 for free storage."""
    retired: bool | None = None
    """If true, the site takes no new parcels. Parcels inside can still be collected."""


class LockerSiteRef(Request):
    """Reference to a locker site."""

    site_id: RecordId


class ListLockerSites(PageRequest):
    """Filters for locker sites."""

    retired: bool = False
    """If true, retired sites are included."""


class FindLockerSites(Request):
    """A place to search around."""

    lat: Latitude
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude
    """Longitude in decimal degrees (WGS 84)."""
    radius_m: int = Field(default=20_000, ge=1, le=RADIUS_MAX_M)
    """Search radius in metres, as the crow flies."""
    size: SizeOfBox = "s"
    """Required compartment size. Only sites with a free compartment at least this large are returned."""
    low: bool = False
    """If true, the free compartment must be wheelchair accessible."""
    open_now: bool = False
    """Only sites that are open now."""
    limit: int = Field(default=20, ge=1, le=100)
    """Maximum number of results."""


class BoxesOfSize(Request):
    """Compartments of one size."""

    size: SizeOfBox
    """Size of the compartments."""
    count: int = Field(ge=1, le=BOXES_MAX)
    """Quantity."""
    low: bool = False
    """If true, the compartments are wheelchair accessible."""


class AddLockerCabinet(Request):
    """A locker to add to a site."""

    site_id: RecordId
    code: CabinetCode
    """Code on the locker, unique at the site."""
    device_id: LockerDeviceId | None = None
    """Device that opens the doors."""
    layout: list[BoxesOfSize] = Field(min_length=1, max_length=20)
    """Compartments by ascending number, starting at 1."""

    @model_validator(mode="after")
    def _not_too_many(self) -> "AddLockerCabinet":
        if sum(each.count for each in self.layout) > BOXES_MAX:
            raise PydanticCustomError("too_many_boxes", "too many boxes", {"most": BOXES_MAX})
        return self


class UpdateLockerCabinet(Request):
    """Changes to a locker. Omitted fields stay unchanged."""

    cabinet_id: LockerCabinetId
    device_id: LockerDeviceId | None = None
    """Device that opens the doors."""
    retired: bool | None = None
    """If true, the locker takes no new parcels."""


class ListLockerBoxes(PageRequest):
    """Filters for compartments of a site. Compartments must match all of them."""

    site_id: RecordId
    cabinet_id: LockerCabinetId | None = None
    size: SizeOfBox | None = None
    state: StateOfBox | None = None


class UpdateLockerBox(Request):
    """A compartment to disable or re-enable."""

    box_id: LockerBoxId
    state: StateOfBox
    """New state of the compartment."""
    fault: Annotated[str, Field(max_length=FAULT_MAX, pattern=NO_NUL)] | None = Field(
        default=None, examples=["hinge is bent"]
    )
    """Description of the defect."""


class FreeBoxes(Answer):
    """Free compartments of one size."""

    size: str
    free: int
    boxes: Annotated[int, doc("Number of compartments.")]


class LockerCabinet(Answer):
    """A locker."""

    id: int
    site_id: int
    code: str
    device_id: LockerDeviceId | None
    retired: bool
    created_at: datetime


class LockerSite(Priced):
    """A site with lockers."""

    id: int
    name: str
    point_of_interest_id: Annotated[
        int | None, doc("Point of interest that provides address, location and hours. Null if the site has its own.")
    ]
    address: str
    lat: Annotated[float, doc("Latitude in decimal degrees (WGS 84).")]
    lng: Annotated[float, doc("Longitude in decimal degrees (WGS 84).")]
    opening_hours: Annotated[OpeningHoursRecord | None, doc("Opening hours. Null if always open.")]
    accessibility: list[str]
    access_notes: str | None
    storage_free_days: Annotated[int | None, doc("Free days of storage.")]
    storage_day_minor: Annotated[
        int | UnsetType | None, price(PriceFamily.STORAGE_SERVICES, "Price per further day of storage in minor units.")
    ] = UNSET
    retired: bool
    created_at: datetime


class LockerSiteSummary(LockerSite):
    """A locker site with counts of its compartments."""

    boxes: Annotated[int, doc("Number of compartments.")]
    free: Annotated[int, doc("Number of free compartments.")]
    out_of_use: Annotated[int, doc("Number of faulty or disabled compartments.")]


class LockerSiteDetail(LockerSite):
    """A locker site with its lockers and free compartments."""

    open_now: bool
    cabinets: list[LockerCabinet]
    free: list[FreeBoxes]


class NearbyLockerSite(LockerSite):
    """A locker site near a place."""

    distance_m: Annotated[int, doc("Distance in metres as the crow flies.")]
    open_now: bool
    free: Annotated[int, doc("Number of free compartments that are large enough.")]


class LockerSiteAnswer(Answer):
    """A locker site."""

    result: bool = True
    site: LockerSiteDetail


class LockerSiteList(PagedAnswer):
    """A page of locker sites, ordered by name."""

    sites: list[LockerSiteSummary]


class NearbyLockerSites(Answer):
    """Locker sites, nearest first."""

    result: bool = True
    sites: list[NearbyLockerSite]


class LockerCabinetAnswer(Answer):
    """A locker with its number of compartments."""

    result: bool = True
    cabinet: LockerCabinet
    boxes: Annotated[int, doc("Number of compartments.")]


class LockerBox(Answer):
    """A compartment of a locker."""

    id: int
    site_id: int
    cabinet_id: LockerCabinetId
    number: Annotated[int, doc("Number of the compartment in the locker.")]
    size: str
    low: Annotated[bool, doc("If true, the compartment is wheelchair accessible.")]
    state: Annotated[str, doc("ready, faulty or disabled.", "ready")]
    fault: Annotated[str | None, doc("Description of the fault.")]
    door_open: Annotated[bool | None, doc("Last report of the door sensor. Null if it never reported.")]
    parcel_id: Annotated[LockerParcelId | None, doc("ID of the parcel in the compartment. Null if it is empty.")]
    lease_id: Annotated[int | None, doc("ID of the rental of the compartment. Null if it is not rented.")]
    use: Annotated[str, doc("free, rented, reserved, occupied, overdue, faulty or disabled.", "occupied")]


class LockerBoxAnswer(Answer):
    """A compartment."""

    result: bool = True
    box: LockerBox


class LockerBoxList(PagedAnswer):
    """A page of compartments, by locker and number."""

    boxes: list[LockerBox]
