"""What goes in and out of the catalogue of load spaces. x runs from the front wall to the rear door, y across, z up."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.warehouse.products.contract import LENGTH_MAX_MM, WEIGHT_MAX_G
from haulier.contexts.warehouse.warehouses.contract import WarehouseCode
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import EachOnce, Name, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.solvers.loading.problem import DoorSide, LoadingMethod

COST_MAX_MINOR, STOCK_MAX, OBSTACLES_MAX, VEHICLES_MAX = 1_000_000_000, 100, 20, 500
SERVICE = PriceFamily.SHIPPING_SERVICE

SpaceKind = Literal["van", "truck", "trailer", "container", "pallet", "uld"]
Edge = Annotated[int, Field(ge=1, le=LENGTH_MAX_MM)]
"""Millimetres."""
Place = Annotated[int, Field(ge=0, le=LENGTH_MAX_MM)]
"""Millimetres from the front wall, from the left wall or from the floor."""
Grams = Annotated[int, Field(ge=0, le=WEIGHT_MAX_G)]


class AxleTerms(Request):
    """An axle, a group of axles, or a king pin."""

    position_mm: int = Field(ge=-LENGTH_MAX_MM, le=LENGTH_MAX_MM, examples=[-900])
    """Where it is, in millimetres from the front wall inside; negative before it."""
    limit_g: Grams = Field(examples=[1_850_000])
    """The most that may weigh on it."""
    tare_g: Grams = 0
    """What weighs on it without a load."""
    least_g: Grams = 0
    """The least that must weigh on it, so that the vehicle can be steered."""


class AxlesTerms(Request):
    """What carries a space."""

    front: AxleTerms
    """The front axle, or the king pin of a trailer."""
    rear: AxleTerms
    """The rear axle or the group of rear axles, behind the front one."""
    tractor: Annotated[list[AxleTerms], Field(min_length=2, max_length=2)] | None = None
    """The front and the rear axle of the tractor that shares what weighs on the king pin, where they are when coupled."""


class BalanceTerms(Request):
    """Where the centre of gravity of the load must be."""

    x_from_mm: Place
    """At least so far from the front wall."""
    x_to_mm: Place
    """At most so far."""
    y_from_mm: Place
    """At least so far from the left wall."""
    y_to_mm: Place
    """At most so far."""


class ObstacleTerms(Request):
    """Something fixed inside, such as a wheel arch, a step or a cut corner. Pieces may stand on it."""

    x_mm: Place
    """Where it begins from the front wall."""
    y_mm: Place
    """From the left wall."""
    z_mm: Place = 0
    """From the floor."""
    length_mm: Edge
    """How long it is along the space."""
    width_mm: Edge
    """Across."""
    height_mm: Edge
    """Upwards."""


class ReachTerms(Request):
    """How far a loading method reaches into a space."""

    method: LoadingMethod
    """Which method: by hand or with a forklift."""
    doors: Annotated[set[DoorSide], Field(min_length=1, max_length=5), EachOnce] | None = None
    """Through which doors of the space; null for each."""
    enters: bool = True
    """Whether it comes in: then depth is counted from what stands before a piece, otherwise from the door."""
    depth_mm: Place | None = None
    """The farthest to the near face of a piece; null for any."""
    height_mm: Place | None = None
    """The highest that the base of a piece is lifted, unless through the top; null for any."""


class LoadSpaceTerms(Request):
    """What a space is. Lengths are in millimetres inside: round them down."""

    name: Name = Field(examples=["Van, long"])
    """What people call it."""
    kind: SpaceKind = "van"
    """Which sort of space it is."""
    length_mm: Edge = Field(examples=[3400])
    """From the front wall to the rear door."""
    width_mm: Edge = Field(examples=[1700])
    """From the left wall to the right one."""
    height_mm: Edge = Field(examples=[1900])
    """From the floor up to where pieces may reach."""
    payload_g: int = Field(ge=1, le=WEIGHT_MAX_G, examples=[1_200_000])
    """The most weight of what is loaded, in grams."""
    tare_g: Grams = 0
    """Its own weight in grams."""
    cost_minor: int = Field(default=0, ge=0, le=COST_MAX_MINOR)
    """What using it costs, in minor units of the business's currency; decides which spaces are used."""
    stock: int = Field(default=1, ge=0, le=STOCK_MAX)
    """How many there are."""
    doors: Annotated[set[DoorSide], Field(max_length=5), EachOnce] = {DoorSide.REAR}
    """The sides where pieces go in and out. Without any, nothing is asked of their order."""
    obstacles: Annotated[list[ObstacleTerms], Field(max_length=OBSTACLES_MAX)] = []
    """What is fixed inside."""
    axles: AxlesTerms | None = None
    """Its axles and their limits; null where they are not looked at."""
    balance: BalanceTerms | None = None
    """Where the centre of gravity must be; null for anywhere."""
    reach: Annotated[list[ReachTerms], Field(max_length=2)] = []
    """How far each loading method reaches; one that is not named here reaches everything."""
    target_utilization_percent: int = Field(default=100, ge=1, le=100)
    """The most of its volume that pieces take. A hard limit."""
    active: bool = True
    """Whether plans may use it."""
    vehicle_ids: Annotated[set[RecordId], Field(max_length=VEHICLES_MAX), EachOnce] = set()
    """Your vehicles that look like this inside: routes are built for them only as far as they can be loaded. Each leaves the
    load space that it had."""


