"""Request and response models of load plans."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.warehouse.packing.contract.cartons import Length
from haulier.contexts.warehouse.packing.contract.plans import PieceId, PieceRules, SizedPiece, Word
from haulier.contexts.warehouse.products.contract import LENGTH_MAX_MM, WEIGHT_MAX_G
from haulier.contexts.warehouse.warehouses.contract import WarehouseCode
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import EachOnce, Name, RecordId
from haulier.kernel.operations.ids import LoadSpaceId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.solvers.loading.plan import LeftOverReason, LoadingRule, LoadingState
from haulier.solvers.loading.problem import DoorSide, LoadingMethod
from haulier.solvers.packing.problem import Turn

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
    """Position behind the inner front wall, in millimetres. Negative in front of it."""
    limit_g: Grams = Field(examples=[1_850_000])
    """Maximum load in grams."""
    tare_g: Grams = 0
    """Axle load of the empty vehicle, in grams."""
    least_g: Grams = 0
    """Minimum load in grams, so that the vehicle can be steered."""


class AxlesTerms(Request):
    """Axles that carry a cargo space."""

    front: AxleTerms
    """The front axle, or the king pin of a trailer."""
    rear: AxleTerms
    """The rear axle or the group of rear axles, behind the front one."""
    tractor: Annotated[list[AxleTerms], Field(min_length=2, max_length=2)] | None = None
    """Front and rear axle of the tractor that carries the kingpin load, at their positions when coupled."""


class BalanceTerms(Request):
    """Where the centre of gravity of the load must be."""

    x_from_mm: Place
    """Minimum distance from the front wall."""
    x_to_mm: Place
    """Maximum distance."""
    y_from_mm: Place
    """Minimum distance from the left wall."""
    y_to_mm: Place
    """Maximum distance."""


class ObstacleTerms(Request):
    """A fixed obstacle inside, such as a wheel arch. Items can stand on it."""

    x_mm: Place
    """Distance of its start from the front wall."""
    y_mm: Place
    """From the left wall."""
    z_mm: Place = 0
    """From the floor."""
    length_mm: Edge
    """Length along the cargo space."""
    width_mm: Edge
    """Width of the obstacle in millimetres."""
    height_mm: Edge
    """Height of the obstacle in millimetres."""


class ReachTerms(Request):
    """Reach of a loading method into a cargo space."""

    method: LoadingMethod
    """Loading method: by hand or with a forklift."""
    doors: Annotated[set[DoorSide], Field(min_length=1, max_length=5), EachOnce] | None = None
    """Doors to use. null: all."""
    enters: bool = True
    """If true, the loader enters the space: depth is measured from the goods in front of an item, otherwise from the
    door."""
    depth_mm: Place | None = None
    """Maximum distance to the near face of an item; null if unlimited."""
    height_mm: Place | None = None
    """The highest that the base of an item is lifted, unless through the top; null for any."""


class LoadSpaceTerms(Request):
    """Properties of a cargo space. Inner lengths are in millimetres, rounded down."""

    name: Name = Field(examples=["Van, long"])
    """Display name."""
    kind: SpaceKind = "van"
    """Kind of cargo space."""
    length_mm: Edge = Field(examples=[3400])
    """From the front wall to the rear door."""
    width_mm: Edge = Field(examples=[1700])
    """From the left wall to the right one."""
    height_mm: Edge = Field(examples=[1900])
    """Maximum stacking height from the floor."""
    payload_g: int = Field(ge=1, le=WEIGHT_MAX_G, examples=[1_200_000])
    """Maximum payload in grams."""
    tare_g: Grams = 0
    """Empty weight in grams."""
    cost_minor: int = Field(default=0, ge=0, le=COST_MAX_MINOR)
    """Cost of use in minor units of the business's currency. Decides which spaces are used."""
    stock: int = Field(default=1, ge=0, le=STOCK_MAX)
    """Number available."""
    doors: Annotated[set[DoorSide], Field(max_length=5), EachOnce] = {DoorSide.REAR}
    """The sides where items go in and out. Without any, nothing is asked of their order."""
    obstacles: Annotated[list[ObstacleTerms], Field(max_length=OBSTACLES_MAX)] = []
    """Obstacles fixed inside."""
    axles: AxlesTerms | None = None
    """Axles and their limits. null: not checked."""
    balance: BalanceTerms | None = None
    """Allowed range of the centre of gravity. null: no limit."""
    reach: Annotated[list[ReachTerms], Field(max_length=2)] = []
    """Reach of each loading method. Methods that are not listed reach everything."""
    target_utilization_percent: int = Field(default=100, ge=1, le=100)
    """Maximum share of its volume that items fill (hard limit)."""
    active: bool = True
    """If true, plans can use the space."""
    vehicle_ids: Annotated[set[RecordId], Field(max_length=VEHICLES_MAX), EachOnce] = set()
    """Your vehicles that look like this inside: routes are built for them only as far as they can be loaded. Each leaves the
    load space that it had."""


