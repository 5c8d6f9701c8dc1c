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


PIECES_MAX, LINES_MAX, SPACES_MAX, APART_MAX = 500, 300, 50, 50
STOP_MAX, LAYERS_MAX, GROUP_MAX, PRIORITY_MAX = 1000, 100, 1000, 1_000_000
SECONDS_MAX, STEPS_MAX = 10, 1_000_000


class PieceSize(SizedPiece):
    """The size and weight of boxes that are loaded."""

    id: Word = Field(examples=["washer"])
    """A name of your own, unique in the call. Of several pieces, each is named with `#1`, `#2` and so on."""
    length_mm: Length = Field(examples=[600])
    """Length in millimetres."""
    width_mm: Length = Field(examples=[600])
    """Width."""
    height_mm: Length = Field(examples=[850])
    """Height."""
    quantity: int = Field(default=1, ge=1, le=PIECES_MAX)
    """How many."""


class PieceToLoad(PieceRules, PieceSize):
    """Equal boxes that are loaded."""

    stop: int = Field(default=1, ge=1, le=STOP_MAX)
    """Where they are unloaded: 1 is the first stop."""
    layers_above: int | None = Field(default=None, ge=0, le=LAYERS_MAX)
    """The most pieces that stand one upon the other on each; null for any."""
    stack_group: int = Field(default=0, ge=0, le=GROUP_MAX)
    """A piece never stands on one with a lower number."""
    floor_only: bool = False
    """Whether they stand on the floor."""
    top_only: bool = False
    """Whether nothing stands on them, whatever it weighs."""
    nesting_mm: int = Field(default=0, ge=0, le=LENGTH_MAX_MM)
    """So deep each stands, upright, in one below it of the same length and width that nests, too; 0 for not at all."""
    method: LoadingMethod = LoadingMethod.HAND
    """How they are put in and taken out, for spaces that say how far it reaches."""
    mandatory: bool = True
    """Whether leaving one behind is worse than leaving behind anything that is not mandatory."""
    priority: int = Field(default=0, ge=0, le=PRIORITY_MAX)
    """What leaving one behind costs, beside others that are or are not mandatory."""


class LoadingQuestion(Request):
    """What is loaded, into what, and the rules."""

    pieces: Annotated[list[PieceToLoad], Field(max_length=LINES_MAX)] = []
    """Boxes by their sizes."""
    route_id: RecordId | None = None
    """All that this route delivers and does not fetch on its way, at its stops, named by tracking numbers."""
    load_space_ids: Annotated[set[RecordId], Field(min_length=1, max_length=SPACES_MAX), EachOnce] | None = None
    """Only these load spaces; otherwise all that are active."""
    support_percent: int = Field(default=75, ge=0, le=100)
    """The least share of a piece's base that rests on the floor or on others."""
    apart: Annotated[list[Annotated[list[Word], Field(min_length=2, max_length=2)]], Field(max_length=APART_MAX)] = []
    """Pairs of `goods` that share no space."""
    repacks_per_stop: int = Field(default=0, ge=0, le=PIECES_MAX)
    """The most pieces of later stops that may be taken out of a space and put back at one stop; 0 for none."""


class PlanLoad(LoadingQuestion):
    """A question, and how long to search for the answer."""

    seconds: int = Field(default=2, ge=1, le=SECONDS_MAX)
    """At most so many seconds."""
    steps: int | None = Field(default=None, ge=1, le=STEPS_MAX)
    """So many steps, instead of seconds: the same question, seed and steps give the same plan everywhere."""
    seed: int = Field(default=0, ge=0, le=1_000_000)
    """Another seed tries other arrangements."""


class ProposedPlace(Request):
    """Where a piece lies."""

    piece: PieceId = Field(examples=["washer"])
    """Its name in the plan."""
    space: int = Field(ge=1, le=PIECES_MAX, examples=[1])
    """The number of its space in the plan, from 1."""
    x_mm: int = Field(ge=-LENGTH_MAX_MM, le=LENGTH_MAX_MM, examples=[0])
    """Where it begins from the front wall."""
    y_mm: int = Field(ge=-LENGTH_MAX_MM, le=LENGTH_MAX_MM, examples=[0])
    """From the left wall."""
    z_mm: int = Field(ge=-LENGTH_MAX_MM, le=LENGTH_MAX_MM, examples=[0])
    """Above the floor."""
    turn: Turn = Turn.LWH
    """Which of its edges lies along the space's length, width and height: `lwh` is not turned."""


