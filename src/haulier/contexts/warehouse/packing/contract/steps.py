"""What is told of a plan step by step: of cartons and of vehicles alike. Lengths are millimetres, weights grams."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from haulier.kernel.operations.answers import Answer, doc
from haulier.solvers.packing.problem import Turn


class SteppedPiece(Answer):
    """A piece, when it is put in, and where it lies."""

    step: Annotated[int, doc("The order in which pieces are put in, from 1 in each carton or space.")]
    piece: str
    stop: Annotated[int | None, doc("Where it is unloaded; null in a carton.")]
    order_id: Annotated[int | None, doc("Of which order it is a piece; null for others.")]
    x_mm: int
    y_mm: int
    z_mm: int
    turn: Turn
    length_mm: Annotated[int, doc("As it lies.")]
    width_mm: int
    height_mm: int
    nested_mm: Annotated[int, doc("So deep it stands in the piece below it; pictures show what stands out.")]
    weight_g: int


class SteppedRepack(Answer):
    """A piece that is taken out at a stop where others leave, and where it is put back."""

    at_stop: int
    step: Annotated[int, doc("At which step it was put in.")]
    piece: str
    x_mm: int
    y_mm: int
    z_mm: int
    turn: Turn
    length_mm: Annotated[int, doc("As it lies then.")]
    width_mm: int
    height_mm: int


class FixedBox(Answer):
    """Something fixed inside."""

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
    """What is inside at some time: after a step of putting in, or after a stop was unloaded."""

    steps: Annotated[int, doc("So many pieces were put in.")]
    after_stop: Annotated[int | None, doc("After this stop was unloaded; null before the departure.")]
    aboard: Annotated[int, doc("So many pieces are inside.")]
    loaded_g: Annotated[int, doc("What they weigh.")]
    filled_percent: Annotated[int, doc("Of the volume inside, rounded down.")]
    centre_mm: Annotated[list[int] | None, doc("Their centre of gravity along x and y, rounded.")]
    axles_g: Annotated[list[int], doc("What weighs on each axle, rounded, in the order of `axles`.")]
    repacked: Annotated[list[str] | UnsetType, doc("Pieces that are taken out and put back at this stop.")] = UNSET


class SteppedSpace(Answer):
    """A carton or a space, and how it is filled and emptied."""

    number: int
    kind_id: Annotated[int, doc("The carton's or the load space's id.")]
    code: str
    inner_mm: Annotated[list[int], doc("Length, width and height inside.")]
    payload_g: Annotated[int, doc("The most weight of what is inside.")]
    fill_limit_percent: Annotated[int, doc("The most of the volume inside that pieces take.")]
    doors: Annotated[list[str], doc("The sides where pieces go in and out; empty where nothing is asked of it.")]
    obstacles: list[FixedBox]
    balance: CentreLimits | None
    axles: list[SteppedAxle]
    pieces: list[SteppedPiece]
    moments: Annotated[list[PlanMoment], doc("Empty, after each step, then after each stop.")]
    repacks: Annotated[
        list[SteppedRepack] | UnsetType, doc("What is taken out under way, in the order in which it is put back.")
    ] = UNSET


class BrokenStepRule(Answer):
    """A rule that a plan breaks, and where."""

    rule: str
    pieces: list[str]
    space: Annotated[int | None, doc("The number of the carton or space, from 1.")]
    after_stop: Annotated[int | None, doc("After this stop was unloaded; null before.")]
    message: str


class PlanSteps(Answer):
    """A plan step by step."""

    result: Annotated[bool, doc("Whether it keeps every rule.")]
    input_hash: Annotated[str, doc("Names the question; a commit repeats it.")]
    spaces: list[SteppedSpace]
    broken: list[BrokenStepRule]