class CreateLoadSpace(LoadSpaceTerms):
    """A new load space."""

    code: WarehouseCode = Field(examples=["VAN-L"])
    """A short code, unique in the business."""


class LoadSpaceRef(Request):
    """Reference to a load space."""

    load_space_id: RecordId


class UpdateLoadSpace(LoadSpaceTerms):
    """New values for a load space. Omitted fields are reset to their defaults."""

    load_space_id: RecordId


class ListLoadSpaces(PageRequest):
    """Filters for load spaces."""

    inactive: bool = False
    """If true, include those that plans cannot use."""


class AxleDetail(Answer):
    """An axle, a group of axles, or a king pin."""

    position_mm: Annotated[int, doc("Distance from the inner front wall in millimetres; negative in front of it.")]
    limit_g: int
    tare_g: Annotated[int, doc("Axle load of the empty vehicle, in grams.")]
    least_g: Annotated[int, doc("Minimum load of the axle in grams.")]


class AxlesDetail(Answer):
    """Axles that carry a cargo space."""

    front: AxleDetail
    rear: AxleDetail
    tractor: Annotated[list[AxleDetail] | None, doc("Axles of the tractor, if the front one is a kingpin.")]


class BalanceDetail(Answer):
    """Where the centre of gravity of the load must be."""

    x_from_mm: int
    x_to_mm: int
    y_from_mm: int
    y_to_mm: int


class ObstacleDetail(Answer):
    """A fixed obstacle inside."""

    x_mm: int
    y_mm: int
    z_mm: int
    length_mm: int
    width_mm: int
    height_mm: int


class ReachDetail(Answer):
    """Reach of a loading method into a cargo space."""

    method: LoadingMethod
    doors: Annotated[list[DoorSide] | None, doc("Side of the door; null for all doors.")]
    enters: Annotated[
        bool, doc("True if the depth is measured from the goods in front of an item, false if from the door.")
    ]
    depth_mm: Annotated[int | None, doc("Maximum distance to the near face of an item; null if unlimited.")]
    height_mm: Annotated[int | None, doc("Maximum height of an item's base; null if unlimited.")]


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
    tare_g: Annotated[int, doc("Empty weight in grams.")]
    stock: Annotated[int, doc("Number available.")]
    doors: list[DoorSide]
    obstacles: list[ObstacleDetail]
    axles: AxlesDetail | None
    balance: BalanceDetail | None
    reach: Annotated[list[ReachDetail], doc("Reach of each loading method.")]
    target_utilization_percent: int
    active: Annotated[bool, doc("If true, plans can use the space.")]
    vehicle_ids: Annotated[list[int], doc("Vehicles with this cargo space.")]
    created_at: datetime
    updated_at: datetime
    cost_minor: Annotated[int | UnsetType, price(SERVICE, "Cost per use, in minor units.")] = UNSET


class LoadSpaceAnswer(Answer):
    """One load space."""

    result: bool = True
    load_space: LoadSpaceDetail


class LoadSpaceList(PagedAnswer):
    """A page of load spaces, by code."""

    load_spaces: list[LoadSpaceDetail]


PIECES_MAX, LINES_MAX, SPACES_MAX, APART_MAX = 500, 300, 50, 50
STOP_MAX, LAYERS_MAX, GROUP_MAX, PRIORITY_MAX = 1000, 100, 1000, 1_000_000
SECONDS_MAX, STEPS_MAX = 10, 1_000_000


