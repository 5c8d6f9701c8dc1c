"""Request and response models of packing: plans."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.warehouse.packing.contract.cartons import SHIPPING, Cushion, Length
from haulier.contexts.warehouse.products.contract import LENGTH_MAX_MM, PLANNED_PIECES_MAX, WEIGHT_MAX_G, Sku
from haulier.contexts.warehouse.warehouses.contract import Reference
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import EachOnce, RecordId
from haulier.kernel.operations.ids import CartonId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.solvers.packing.plan import PackingRule, ProofState
from haulier.solvers.packing.problem import Turn

PIECES_MAX, LINES_MAX, CARTONS_MAX, ORDERS_MAX, APART_MAX = PLANNED_PIECES_MAX, 200, 50, 50, 50
WORD_MAX, PIECE_ID_MAX = 40, 110
SECONDS_MAX, STEPS_MAX = 10, 1_000_000

Word = Annotated[str, Field(min_length=1, max_length=WORD_MAX, pattern=r"^[^\s\x00]([^\n\x00]*[^\s\x00])?$")]
PieceId = Annotated[str, Field(min_length=1, max_length=PIECE_ID_MAX, pattern=r"^[^\s\x00]([^\n\x00]*[^\s\x00])?$")]
Quantity = Annotated[int, Field(ge=1, le=PIECES_MAX)]


class PieceRules(Request):
    """How items may lie, and beside what."""

    this_side_up: bool = False
    """If true, the items stay upright."""
    fragile: bool = False
    """If true, nothing can be placed on the items."""
    bears_g: int | None = Field(default=None, ge=0, le=WEIGHT_MAX_G)
    """Maximum weight in grams on top of each. null: no limit."""
    together: Word | None = Field(default=None, examples=["set-1"])
    """Items with the same group share one carton."""
    goods: Word | None = Field(default=None, examples=["food"])
    """Kind of goods, used by `apart`."""


class SizedPiece(Request):
    """Equal boxes, by their size and weight."""

    id: Word = Field(examples=["teapot"])
    """A name of your own, unique in the call. Of several items, each is named with `#1`, `#2` and so on."""
    length_mm: Length = Field(examples=[240])
    """Length in millimetres."""
    width_mm: Length = Field(examples=[160])
    """Width."""
    height_mm: Length = Field(examples=[120])
    """Height."""
    weight_g: int = Field(default=0, ge=0, le=WEIGHT_MAX_G)
    """Weight of one item in grams."""
    quantity: Quantity = 1
    """Number of items."""


class CountedProduct(Request):
    """Items of a product."""

    sku: Sku
    """SKU of the product."""
    quantity: Quantity = 1
    """Number of items."""


# The rules are named first: fields of the last base come first, and forms ask for the size first.
class PieceToPack(PieceRules, SizedPiece):
    """Equal boxes that are packed."""


class ProductToPack(PieceRules, CountedProduct):
    """Items of a product, with the size and weight that the product has."""


class PackingQuestion(Request):
    """Items to pack, from the call, orders and products, and the rules."""

    pieces: Annotated[list[PieceToPack], Field(max_length=LINES_MAX)] = []
    """Packages to place, by their dimensions."""
    products: Annotated[list[ProductToPack], Field(max_length=LINES_MAX)] = []
    """Products by SKU."""
    order_ids: Annotated[set[RecordId], Field(max_length=ORDERS_MAX), EachOnce] = set()
    """All packages of these orders, by tracking number."""
    carton_ids: Annotated[set[RecordId], Field(min_length=1, max_length=CARTONS_MAX), EachOnce] | None = None
    """Carton types to use. Default: all active ones."""
    target_utilization_percent: int = Field(default=100, ge=1, le=100)
    """Maximum share of a carton's inner volume that items fill (hard limit)."""
    support_percent: int = Field(default=0, ge=0, le=100)
    """Minimum supported share of a piece's base. 0: filling supports it."""
    apart: Annotated[list[Annotated[list[Word], Field(min_length=2, max_length=2)]], Field(max_length=APART_MAX)] = []
    """Pairs of `goods` that share no carton."""
    fill_voids: bool = True
    """If true, fill empty space with the given or default filling. Its weight and cost are included."""
    filling_id: RecordId | None = None
    """ID of the filling to use instead of the default."""
    fragile_cushion_mm: Cushion | None = None
    """Filling around each fragile item, in millimetres. Default: the filling's own setting."""
    wall_cushion_mm: Cushion | None = None
    """Filling along walls, floor and lid, in millimetres. Default: the filling's own setting."""


