"""Request and response models for lockers and the use of their compartments."""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.lockers.sites.contract import LockerBox, LockerCabinet, LockerSiteRef
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.fields import NO_NUL, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

SEARCH_MAX = 100
OCCUPANCY_DAYS_MAX = 31


class ListLockerCabinets(PageRequest):
    """Filters for lockers. Lockers must match all of them."""

    site_id: RecordId | None = None
    search: str | None = Field(
        default=None, min_length=1, max_length=SEARCH_MAX, pattern=NO_NUL, examples=["Union Station"]
    )
    """Part of the site's name or address."""
    needs_attention: bool = False
    """Only lockers with a faulty compartment, an overdue parcel or an offline device."""
    retired: bool = False
    """If true, retired lockers are included."""


class GetLockerOccupancy(LockerSiteRef):
    """A site and a number of days up to today."""

    days: int = Field(default=14, ge=1, le=OCCUPANCY_DAYS_MAX)
    """Number of days, including today."""


class LockerUse(Answer):
    """Number of compartments by their use."""

    boxes: Annotated[int, doc("Number of compartments.")]
    free: Annotated[int, doc("Number of free compartments.")]
    rented: Annotated[int, doc("Number of rented compartments without a parcel.")]
    reserved: Annotated[int, doc("Number of compartments reserved for a parcel.")]
    occupied: Annotated[int, doc("Number of compartments with a parcel inside.")]
    overdue: Annotated[int, doc("Number of compartments with a parcel whose pickup time is over.")]
    faulty: Annotated[int, doc("Number of faulty compartments.")]
    disabled: Annotated[int, doc("Number of disabled compartments.")]


class LockerCabinetDetail(LockerCabinet):
    """A locker with its compartments and its device."""

    site_name: str
    address: str
    device_name: Annotated[str | None, doc("Name of the device that opens the doors.")]
    device_online: Annotated[
        bool, doc("If true, the device made contact in the last two minutes and has not disconnected since.")
    ]
    device_seen_at: Annotated[datetime | None, doc("Time of the last contact of the device.")]
    counts: LockerUse
    boxes: Annotated[list[LockerBox], doc("All compartments by number.")]


class LockerCabinetList(PagedAnswer):
    """A page of lockers, by site and code."""

    cabinets: list[LockerCabinetDetail]
    totals: Annotated[LockerUse, doc("Compartments of all matching lockers, of every page.")]
    offline: Annotated[int, doc("Number of matching lockers whose device is offline or missing.")]


class LockerDay(Answer):
    """Use of a site on a day."""

    day: date
    peak: Annotated[int, doc("Highest number of compartments taken at the same time.")]
    deposited: Annotated[int, doc("Number of parcels put in.")]
    taken_out: Annotated[int, doc("Number of parcels taken out.")]


class LockerOccupancy(Answer):
    """Use of a site by day, oldest first."""

    result: bool = True
    site_id: int
    boxes: Annotated[int, doc("Number of compartments now.")]
    days: list[LockerDay]