class PieceSize(SizedPiece):
    """The size and weight of boxes that are loaded."""

    id: Word = Field(examples=["washer"])
    """A name of your own, unique in the call. Of several items, each is named with `#1`, `#2` and so on."""
    length_mm: Length = Field(examples=[600])
    """Length in millimetres."""
    width_mm: Length = Field(examples=[600])
    """Width."""
    height_mm: Length = Field(examples=[850])
    """Height."""
    quantity: int = Field(default=1, ge=1, le=PIECES_MAX)
    """Number of items."""


class PieceToLoad(PieceRules, PieceSize):
    """Equal boxes that are loaded."""

    stop: int = Field(default=1, ge=1, le=STOP_MAX)
    """Stop of unloading. 1 is the first stop."""
    layers_above: int | None = Field(default=None, ge=0, le=LAYERS_MAX)
    """Maximum number of items stacked on each. null: no limit."""
    stack_group: int = Field(default=0, ge=0, le=GROUP_MAX)
    """Stacking number. An item is never placed on one with a lower number."""
    floor_only: bool = False
    """If true, the items must stand on the floor."""
    top_only: bool = False
    """If true, nothing can be placed on the items, regardless of weight."""
    nesting_mm: int = Field(default=0, ge=0, le=LENGTH_MAX_MM)
    """Depth by which an upright item nests in an equal one below, in millimetres. 0 disables nesting."""
    method: LoadingMethod = LoadingMethod.HAND
    """Loading method, for spaces with a limited reach."""
    mandatory: bool = True
    """If true, leaving an item behind is worse than leaving any optional items."""
    priority: int = Field(default=0, ge=0, le=PRIORITY_MAX)
    """Penalty for leaving an item behind, compared with items that are equally mandatory."""


class LoadingQuestion(Request):
    """Items to load, cargo spaces and rules."""

    pieces: Annotated[list[PieceToLoad], Field(max_length=LINES_MAX)] = []
    """Packages to place, by their dimensions."""
    route_id: RecordId | None = None
    """All that this route delivers and does not fetch on its way, at its stops, named by tracking numbers."""
    load_space_ids: Annotated[set[RecordId], Field(min_length=1, max_length=SPACES_MAX), EachOnce] | None = None
    """Cargo spaces to use. Default: all active ones."""
    support_percent: int = Field(default=75, ge=0, le=100)
    """Minimum share of a piece's base on the floor or on other items."""
    apart: Annotated[list[Annotated[list[Word], Field(min_length=2, max_length=2)]], Field(max_length=APART_MAX)] = []
    """Pairs of `goods` that share no space."""
    repacks_per_stop: int = Field(default=0, ge=0, le=PIECES_MAX)
    """Maximum number of items of later stops to take out and reload at one stop. 0: none."""


class PlanLoad(LoadingQuestion):
    """A loading request and its search time."""

    seconds: int = Field(default=2, ge=1, le=SECONDS_MAX)
    """Maximum search time in seconds."""
    steps: int | None = Field(default=None, ge=1, le=STEPS_MAX)
    """Number of search steps instead of seconds. The same request, seed and steps always give the same plan."""
    seed: int = Field(default=0, ge=0, le=1_000_000)
    """Another seed tries other arrangements."""


class ProposedPlace(Request):
    """Position of an item."""

    piece: PieceId = Field(examples=["washer"])
    """Its name in the plan."""
    space: int = Field(ge=1, le=PIECES_MAX, examples=[1])
    """The number of its space in the plan, from 1."""
    x_mm: int = Field(ge=-LENGTH_MAX_MM, le=LENGTH_MAX_MM, examples=[0])
    """Distance of its start from the front wall."""
    y_mm: int = Field(ge=-LENGTH_MAX_MM, le=LENGTH_MAX_MM, examples=[0])
    """From the left wall."""
    z_mm: int = Field(ge=-LENGTH_MAX_MM, le=LENGTH_MAX_MM, examples=[0])
    """Above the floor."""
    turn: Turn = Turn.LWH
    """Orientation: the edge along the length, width and height of the cargo space. `lwh` is not turned."""