class Pack(PackingQuestion):
    """A packing request and its search time."""

    seconds: int = Field(default=2, ge=1, le=SECONDS_MAX)
    """Maximum search time in seconds."""
    steps: int | None = Field(default=None, ge=1, le=STEPS_MAX)
    """Maximum search steps instead of seconds. The same request, seed and steps always give the same plan."""
    seed: int = Field(default=0, ge=0, le=1_000_000)
    """Another seed tries other orders of the items."""


class PlacedPiece(Request):
    """Position of an item."""

    piece: PieceId = Field(examples=["teapot"])
    """Its name in the plan."""
    carton: int = Field(ge=1, le=PIECES_MAX, examples=[1])
    """The number of its carton in the plan, from 1."""
    x_mm: int = Field(ge=-LENGTH_MAX_MM, le=LENGTH_MAX_MM, examples=[0])
    """Position along the carton's length."""
    y_mm: int = Field(ge=-LENGTH_MAX_MM, le=LENGTH_MAX_MM, examples=[0])
    """Along its width."""
    z_mm: int = Field(ge=-LENGTH_MAX_MM, le=LENGTH_MAX_MM, examples=[0])
    """Above its floor."""
    turn: Turn = Turn.LWH
    """Orientation: the edge along the length, width and height of the carton. `lwh` is not turned."""


class ProposedPlan(PackingQuestion):
    """A packing request and a proposed plan for it."""

    cartons: Annotated[list[CartonId], Field(min_length=1, max_length=PIECES_MAX)]
    """Kind of each carton, by ID."""
    placements: Annotated[list[PlacedPiece], Field(min_length=1, max_length=PIECES_MAX)]
    """Position of each package."""


class CommitPackingPlan(ProposedPlan):
    """A plan to save for an order or a shipment."""

    input_hash: str = Field(min_length=64, max_length=64, pattern=r"^[0-9a-fA-F]{64}$", examples=["0" * 64])
    """`input_hash` from the response that contains the plan. A plan for another request is rejected."""
    order_id: RecordId | None = None
    """ID of the order."""
    shipment_id: RecordId | None = None
    """ID of the shipment, instead of an order."""


class PackingPlanRef(Request):
    """Reference to a plan."""

    plan_id: RecordId


class GetPackingPicture(PackingPlanRef):
    """A carton to draw, and the view."""

    carton: int = Field(default=1, ge=1, le=PIECES_MAX)
    """Number of the carton in the plan, starting at 1."""
    view: Literal["isometric", "layers"] = "isometric"
    """`isometric` from a corner above, or `layers` from above, one for each height at which an item begins."""
    format: Literal["svg"] = "svg"
    """The form of the picture."""


SlipFormat = Literal["pdf", "html"]
SlipPaper = Literal["a4", "letter"]


class PrintPackingSlip(PackingPlanRef):
    """A plan whose packing slips are printed, and their format."""

    format: SlipFormat = "pdf"
    """`pdf`, or `html` for a browser to print."""
    paper: SlipPaper = "a4"
    """The size of the sheets."""


class ListPackingPlans(PageRequest):
    """Filters for plans, newest first."""

    order_id: RecordId | None = None
    """Filter by order."""
    shipment_id: RecordId | None = None
    """Filter by shipment."""
    reference: Reference | None = None
    """Filter by reference or tracking number of the order."""
    replaced: bool = False
    """If true, include plans that a later plan replaced."""


class PackingPlacement(Answer):
    """Position and size of an item."""

    step: Annotated[int, doc("Position in the packing order, starting at 1 in each carton.")]
    piece: str
    x_mm: int
    y_mm: int
    z_mm: int
    turn: Turn
    length_mm: Annotated[int, doc("Length along the carton, in millimetres.")]
    width_mm: int
    height_mm: int
    weight_g: int


