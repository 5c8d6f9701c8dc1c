"""Packings of orders in kinds of cartons, reused for larger kinds."""

from collections.abc import Sequence

from haulier.solvers.packing.budget import PackingBudget, StepMeter
from haulier.solvers.packing.carton_engine import CartonEngine
from haulier.solvers.packing.plan import PiecePlace
from haulier.solvers.packing.problem import CartonKind, turned_size
from haulier.solvers.stocking.problem import OrderShape, StockingProblem, may_fit, single_carton

Places = tuple[PiecePlace, ...]
TRY_STEPS = 400
"""Step limit of packing an order into one kind."""
FAILED_TRIES = 8
"""Number of failed kinds after which only those with three times the volume of the order are tried."""


class OrderFits:
    """The kinds that each order fits, with the positions of its pieces."""

    def __init__(self, problem: StockingProblem, meter: StepMeter) -> None:
        self._problem, self._meter = problem, meter
        self._kinds = sorted(range(len(problem.cartons)), key=lambda kind: (problem.cartons[kind].outer_volume, kind))
        self.able: list[list[int]] = []
        """By order: kinds that totals and edges do not rule out."""
        self.places: list[dict[int, Places]] = []
        """By order: kinds that it fits."""

    def find(self) -> None:
        """Try each order in each kind, smallest first.

        An order that fits a kind also fits those that are larger along every axis.
        """
        cartons = self._problem.cartons
        for order in self._problem.orders:
            able = [kind for kind in self._kinds if may_fit(self._problem, order, cartons[kind])]
            found: dict[int, Places] = {}
            failed = 0
            for kind in able:
                places = _reused_places(cartons, kind, found)
                if places is None and not self._problem.support_percent:
                    self._meter.steps += 1
                    places = _stacked(order, cartons[kind], self._problem.wall_cushion)
                if places is None and self._is_worth_a_try(order, kind, failed):
                    places = self._pack(order, cartons[kind])
                    failed += places is None
                if places is not None:
                    found[kind] = places
            self.able.append(able)
            self.places.append(found)

    def _is_worth_a_try(self, order: OrderShape, kind: int, failed: int) -> bool:
        if failed < FAILED_TRIES:
            return True
        a, b, c = self._problem.cartons[kind].inner
        volume = sum(piece.size[0] * piece.size[1] * piece.size[2] for piece in order.pieces)
        return failed < 2 * FAILED_TRIES and a * b * c > 3 * volume

    def _pack(self, order: OrderShape, kind: CartonKind) -> Places | None:
        if len(order.pieces) == 1:
            (piece,) = order.pieces
            self._meter.steps += 1
            wall = self._problem.wall_cushion
            for turn in piece.turns:
                size = turned_size(piece.size, turn)
                if all(edge + 2 * wall <= room for edge, room in zip(size, kind.inner, strict=True)):
                    return (PiecePlace(piece=piece.id, carton=0, x=wall, y=wall, z=wall, turn=turn),)
            return None
        question = single_carton(self._problem, order, kind)
        plan = CartonEngine().solve(question, budget=PackingBudget(steps=TRY_STEPS))
        self._meter.steps += plan.steps if plan else TRY_STEPS
        return plan.placements if plan and plan.placements else None


def _stacked(order: OrderShape, kind: CartonKind, wall: int) -> Places | None:
    """Stack all pieces along some axis of the carton; None if not possible."""
    if any(piece.bears_g is not None for piece in order.pieces):
        return None
    inner = [length - 2 * wall for length in kind.inner]
    for axis in range(3):
        places: list[PiecePlace] = []
        begins = 0
        for piece in order.pieces:
            fitting = [
                (size[axis], turn)
                for turn in piece.turns
                for size in (turned_size(piece.size, turn),)
                if all(size[other] <= inner[other] for other in range(3) if other != axis)
            ]
            if not fitting or begins + min(fitting)[0] > inner[axis]:
                break
            thick, turn = min(fitting)
            x, y, z = (wall + (begins if each == axis else 0) for each in range(3))
            places.append(PiecePlace(piece=piece.id, carton=0, x=x, y=y, z=z, turn=turn))
            begins += thick
        else:
            return tuple(places)
    return None


def _reused_places(cartons: Sequence[CartonKind], kind: int, found: dict[int, Places]) -> Places | None:
    """Return the positions in a kind that is smaller along each axis, if any.

    Void fill weighs more in a larger kind; callers only try kinds that can bear it.
    """
    inner, payload = cartons[kind].inner, cartons[kind].payload_g
    for smaller, places in found.items():
        other = cartons[smaller]
        if all(a <= b for a, b in zip(other.inner, inner, strict=True)) and other.payload_g <= payload:
            return places
    return None
