"""What goes in and out of advice on which kinds of cartons to stock."""

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.warehouse.packing.contract.cartons import COST_MAX_MINOR, SHIPPING
from haulier.contexts.warehouse.packing.contract.fillings import Cushion
from haulier.contexts.warehouse.plan_searches.contract.requests import SearchBudgetFields
from haulier.contexts.warehouse.products.contract import LENGTH_MAX_MM, WEIGHT_MAX_G
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.fields import EachOnce, RecordId
from haulier.kernel.values.moments import Day
from haulier.solvers.packing.plan import ProofState
from haulier.solvers.stocking.plan import UnfitReason

KINDS_MAX = 50


class StartCartonAdvice(SearchBudgetFields):
    """Which orders to learn from, and which cartons may be chosen."""

    from_day: Day = Field(examples=["2026-01-01"])
    """The first day whose orders count, in the business's time zone."""
    to_day: Day = Field(examples=["2026-06-10"])
    """The last day."""
    most: int = Field(default=10, ge=1, le=KINDS_MAX)
    """How many kinds of cartons may be stocked."""
    keep_carton_ids: Annotated[set[RecordId], Field(max_length=KINDS_MAX), EachOnce] = set()
    """Kinds of the catalogue that stay whatever they are worth."""
    new_sizes: bool = True
    """Whether sizes that are not in the catalogue may be advised."""
    rounding: Literal["cm", "inch"] = "cm"
    """New sizes inside are whole centimetres or whole inches."""
    wall_mm: int = Field(default=8, ge=0, le=100)
    """What a new carton is longer, wider and higher outside than inside."""
    payload_g: int = Field(default=30_000, ge=1, le=WEIGHT_MAX_G)
    """The most weight that a new carton holds, in grams."""
    longest_mm: int = Field(default=LENGTH_MAX_MM, ge=1, le=LENGTH_MAX_MM)
    """The longest that a new carton is outside."""
    girth_mm: int | None = Field(default=None, ge=1, le=5 * LENGTH_MAX_MM)
    """The most that its longest side and twice the other two are together, as carriers limit it; null for any."""
    board_cost_minor: int = Field(default=0, ge=0, le=COST_MAX_MINOR)
    """What a square metre of a new carton's surface costs, in minor units."""
    minimise: Literal["volume", "cost"] = "volume"
    """Whether the sum of outer volumes or of costs is made small."""
    target_utilization_percent: int = Field(default=100, ge=1, le=100)
    """The most of a carton's inner volume that its pieces take."""
    fill_voids: bool = True
    """Whether the room that is left is filled, with the default filling where none is named; its weight and cost count."""
    filling_id: RecordId | None = None
    """Which filling is used, instead of the default one."""
    wall_cushion_mm: Cushion | None = None
    """How much filling lies along the walls, the floor and the lid; null for as much as the filling itself says."""


class AdviceTotals(Priced):
    """What is made small, in this order: orders without a carton, and the sum over all other orders."""

    orders_without_carton: int
    outer_volume_mm3: Annotated[int | None, doc("The sum of outer volumes; null where costs are made small.")]
    cost_minor: Annotated[
        int | UnsetType, price(SHIPPING, "The sum of costs, with those of filling, where these are made small.")
    ] = UNSET


class AdviceScore(Answer):
    """An advice in numbers."""

    state: Annotated[ProofState, doc("What is proved of it.")]
    objective: AdviceTotals
    bound: Annotated[AdviceTotals, doc("No choice is better than this.")]


class AdvisedCarton(Priced):
    """A kind of carton to stock."""

    carton_id: Annotated[int | None, doc("The kind of the catalogue; null for a new size.")]
    code: str | None
    inner_mm: Annotated[list[int], doc("Length, width and height inside.")]
    outer_mm: Annotated[list[int], doc("Length, width and height outside.")]
    payload_g: int
    orders: Annotated[int, doc("How many of the orders go into it.")]
    cost_minor: Annotated[int | UnsetType, price(SHIPPING, "What one costs, in minor units.")] = UNSET


class OrdersWithoutCarton(Answer):
    """Orders that go into no carton of the advice, and why."""

    reason: UnfitReason
    message: str
    orders: int


class AdviceToday(Priced):
    """The catalogue of today beside the advice, over the orders that both can take."""

    cartons: int
    orders_without_carton: int
    compared_orders: int
    outer_volume_mm3: int
    advised_outer_volume_mm3: int
    saved_percent: Annotated[int, doc("Of the outer volume, rounded down; negative where the advice takes more.")]
    cost_minor: Annotated[int | UnsetType, price(SHIPPING, "What the cartons of today cost, with their filling.")] = (
        UNSET
    )
    advised_cost_minor: Annotated[
        int | UnsetType, price(SHIPPING, "What the advised ones cost, with their filling.")
    ] = UNSET


class CartonAdvice(Answer):
    """Which kinds of cartons to stock, and what that is worth."""

    state: Annotated[ProofState, doc("optimal: no choice is better; best_found: nothing below `bound` is possible.")]
    message: str
    orders: Annotated[int, doc("Orders that were looked at.")]
    orders_without_size: Annotated[int, doc("Further orders with a piece whose size is not known.")]
    more_orders: Annotated[bool, doc("Whether the period had more orders: the newest were looked at.")]
    objective: AdviceTotals
    bound: Annotated[AdviceTotals, doc("No choice is better than this.")]
    cartons: list[AdvisedCarton]
    without_carton: list[OrdersWithoutCarton]
    today: AdviceToday