class CreateLoadSpace(LoadSpaceTerms):
    """A new load space."""

    code: WarehouseCode = Field(examples=["VAN-L"])
    """A short code, unique in the business."""


class LoadSpaceRef(Request):
    """Which load space."""

    load_space_id: RecordId


class UpdateLoadSpace(LoadSpaceTerms):
    """A load space as it shall be from now on: what is left out has its default."""

    load_space_id: RecordId


class ListLoadSpaces(PageRequest):
    """Which load spaces."""

    inactive: bool = False
    """Also those that plans may not use."""


class AxleDetail(Answer):
    """An axle, a group of axles, or a king pin."""

    position_mm: Annotated[int, doc("From the front wall inside; negative before it.")]
    limit_g: int
    tare_g: Annotated[int, doc("What weighs on it without a load.")]
    least_g: Annotated[int, doc("The least that must weigh on it.")]


class AxlesDetail(Answer):
    """What carries a space."""

    front: AxleDetail
    rear: AxleDetail
    tractor: Annotated[list[AxleDetail] | None, doc("The axles of the tractor where the front one is a king pin.")]


class BalanceDetail(Answer):
    """Where the centre of gravity of the load must be."""

    x_from_mm: int
    x_to_mm: int
    y_from_mm: int
    y_to_mm: int


class ObstacleDetail(Answer):
    """Something fixed inside."""

    x_mm: int
    y_mm: int
    z_mm: int
    length_mm: int
    width_mm: int
    height_mm: int


class ReachDetail(Answer):
    """How far a loading method reaches into a space."""

    method: LoadingMethod
    doors: Annotated[list[DoorSide] | None, doc("Through which doors; null for each.")]
    enters: Annotated[bool, doc("Whether depth is counted from what stands before a piece, or else from the door.")]
    depth_mm: Annotated[int | None, doc("The farthest to the near face of a piece; null for any.")]
    height_mm: Annotated[int | None, doc("The highest that a base is lifted; null for any.")]


class LoadSpaceDetail(Priced):
    """A load space. Lengths are in millimetres."""

    id: int
    code: str
    name: str
    kind: SpaceKind
    length_mm: int
    width_mm: int
    height_mm: int
    payload_g: int
    tare_g: Annotated[int, doc("Its own weight in grams.")]
    stock: Annotated[int, doc("How many there are.")]
    doors: list[DoorSide]
    obstacles: list[ObstacleDetail]
    axles: AxlesDetail | None
    balance: BalanceDetail | None
    reach: Annotated[list[ReachDetail], doc("How far each loading method reaches.")]
    target_utilization_percent: int
    active: Annotated[bool, doc("Whether plans may use it.")]
    vehicle_ids: Annotated[list[int], doc("The vehicles that look like this inside.")]
    created_at: datetime
    updated_at: datetime
    cost_minor: Annotated[int | UnsetType, price(SERVICE, "What using it costs, in minor units.")] = UNSET


class LoadSpaceAnswer(Answer):
    """One load space."""

    result: bool = True
    load_space: LoadSpaceDetail


class LoadSpaceList(PagedAnswer):
    """A page of load spaces, by code."""

    load_spaces: list[LoadSpaceDetail]
