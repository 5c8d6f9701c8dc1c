"""Request and response models for vehicles.

Money is in minor units of the business's currency.
"""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Name, RecordId, Skill, Skills
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.solvers.routing.travel import TravelMode

Plate = Annotated[str, Field(min_length=1, max_length=20, pattern=NO_NUL)]
Grams = Annotated[int, Field(ge=0, le=100_000_000)]
CubicCentimetres = Annotated[int, Field(ge=0, le=200_000_000)]
Pieces = Annotated[int, Field(ge=0, le=100_000)]
Minor = Annotated[int, Field(ge=0, le=100_000_000)]
Percent = Annotated[int, Field(ge=10, le=300)]
MaxStops = Annotated[int, Field(ge=1, le=1000)]
Metres = Annotated[int, Field(ge=1, le=5_000_000)]
Seconds = Annotated[int, Field(ge=60, le=172_800)]
OdometerMetres = Annotated[int, Field(ge=0, le=2_000_000_000)]
ServiceDay = Annotated[Day, Field(ge=date(1900, 1, 1), le=date(2199, 12, 31))]


class ListVehicles(PageRequest):
    """Filters and page of a vehicle list."""

    contractor_id: RecordId | None = None
    """Filter by contractor (user ID). Contractors see only their own vehicles."""
    depot_id: RecordId | None = None
    """Filter by depot."""
    skill: Skill | None = None
    """Filter by skill."""
    travel_mode: TravelMode | None = None
    """Filter by travel mode."""
    retired: bool = False
    """If true, include retired vehicles."""
    service_due: bool = False
    """If true, only vehicles with a service that is overdue, or due within 30 days or 1,000 km."""


class VehicleRef(Request):
    """Reference to a vehicle."""

    vehicle_id: RecordId
    """ID of the vehicle."""


class CreateVehicle(Request):
    """A new vehicle. Omitted capacities and limits are unlimited."""

    name: Name
    """Display name."""
    plate: Plate | None = None
    """License plate."""
    travel_mode: TravelMode = TravelMode.VAN
    """Travel mode, which sets roads and travel times. Van includes cars; bicycle includes cargo bikes."""
    contractor_id: RecordId | None = None
    """Contractor (user ID) of the vehicle. Vehicles created by a contractor always belong to that contractor."""
    depot_id: RecordId | None = None
    """Home depot of the vehicle."""
    capacity_weight_g: Grams | None = None
    """Maximum load in grams."""
    capacity_volume_cm3: CubicCentimetres | None = None
    """Maximum volume in cubic centimetres."""
    capacity_parcels: Pieces | None = None
    """Maximum number of packages."""
    skills: Skills = []
    """Skills that orders can require, for example `cooled` or `tail_lift`."""
    cost_per_km_minor: Minor = 0
    """Cost per kilometre."""
    cost_per_hour_minor: Minor = 0
    """Cost per hour in transit, including the driver."""
    cost_fixed_minor: Minor = 0
    """Fixed cost per day of use."""
    speed_percent: Percent = 100
    """Speed in percent of the usual speed of the travel mode: 80 is 20 % slower."""
    max_stops: MaxStops | None = None
    """Maximum number of stops on a route."""
    max_distance_m: Metres | None = None
    """Maximum length of a route in metres."""
    max_time_s: Seconds | None = None
    """Maximum duration of a route in seconds."""
    next_service_on: ServiceDay | None = None
    """Date of the next service."""
    next_service_at_m: OdometerMetres | None = None
    """Odometer reading in metres at which the next service is due."""


class UpdateVehicle(Request):
    """Changes to a vehicle.

    Omitted fields are unchanged; null clears plate, depot, capacities, limits and the next service.
    """

    vehicle_id: RecordId
    name: Name | None = None
    plate: Plate | None = None
    travel_mode: TravelMode | None = None
    depot_id: RecordId | None = None
    capacity_weight_g: Grams | None = None
    """Maximum load in grams."""
    capacity_volume_cm3: CubicCentimetres | None = None
    """Maximum volume in cubic centimetres."""
    capacity_parcels: Pieces | None = None
    skills: Skills | None = None
    cost_per_km_minor: Minor | None = None
    cost_per_hour_minor: Minor | None = None
    cost_fixed_minor: Minor | None = None
    speed_percent: Percent | None = None
    max_stops: MaxStops | None = None
    max_distance_m: Metres | None = None
    max_time_s: Seconds | None = None
    next_service_on: ServiceDay | None = None
    """Date of the next service."""
    next_service_at_m: OdometerMetres | None = None
    """Odometer reading in metres at which the next service is due."""


class VehicleDetail(Answer):
    """A vehicle."""

    id: int
    name: str
    plate: str | None
    travel_mode: Annotated[TravelMode, doc("Travel mode, which sets roads and travel times.")]
    contractor_id: Annotated[
        int | None, doc("Contractor that owns the vehicle; null for vehicles of the business itself.")
    ]
    depot_id: Annotated[int | None, doc("Home depot of the vehicle.")]
    capacity_weight_g: Annotated[int | None, doc("Maximum load in grams; null if unlimited.")]
    capacity_volume_cm3: Annotated[int | None, doc("Maximum volume in cubic centimetres; null if unlimited.")]
    capacity_parcels: Annotated[int | None, doc("Maximum number of packages; null if unlimited.")]
    skills: list[str]
    cost_per_km_minor: int
    cost_per_hour_minor: int
    cost_fixed_minor: int
    speed_percent: Annotated[int, doc("Speed in percent of the usual speed of the travel mode.")]
    max_stops: int | None
    max_distance_m: int | None
    max_time_s: int | None
    odometer_m: Annotated[int | None, doc("Latest odometer reading in metres; null without a reading.")]
    odometer_on: Annotated[date | None, doc("Day of the latest odometer reading.")]
    next_service_on: Annotated[date | None, doc("Date of the next service.")]
    next_service_at_m: Annotated[int | None, doc("Odometer reading in metres at which the next service is due.")]
    service_state: Annotated[
        str | None, doc("One of planned, due_soon or overdue; null without a planned service.", "planned")
    ]
    retired_at: Annotated[datetime | None, doc("Time when the vehicle was retired.")]
    created_at: datetime


class VehicleAnswer(Answer):
    """One vehicle."""

    result: bool = True
    vehicle: VehicleDetail


class VehicleList(PagedAnswer):
    """A page of vehicles, by name."""

    vehicles: list[VehicleDetail]