class CartonFilling(Priced):
    """Filling of a carton."""

    code: str
    units: Annotated[int, doc("Number of units, rounded up.")]
    weight_g: Annotated[int, doc("Weight by volume in grams, rounded up.")]
    cost_minor: Annotated[int | UnsetType, price(SHIPPING, "Cost by volume, rounded up, in minor units.")] = UNSET


class PackedCarton(Answer):
    """A carton with its contents."""

    number: int
    carton_id: int
    code: str
    inner_mm: Annotated[list[int], doc("Inner length, width and height.")]
    outer_mm: Annotated[list[int], doc("Outer length, width and height.")]
    weight_g: Annotated[int, doc("Total weight in grams, including carton and filling.")]
    filled_percent: Annotated[int, doc("Used share of the inner volume in percent, rounded down.")]
    void_mm3: Annotated[int, doc("Space for filling material, in cubic millimetres.")]
    filling: Annotated[CartonFilling | None, doc("Filling; null if the space stays empty.")]
    placements: list[PackingPlacement]


class PackingObjective(Priced):
    """Objective values: outer volume, number of cartons, cost, in this order."""

    outer_volume_mm3: int
    cartons: int
    cost_minor: Annotated[int | UnsetType, price(SHIPPING, "Cost of cartons and filling, in minor units.")] = UNSET


class RefutedCartons(Answer):
    """Cartons that were ruled out."""

    cartons: list[str]
    why: Annotated[
        str, doc("size, volume, payload, dual (a bound on the sizes) or search (every arrangement was tried).")
    ]


class PackingAnswer(Answer):
    """A plan. Nothing is stored."""

    result: Annotated[bool, doc("True if all items are packed.")]
    state: Annotated[
        ProofState,
        doc("optimal: no better choice exists; best_found: nothing below `bound` is possible; or infeasible."),
    ]
    input_hash: Annotated[str, doc("Hash of the request. Repeat it when you commit the plan.")]
    cartons: list[PackedCarton]
    objective: PackingObjective | None
    bound: Annotated[PackingObjective | None, doc("Lower bound: no plan is better.")]
    ruled_out: Annotated[int, doc("Number of cheaper choices of cartons that were proved impossible.")]
    ruled_out_last: Annotated[list[RefutedCartons], doc("Last choices that were ruled out.")]
    pieces: Annotated[list[str], doc("Items that cannot be packed, if infeasible.")]
    rule: Annotated[PackingRule | None, doc("Rule that prevents packing, if infeasible.")]
    message: str
    steps: int


class BrokenPackingRule(Answer):
    """A rule that a plan violates, with the place."""

    rule: PackingRule
    pieces: list[str]
    carton: Annotated[int | None, doc("Number of the carton, starting at 1.")]
    message: str


class PackingCheck(Answer):
    """Result of checking a plan."""

    result: Annotated[bool, doc("True if the plan keeps every rule.")]
    input_hash: str
    broken: list[BrokenPackingRule]


class PackingPlanSummary(Answer):
    """A plan that was committed."""

    id: int
    order_id: int | None
    shipment_id: int | None
    pieces: int
    objective: PackingObjective
    created_at: datetime
    created_by: int | None
    replaced_at: Annotated[datetime | None, doc("Time when a later plan of the order or shipment replaced it.")]


class PackingPlanDetail(PackingPlanSummary):
    """A plan that was committed, with its cartons."""

    input_hash: str
    target_utilization_percent: int
    support_percent: int
    cartons: list[PackedCarton]


class PackingPlanAnswer(Answer):
    """One plan."""

    result: bool = True
    plan: PackingPlanDetail


class PackingPlanList(PagedAnswer):
    """A page of plans, newest first."""

    plans: list[PackingPlanSummary]


class PackingPicture(Answer):
    """A picture of a carton."""

    result: bool = True
    carton: int
    view: str
    media_type: str
    document: Annotated[str, doc("Picture in base64.")]