class ProposedRepack(Request):
    """An item that is taken out at a stop, and where it is put back in its space."""

    stop: int = Field(ge=1, le=STOP_MAX, examples=[1])
    """Stop."""
    piece: PieceId = Field(examples=["washer"])
    """Its name in the plan."""
    x_mm: int = Field(ge=-LENGTH_MAX_MM, le=LENGTH_MAX_MM, examples=[0])
    """Distance of its start from the front wall."""
    y_mm: int = Field(ge=-LENGTH_MAX_MM, le=LENGTH_MAX_MM, examples=[0])
    """From the left wall."""
    z_mm: int = Field(ge=-LENGTH_MAX_MM, le=LENGTH_MAX_MM, examples=[0])
    """Above the floor."""
    turn: Turn = Turn.LWH
    """Orientation: the edge along the length, width and height of the cargo space. `lwh` is not turned."""


class ProposedLoad(LoadingQuestion):
    """A loading request and a proposed plan for it."""

    spaces: Annotated[list[LoadSpaceId], Field(min_length=1, max_length=SPACES_MAX)]
    """Load space of each space of the plan, by ID."""
    placements: Annotated[list[ProposedPlace], Field(min_length=1, max_length=PIECES_MAX)]
    """Position of each package, in loading order."""
    left_over: Annotated[set[PieceId], Field(max_length=PIECES_MAX), EachOnce] = set()
    """Items that stay behind."""
    repacks: Annotated[list[ProposedRepack], Field(max_length=PIECES_MAX)] = []
    """Items to take out and reload at each stop, in reloading order."""


class CommitLoadPlan(ProposedLoad):
    """A plan to save for its route."""

    input_hash: str = Field(min_length=64, max_length=64, pattern=r"^[0-9a-fA-F]{64}$", examples=["0" * 64])
    """`input_hash` from the response that contains the plan. A plan for another request is rejected."""


class LoadPlanRef(Request):
    """Reference to a plan."""

    load_plan_id: RecordId


class GetLoadPicture(LoadPlanRef):
    """A cargo space to draw, and the view."""

    space: int = Field(default=1, ge=1, le=SPACES_MAX)
    """The number of the space in the plan, from 1."""
    view: Literal["isometric", "layers", "axles"] = "isometric"
    """`isometric` from a corner above, `layers` from above, or `axles`: load of each axle after each stop."""
    colour: Literal["stop", "size", "weight", "goods"] = "stop"
    """Property that items of one color share."""
    steps: int | None = Field(default=None, ge=0, le=PIECES_MAX)
    """Number of loading steps to draw, from the first one."""
    after_stop: int | None = Field(default=None, ge=1, le=STOP_MAX)
    """Stop after which the load is drawn; null for the departure."""
    format: Literal["svg"] = "svg"
    """The form of the picture."""


class ListLoadPlans(PageRequest):
    """Filters for plans, newest first."""

    route_id: RecordId | None = None
    """Filter by route."""
    replaced: bool = False
    """If true, include plans that a later plan replaced."""


class PlannedPlace(Answer):
    """Position and size of an item."""

    step: Annotated[int, doc("Position in the loading order, starting at 1 in each space.")]
    piece: str
    stop: Annotated[int, doc("Stop where the item is unloaded.")]
    x_mm: int
    y_mm: int
    z_mm: int
    turn: Turn
    length_mm: Annotated[int, doc("Length along the cargo space, in millimetres.")]
    width_mm: int
    height_mm: int
    nested_mm: Annotated[int, doc("Depth by which it nests in the item below, in millimetres.")]
    weight_g: int


class PlannedRepack(Answer):
    """An item that is taken out to unload others, with its new position."""

    at_stop: Annotated[int, doc("Stop of the repacking.")]
    piece: str
    x_mm: int
    y_mm: int
    z_mm: int
    turn: Turn


class AxleLoad(Answer):
    """Axle load at departure or after a stop."""

    after_stop: Annotated[int | None, doc("Stop after whose unloading the value applies; null for the departure.")]
    axle: Annotated[str, doc("front, rear, tractor_front or tractor_rear.")]
    weight_g: Annotated[int, doc("Rounded weight in grams.")]
    limit_g: int
    least_g: int


