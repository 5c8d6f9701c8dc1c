"""What goes in and out of fleets. Money is in minor units of the business's currency."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Name, RecordId, Skill, Skills
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

Plate = Annotated[str, Field(min_length=1, max_length=20, pattern=NO_NUL)]
Grams = Annotated[int, Field(ge=0, le=100_000_000)]
CubicCentimetres = Annotated[int, Field(ge=0, le=200_000_000)]
Pieces = Annotated[int, Field(ge=0, le=100_000)]
Minor = Annotated[int, Field(ge=0, le=100_000_000)]
Percent = Annotated[int, Field(ge=10, le=300)]
MaxStops = Annotated[int, Field(ge=1, le=1000)]
Metres = Annotated[int, Field(ge=1, le=5_000_000)]
Seconds = Annotated[int, Field(ge=60, le=172_800)]


class ListVehicles(PageRequest):
    """Which vehicles to list."""

    contractor_id: RecordId | None = None
    """Only those of this contractor (user id); contractors see only their own."""
    depot_id: RecordId | None = None
    """Only those at home at this depot."""
    skill: Skill | None = None
    """Only those with this skill."""
    retired: bool = False
    """Also those that are out of use."""


class VehicleRef(Request):
    """Which vehicle."""

    vehicle_id: RecordId
    """The vehicle's id."""


class CreateVehicle(Request):
    """A new vehicle. A capacity or limit that is left out does not limit."""

    name: Name
    """What people call it."""
    plate: Plate | None = None
    """Its number plate."""
    contractor_id: RecordId | None = None
    """The contractor (user id) it belongs to. A contractor's own vehicles are always theirs."""
    depot_id: RecordId | None = None
    """The depot where it is at home."""
    capacity_weight_g: Grams | None = None
    """What it may carry, in grams."""
    capacity_volume_cm3: CubicCentimetres | None = None
    """What it holds, in cubic centimetres."""
    capacity_parcels: Pieces | None = None
    """How many pieces it holds."""
    skills: Skills = []
    """What it can do that an order may ask for: `cooled`, `tail_lift` …"""
    cost_per_km_minor: Minor = 0
    """What a kilometre costs."""
    cost_per_hour_minor: Minor = 0
    """What an hour on the road costs, driver included."""
    cost_fixed_minor: Minor = 0
    """What using it on a day costs."""
    speed_percent: Percent = 100
    """How fast it is: 100 is the usual speed, 80 a fifth slower."""
    max_stops: MaxStops | None = None
    """The most stops of a route."""
    max_distance_m: Metres | None = None
    """The longest route, in metres."""
    max_time_s: Seconds | None = None
    """The longest time on the way, in seconds."""


class UpdateVehicle(Request):
    """What to change; what is left out stays as it is. Null empties plate, depot, capacities and limits."""

    vehicle_id: RecordId
    name: Name | None = None
    plate: Plate | None = None
    depot_id: RecordId | None = None
    capacity_weight_g: Grams | None = None
    """In grams."""
    capacity_volume_cm3: CubicCentimetres | None = None
    """In cubic centimetres."""
    capacity_parcels: Pieces | None = None
    skills: Skills | None = None
    cost_per_km_minor: Minor | None = None
    cost_per_hour_minor: Minor | None = None
    cost_fixed_minor: Minor | None = None
    speed_percent: Percent | None = None
    max_stops: MaxStops | None = None
    max_distance_m: Metres | None = None
    max_time_s: Seconds | None = None


class VehicleDetail(Answer):
    """A vehicle."""

    id: int
    name: str
    plate: str | None
    contractor_id: Annotated[int | None, doc("The contractor it belongs to; null for the client's own.")]
    depot_id: Annotated[int | None, doc("Where it is at home.")]
    capacity_weight_g: Annotated[int | None, doc("In grams; null does not limit.")]
    capacity_volume_cm3: Annotated[int | None, doc("In cubic centimetres; null does not limit.")]
    capacity_parcels: Annotated[int | None, doc("Pieces; null does not limit.")]
    skills: list[str]
    cost_per_km_minor: int
    cost_per_hour_minor: int
    cost_fixed_minor: int
    speed_percent: Annotated[int, doc("100 is the usual speed.")]
    max_stops: int | None
    max_distance_m: int | None
    max_time_s: int | None
    retired_at: Annotated[datetime | None, doc("Since when it is out of use.")]
    created_at: datetime


class VehicleAnswer(Answer):
    """One vehicle."""

    result: bool = True
    vehicle: VehicleDetail


class VehicleList(PagedAnswer):
    """A page of vehicles, by name."""

    vehicles: list[VehicleDetail]