class PackingSlipFile(Answer):
    """The slips of a plan, a sheet or more for each carton."""

    result: bool = True
    cartons: int
    pieces: int
    format: str
    media_type: str
    document: Annotated[str, doc("File in base64.")]


class SteppedPiece(Answer):
    """An item with its step and position."""

    step: Annotated[int, doc("Position in the packing or loading order, starting at 1 in each carton or space.")]
    piece: str
    stop: Annotated[int | None, doc("Stop where the item is unloaded; null in a carton.")]
    order_id: Annotated[int | None, doc("Order of the item, or null.")]
    x_mm: int
    y_mm: int
    z_mm: int
    turn: Turn
    length_mm: Annotated[int, doc("Length in its position, in millimetres.")]
    width_mm: int
    height_mm: int
    nested_mm: Annotated[int, doc("Depth by which it nests in the item below, in millimetres.")]
    weight_g: int


class SteppedRepack(Answer):
    """An item that is taken out at a stop and put back."""

    at_stop: int
    step: Annotated[int, doc("Step at which the item was put in.")]
    piece: str
    x_mm: int
    y_mm: int
    z_mm: int
    turn: Turn
    length_mm: Annotated[int, doc("Length in its new position, in millimetres.")]
    width_mm: int
    height_mm: int


class FixedBox(Answer):
    """A fixed obstacle inside."""

    x_mm: int
    y_mm: int
    z_mm: int
    length_mm: int
    width_mm: int
    height_mm: int


class CentreLimits(Answer):
    """Where the centre of gravity must be."""

    x_from_mm: int
    x_to_mm: int
    y_from_mm: int
    y_to_mm: int


class SteppedAxle(Answer):
    """An axle and its limits."""

    axle: Annotated[str, doc("front, rear, tractor_front or tractor_rear.")]
    limit_g: int
    least_g: int


class PlanMoment(Answer):
    """Contents after a loading step or after a stop."""

    steps: Annotated[int, doc("Number of items loaded so far.")]
    after_stop: Annotated[int | None, doc("Stop after whose unloading the values apply; null before the departure.")]
    aboard: Annotated[int, doc("Number of items inside.")]
    loaded_g: Annotated[int, doc("Weight of the contents in grams.")]
    filled_percent: Annotated[int, doc("Used share of the inner volume in percent, rounded down.")]
    centre_mm: Annotated[list[int] | None, doc("Centre of gravity of the items along x and y, rounded.")]
    axles_g: Annotated[list[int], doc("Axle loads in grams, rounded, in the order of `axles`.")]
    repacked: Annotated[list[str] | UnsetType, doc("Items taken out and put back at this stop.")] = UNSET


class SteppedSpace(Answer):
    """A carton or a space, and how it is filled and emptied."""

    number: int
    kind_id: Annotated[int, doc("ID of the carton or load space.")]
    code: str
    inner_mm: Annotated[list[int], doc("Inner length, width and height.")]
    payload_g: Annotated[int, doc("Maximum weight of the contents.")]
    fill_limit_percent: Annotated[int, doc("Maximum share of the inner volume for items.")]
    doors: Annotated[list[str], doc("Sides where items go in and out; empty if unrestricted.")]
    obstacles: list[FixedBox]
    balance: CentreLimits | None
    axles: list[SteppedAxle]
    pieces: list[SteppedPiece]
    moments: Annotated[list[PlanMoment], doc("Empty state, then the state after each step and each stop.")]
    repacks: Annotated[
        list[SteppedRepack] | UnsetType, doc("Items taken out on the route, in the order in which they are put back.")
    ] = UNSET


class BrokenStepRule(Answer):
    """A rule that a plan violates, with the place."""

    rule: str
    pieces: list[str]
    space: Annotated[int | None, doc("Number of the carton or space, starting at 1.")]
    after_stop: Annotated[int | None, doc("Stop after whose unloading the values apply; null before.")]
    message: str


class PlanSteps(Answer):
    """A plan step by step."""

    result: Annotated[bool, doc("True if the plan keeps every rule.")]
    input_hash: Annotated[str, doc("Hash of the request. Repeat it when you commit the plan.")]
    spaces: list[SteppedSpace]
    broken: list[BrokenStepRule]