class PlannedSpace(Answer):
    """A cargo space with its contents."""

    number: int
    load_space_id: int
    code: str
    inner_mm: Annotated[list[int], doc("Inner length, width and height.")]
    payload_g: int
    loaded_g: Annotated[int, doc("Weight of the load without the space's own weight, in grams.")]
    filled_percent: Annotated[int, doc("Used share of the volume in percent, rounded down.")]
    floor_length_mm: Annotated[int, doc("Length from the first to the last item, in millimetres.")]
    centre_mm: Annotated[list[int] | None, doc("Centre of gravity of the load along x and y at departure, rounded.")]
    axle_loads: Annotated[
        list[AxleLoad], doc("Axle loads at departure and after each stop; empty if the axles are unknown.")
    ]
    placements: list[PlannedPlace]
    repacks: Annotated[
        list[PlannedRepack] | UnsetType, doc("Items taken out on the route, in the order in which they are put back.")
    ] = UNSET


class LeftOverPiece(Answer):
    """An item that is left behind, with the reason."""

    piece: str
    reason: LeftOverReason
    message: str


class LoadObjective(Priced):
    """Objective values in order of importance."""

    mandatory_left: Annotated[int, doc("Number of mandatory items left behind.")]
    priority_left: Annotated[int, doc("Total priority of all items left behind.")]
    repacks: Annotated[int | UnsetType, doc("Number of items taken out and put back, if repacking is allowed.")] = UNSET
    floor_length_mm: int
    off_centre_mm: Annotated[int, doc("Distance of the centres of gravity from the middle, in millimetres.")]
    cost_minor: Annotated[int | UnsetType, price(SERVICE, "Cost of the spaces, in minor units.")] = UNSET


class LoadBound(Priced):
    """Lower bound of the objective values."""

    mandatory_left: int
    priority_left: int
    cost_minor: Annotated[int | UnsetType, price(SERVICE, "Lower bound of the cost of the spaces, in minor units.")] = (
        UNSET
    )


class LoadAnswer(Answer):
    """A plan. Nothing is stored."""

    result: Annotated[bool, doc("True if all items are loaded.")]
    state: Annotated[
        LoadingState,
        doc(
            "optimal: everything is loaded at minimum cost; best_found: everything is loaded; partly: items are left"
            " behind."
        ),
    ]
    input_hash: Annotated[str, doc("Hash of the request. Repeat it when you commit the plan.")]
    spaces: list[PlannedSpace]
    left_over: list[LeftOverPiece]
    objective: LoadObjective
    bound: LoadBound
    message: str
    steps: int


class BrokenLoadRule(Answer):
    """A rule that a plan violates, with the place."""

    rule: LoadingRule
    pieces: list[str]
    space: Annotated[int | None, doc("Number of the space, starting at 1.")]
    after_stop: Annotated[int | None, doc("Stop after whose unloading the value applies; null for the departure.")]
    axle: Annotated[str | None, doc("front, rear, tractor_front or tractor_rear.")]
    message: str


class LoadPlanCheck(Answer):
    """Result of checking a plan."""

    result: Annotated[bool, doc("True if the plan keeps every rule.")]
    input_hash: str
    broken: list[BrokenLoadRule]


class LoadPlanSummary(Priced):
    """A plan that was committed."""

    id: int
    route_id: int
    pieces: Annotated[int, doc("Number of items loaded.")]
    left_over: Annotated[int, doc("Number of items left behind.")]
    spaces_used: int
    created_at: datetime
    created_by: int | None
    replaced_at: Annotated[datetime | None, doc("Time when a later plan of the route replaced it.")]
    cost_minor: Annotated[int | UnsetType, price(SERVICE, "Cost of the spaces, in minor units.")] = UNSET


class LoadPlanDetail(LoadPlanSummary, kw_only=True):
    """A plan that was committed, with its spaces."""

    input_hash: str
    support_percent: int
    spaces: list[PlannedSpace]
    left_behind: Annotated[list[str], doc("Items left behind.")]


class LoadPlanAnswer(Answer):
    """One plan."""

    result: bool = True
    plan: LoadPlanDetail


class LoadPlanList(PagedAnswer):
    """A page of plans, newest first."""

    plans: list[LoadPlanSummary]


class LoadPicture(Answer):
    """A picture of a space."""

    result: bool = True
    space: int
    view: str
    media_type: str
    document: Annotated[str, doc("Picture in base64.")]