class ProposedRepack(Request):
    """A piece that is taken out at a stop, and where it is put back in its space."""

    stop: int = Field(ge=1, le=STOP_MAX, examples=[1])
    """At which stop."""
    piece: PieceId = Field(examples=["washer"])
    """Its name in the plan."""
    x_mm: int = Field(ge=-LENGTH_MAX_MM, le=LENGTH_MAX_MM, examples=[0])
    """Where it begins from the front wall."""
    y_mm: int = Field(ge=-LENGTH_MAX_MM, le=LENGTH_MAX_MM, examples=[0])
    """From the left wall."""
    z_mm: int = Field(ge=-LENGTH_MAX_MM, le=LENGTH_MAX_MM, examples=[0])
    """Above the floor."""
    turn: Turn = Turn.LWH
    """Which of its edges lies along the space's length, width and height: `lwh` is not turned."""


class ProposedLoad(LoadingQuestion):
    """A question and somebody's answer to it."""

    spaces: Annotated[list[RecordId], Field(min_length=1, max_length=SPACES_MAX)]
    """The load space of each space of the plan, by id."""
    placements: Annotated[list[ProposedPlace], Field(min_length=1, max_length=PIECES_MAX)]
    """Where each piece lies, in the order of loading."""
    left_over: Annotated[set[PieceId], Field(max_length=PIECES_MAX), EachOnce] = set()
    """Pieces that stay behind."""
    repacks: Annotated[list[ProposedRepack], Field(max_length=PIECES_MAX)] = []
    """Pieces that are taken out under way, at each stop in the order in which they are put back."""


class CommitLoadPlan(ProposedLoad):
    """A plan that shall be kept for the route."""

    input_hash: str = Field(min_length=64, max_length=64, pattern=r"^[0-9a-fA-F]{64}$", examples=["0" * 64])
    """What the answer with the plan said of its question: a plan for another question is refused."""


class LoadPlanRef(Request):
    """Which plan."""

    load_plan_id: RecordId


class GetLoadPicture(LoadPlanRef):
    """A picture of which space, and how it is seen."""

    space: int = Field(default=1, ge=1, le=SPACES_MAX)
    """The number of the space in the plan, from 1."""
    view: Literal["isometric", "layers", "axles"] = "isometric"
    """`isometric` from a corner above, `layers` from above, or `axles`: what weighs on each axle after each stop."""
    colour: Literal["stop", "size", "weight", "goods"] = "stop"
    """What pieces of one colour have in common."""
    steps: int | None = Field(default=None, ge=0, le=PIECES_MAX)
    """Only the first so many steps of loading."""
    after_stop: int | None = Field(default=None, ge=1, le=STOP_MAX)
    """What is inside after this stop was unloaded, where it lies then; null for the departure."""
    format: Literal["svg"] = "svg"
    """The form of the picture."""


class ListLoadPlans(PageRequest):
    """Which plans, the newest first."""

    route_id: RecordId | None = None
    """Only those of this route."""
    replaced: bool = False
    """Also those that a later plan replaced."""


class PlannedPlace(Answer):
    """Where a piece lies, and which size it has there."""

    step: Annotated[int, doc("The order of loading, from 1 in each space.")]
    piece: str
    stop: Annotated[int, doc("Where it is unloaded.")]
    x_mm: int
    y_mm: int
    z_mm: int
    turn: Turn
    length_mm: Annotated[int, doc("Along the space.")]
    width_mm: int
    height_mm: int
    nested_mm: Annotated[int, doc("So deep it stands in the piece below it.")]
    weight_g: int


class PlannedRepack(Answer):
    """A piece that is taken out so that others can leave, and where it is put back."""

    at_stop: Annotated[int, doc("At this stop.")]
    piece: str
    x_mm: int
    y_mm: int
    z_mm: int
    turn: Turn


class AxleLoad(Answer):
    """What weighs on an axle at some time of the journey."""

    after_stop: Annotated[int | None, doc("After this stop was unloaded; null at departure.")]
    axle: Annotated[str, doc("front, rear, tractor_front or tractor_rear.")]
    weight_g: Annotated[int, doc("Rounded.")]
    limit_g: int
    least_g: int


