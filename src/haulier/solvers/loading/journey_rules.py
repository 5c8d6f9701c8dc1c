"""Broken loading rules, and axle weights in integers and fractions only."""

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct

from haulier.solvers.loading.plan import LoadingRule
from haulier.solvers.loading.problem import Axle, Axles


class BrokenLoadingRule(Struct, frozen=True):
    """One broken rule with its pieces (ids) and space (number in the plan)."""

    rule: LoadingRule
    pieces: tuple[str, ...] = ()
    space: int | None = None
    after_stop: int | None = None
    """The last unloaded stop; None at departure."""
    axle: str | None = None
    """`front`, `rear`, `tractor_front` or `tractor_rear`."""


class WeighedBox(Struct, frozen=True):
    """A weight and its extent along x and y."""

    weight_g: int
    x: tuple[int, int]
    y: tuple[int, int]


class AxleWeight(Struct, frozen=True):
    """The weight on an axle and the axle with its limits."""

    name: str
    weight_g: Fraction
    axle: Axle

    @property
    def is_kept(self) -> bool:
        """Return True if the weight is within the limits."""
        return self.axle.least_g <= self.weight_g <= self.axle.limit_g


def axle_weights(axles: Axles, boxes: Sequence[WeighedBox]) -> list[AxleWeight]:
    """Return the exact weight on each axle in grams.

    Moments are taken about the two supports, then about the axles of the tractor.
    """
    weight = sum(box.weight_g for box in boxes)
    twice_moment = sum(box.weight_g * (box.x[0] + box.x[1]) for box in boxes)
    front, rear = axles.front, axles.rear
    on_rear = Fraction(twice_moment - 2 * weight * front.position_mm, 2 * (rear.position_mm - front.position_mm))
    on_front = weight - on_rear + front.tare_g
    found = [AxleWeight("front", on_front, front), AxleWeight("rear", on_rear + rear.tare_g, rear)]
    if axles.tractor:
        first, last = axles.tractor
        on_last = on_front * Fraction(front.position_mm - first.position_mm, last.position_mm - first.position_mm)
        found.append(AxleWeight("tractor_front", first.tare_g + on_front - on_last, first))
        found.append(AxleWeight("tractor_rear", last.tare_g + on_last, last))
    return found


def centre_of_gravity(boxes: Sequence[WeighedBox]) -> tuple[Fraction, Fraction] | None:
    """Return the centre of gravity along x and y; None without weight."""
    weight = sum(box.weight_g for box in boxes)
    if not weight:
        return None
    x = sum(box.weight_g * (box.x[0] + box.x[1]) for box in boxes)
    y = sum(box.weight_g * (box.y[0] + box.y[1]) for box in boxes)
    return Fraction(x, 2 * weight), Fraction(y, 2 * weight)