class PlannedSpace(Answer):
    """A space and what lies in it."""

    number: int
    load_space_id: int
    code: str
    inner_mm: Annotated[list[int], doc("Length, width and height inside.")]
    payload_g: int
    loaded_g: Annotated[int, doc("What is in it, without its own weight.")]
    filled_percent: Annotated[int, doc("Of its volume, rounded down.")]
    floor_length_mm: Annotated[int, doc("From the first piece to the last.")]
    centre_mm: Annotated[list[int] | None, doc("The load's centre of gravity along x and y at departure, rounded.")]
    axle_loads: Annotated[list[AxleLoad], doc("At departure and after each stop; empty where no axles are known.")]
    placements: list[PlannedPlace]
    repacks: Annotated[
        list[PlannedRepack] | UnsetType, doc("What is taken out under way, in the order in which it is put back.")
    ] = UNSET


class LeftOverPiece(Answer):
    """A piece that stays behind, and why."""

    piece: str
    reason: LeftOverReason
    message: str


class LoadObjective(Priced):
    """What is made small, in this order."""

    mandatory_left: Annotated[int, doc("Mandatory pieces that stay behind.")]
    priority_left: Annotated[int, doc("The priorities of all that stays behind.")]
    repacks: Annotated[int | UnsetType, doc("Pieces that are taken out and put back, where any may be.")] = UNSET
    floor_length_mm: int
    off_centre_mm: Annotated[int, doc("How far the centres of gravity are from the middle.")]
    cost_minor: Annotated[int | UnsetType, price(SERVICE, "What the spaces cost, in minor units.")] = UNSET


class LoadBound(Priced):
    """What no plan is below."""

    mandatory_left: int
    priority_left: int
    cost_minor: Annotated[int | UnsetType, price(SERVICE, "What the spaces cost at least, in minor units.")] = UNSET


class LoadAnswer(Answer):
    """A plan. Nothing is stored."""

    result: Annotated[bool, doc("Whether all pieces are loaded.")]
    state: Annotated[
        LoadingState,
        doc(
            "optimal: everything is loaded at the least cost; best_found: everything is loaded; partly: something is not."
        ),
    ]
    input_hash: Annotated[str, doc("Names the question; a commit repeats it.")]
    spaces: list[PlannedSpace]
    left_over: list[LeftOverPiece]
    objective: LoadObjective
    bound: LoadBound
    message: str
    steps: int


class BrokenLoadRule(Answer):
    """A rule that a plan breaks, and where."""

    rule: LoadingRule
    pieces: list[str]
    space: Annotated[int | None, doc("The number of the space, from 1.")]
    after_stop: Annotated[int | None, doc("After this stop was unloaded; null at departure.")]
    axle: Annotated[str | None, doc("front, rear, tractor_front or tractor_rear.")]
    message: str


class LoadPlanCheck(Answer):
    """What is wrong with a plan."""

    result: Annotated[bool, doc("Whether it keeps every rule.")]
    input_hash: str
    broken: list[BrokenLoadRule]


class LoadPlanSummary(Priced):
    """A plan that was committed."""

    id: int
    route_id: int
    pieces: Annotated[int, doc("How many are loaded.")]
    left_over: Annotated[int, doc("How many stay behind.")]
    spaces_used: int
    created_at: datetime
    created_by: int | None
    replaced_at: Annotated[datetime | None, doc("When a later plan of the same route took its place.")]
    cost_minor: Annotated[int | UnsetType, price(SERVICE, "What the spaces cost, in minor units.")] = UNSET


class LoadPlanDetail(LoadPlanSummary, kw_only=True):
    """A plan that was committed, with its spaces."""

    input_hash: str
    support_percent: int
    spaces: list[PlannedSpace]
    left_behind: Annotated[list[str], doc("The pieces that stay behind.")]


class LoadPlanAnswer(Answer):
    """One plan."""

    result: bool = True
    plan: LoadPlanDetail


class LoadPlanList(PagedAnswer):
    """A page of plans, the newest first."""

    plans: list[LoadPlanSummary]


class LoadPicture(Answer):
    """A picture of a space."""

    result: bool = True
    space: int
    view: str
    media_type: str
    document: Annotated[str, doc("The picture, in base64.")]
