"""Search for a loading plan: repeated filling with varying weights."""

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from msgspec import Struct

from haulier.solvers.loading.blocks import HeuristicWeights
from haulier.solvers.loading.bounds import loading_bound
from haulier.solvers.loading.dense import DenseLoading
from haulier.solvers.loading.filling import FilledSpace, Filling, StopOrder
from haulier.solvers.loading.left_over import why_left
from haulier.solvers.loading.plan import (
    LeftOver,
    LoadedPiece,
    LoadingObjective,
    LoadingPlan,
    LoadingState,
    RepackedPiece,
)
from haulier.solvers.loading.prepared import PieceKind, PreparedLoading
from haulier.solvers.loading.problem import Box, LoadingProblem
from haulier.solvers.loading.shift import distance_from_middle
from haulier.solvers.packing.budget import PackingBudget, StepMeter
from haulier.solvers.packing.ports import SpaceFiller
from haulier.solvers.packing.problem import Turn

OnBetterLoading = Callable[[LoadingPlan], bool]
"""Receives each improved plan; returning False ends the search."""
PRESETS = (
    HeuristicWeights(usable=4.0, few=0.2),
    HeuristicWeights(usable=1.0, few=0.0),
    HeuristicWeights(usable=8.0, few=0.5, wall=0.3),
    HeuristicWeights(usable=2.0, few=0.1, wall=0.6),
    HeuristicWeights(usable=2.0, few=0.1, dense=0.5),
    HeuristicWeights(usable=2.0, few=0.1, dense=-0.5),
)
STOP_ORDERS = (StopOrder.KEPT_AT_FIRST, StopOrder.LOOSE, StopOrder.MIXED)
"""Stop orders that fillings alternate between if pieces may be repacked."""
NOISES, WIDE_NOISES = (0.0, 0.1, 0.3, 1.0), (0.0, 0.3, 1.0, 6.0)
SCATTERS = (0.0, 0.2, 1.0)
"""Values tried where pieces may be repacked, because the best-scoring block seldom leads to the fewest repacks."""
FIRST_PRESETS = 2
"""Number of fillings before the engines that fill densely take their turns."""
IDLE_ROUNDS = 400
"""Number of fillings without improvement after which a complete plan without repacks is returned."""


class _Loaded(Struct, frozen=True):
    objective: LoadingObjective
    spaces: tuple[FilledSpace, ...]
    left: tuple[int, ...]

    @property
    def is_complete(self) -> bool:
        """Return True if everything is loaded and nothing has to be repacked."""
        return not sum(self.left) and not any(each.repacks for each in self.spaces)


class LoadingEngine:
    """Search for loading plans."""

    name = "walls"

    def __init__(self, fillers: Sequence[SpaceFiller] = ()) -> None:
        self._fillers = fillers

    def solve(
        self,
        problem: LoadingProblem,
        *,
        budget: PackingBudget,
        seed: int = 0,
        on_better: OnBetterLoading | None = None,
        meter: StepMeter | None = None,
    ) -> LoadingPlan:
        """Return the best plan found within the budget.

        Pieces that fit nowhere stay behind, so there always is a plan. A `meter` of the same budget lets callers follow
        the progress.
        """
        search = _LoadingSearch(problem, meter or StepMeter(budget), seed, on_better)
        search.use(self._fillers)
        return search.run()


class _LoadingSearch:
    def __init__(self, problem: LoadingProblem, meter: StepMeter, seed: int, on_better: OnBetterLoading | None) -> None:
        self._prepared = PreparedLoading(problem)
        self._meter, self._seed, self._on_better = meter, seed, on_better
        self._random = Random(seed)
        self._filling = Filling(self._prepared, meter, self._random)
        self._bound = loading_bound(self._prepared)
        self._best: _Loaded | None = None
        self._best_weights = PRESETS[0]
        self._dense: list[DenseLoading] = []

    def use(self, fillers: Sequence[SpaceFiller]) -> None:
        """Add engines that fill one space densely, if the problem suits them."""
        dense = [DenseLoading(self._prepared, filler, self._meter) for filler in fillers]
        self._dense = [each for each in dense if each.is_usable]

    def run(self) -> LoadingPlan:
        """Run the search of `LoadingEngine.solve`."""
        idle = number = 0
        held: Sequence[int] = [0] * len(self._prepared.kinds)
        while True:
            heuristic = self._choose_weights(number)
            is_dense = FIRST_PRESETS <= number < FIRST_PRESETS + len(self._dense)
            order = STOP_ORDERS[number % len(STOP_ORDERS)] if self._prepared.problem.may_repack else StopOrder.KEPT
            found = self._load_densely(number - FIRST_PRESETS) if is_dense else self._load_all(heuristic, held, order)
            self._filling.is_first = False
            if self._best is None or found.objective < self._best.objective:
                self._best, self._best_weights, idle = found, heuristic, 0
                if self._on_better and not self._on_better(self._plan(self._best)):
                    break
            number, idle = number + 1, idle + 1
            if self._meter.is_spent or (idle > IDLE_ROUNDS and self._best.is_complete) or not self._prepared.kinds:
                break
            held = self._least_wanted(found, number)
        return self._plan(self._best)

    def _choose_weights(self, number: int) -> HeuristicWeights:
        if number < len(PRESETS):
            return PRESETS[number]
        random = self._random
        near = self._best_weights if random.random() < 0.5 else PRESETS[random.randrange(len(PRESETS))]
        may_repack = self._prepared.problem.may_repack
        return HeuristicWeights(
            usable=max(0.0, near.usable + random.uniform(-2, 2)),
            few=max(0.0, near.few + random.uniform(-0.1, 0.2)),
            dense=near.dense,
            noise=random.choice(WIDE_NOISES if may_repack else NOISES),
            wall=max(0.0, near.wall + random.uniform(-0.3, 0.3)),
            scatter=random.choice(SCATTERS) if may_repack else 0.0,
        )

    def _least_wanted(self, found: _Loaded, number: int) -> list[int]:
        """Return the pieces that the next filling postpones, by kind.

        They are of the lowest rank, with as much volume as better ones that stayed behind.
        """
        held = [0] * len(self._prepared.kinds)
        kinds = self._prepared.kinds
        left = [kind for kind in kinds if found.left[kind.number]]
        if number % 2 == 0 or not self._prepared.has_ranks or not left:
            return held
        best = max(kind.rank for kind in left)
        missing = sum(kind.volume * found.left[kind.number] for kind in left if kind.rank == best)
        missing = round(missing * self._random.choice((1, 1.5, 2, 3)))
        for kind in sorted(kinds, key=lambda each: (each.rank, each.number)):
            if kind.rank >= best or missing <= 0:
                break
            held[kind.number] = min(len(kind.ids), -(-missing // kind.volume))
            missing -= held[kind.number] * kind.volume
        return held

    def _load_all(self, heuristic: HeuristicWeights, held: Sequence[int], order: StopOrder) -> _Loaded:
        left = [len(kind.ids) for kind in self._prepared.kinds]
        filled: list[FilledSpace] = []
        for space in self._order_of_spaces():
            if not any(left):
                break
            if one := self._filling.fill(space, left, heuristic, held, order):
                filled.append(one)
        return _Loaded(self._objective(filled, left), tuple(filled), tuple(left))

    def _load_densely(self, turn: int) -> _Loaded:
        left = [len(kind.ids) for kind in self._prepared.kinds]
        filled = self._dense[turn].load(self._order_of_spaces(), left, len(self._dense) - turn)
        return _Loaded(self._objective(filled, left), tuple(filled), tuple(left))

    def _order_of_spaces(self) -> list[int]:
        """Return each space as often as it is in stock.

        They are sorted by cost per volume, or shuffled.
        """
        spaces = self._prepared.spaces
        room = [space.inner[0] * space.inner[1] * space.inner[2] for space in spaces]
        numbers = [number for number, space in enumerate(spaces) for _ in range(space.stock)]
        numbers.sort(key=lambda number: (spaces[number].cost_cents / room[number], -room[number], number))
        if len(spaces) > 1 and self._best is not None and self._random.random() < 0.5:
            self._random.shuffle(numbers)
        return numbers

    def _objective(self, filled: Sequence[FilledSpace], left: Sequence[int]) -> LoadingObjective:
        kinds, spaces = self._prepared.kinds, self._prepared.spaces
        return (
            sum(left[kind.number] for kind in kinds if kind.piece.mandatory),
            sum(left[kind.number] * kind.piece.priority for kind in kinds),
            sum(spaces[each.space].cost_cents for each in filled),
            *([sum(len(each.repacks) for each in filled)] if self._prepared.problem.may_repack else []),
            sum(max(box[3] for _, box in each.placed) - min(box[0] for _, box in each.placed) for each in filled),
            sum(distance_from_middle(spaces[each.space], each.placed) for each in filled),
        )

    def _plan(self, loaded: _Loaded) -> LoadingPlan:
        spaces = self._prepared.spaces
        used: Counter[int] = Counter()
        placements: list[LoadedPiece] = []
        repacks: list[RepackedPiece] = []
        for number, each in enumerate(loaded.spaces):
            names: list[str] = []
            for kind, box in each.placed:
                names.append(kind.ids[used[kind.number]])
                used[kind.number] += 1
                turn = _turn(kind, each.space, box)
                placements.append(LoadedPiece(piece=names[-1], space=number, x=box[0], y=box[1], z=box[2], turn=turn))
            for one in each.repacks:
                (x, y, z), turn = one.box[:3], _turn(each.placed[one.at][0], each.space, one.box)
                repacks.append(RepackedPiece(stop=one.stop, piece=names[one.at], x=x, y=y, z=z, turn=turn))
        mandatory, priority, cost, *_ = loaded.objective
        return LoadingPlan(
            spaces=tuple(spaces[each.space].id for each in loaded.spaces),
            placements=tuple(placements),
            left_over=self._left_over(loaded, used),
            repacks=tuple(sorted(repacks, key=lambda each: each.stop)),
            state=self._state(loaded),
            objective=loaded.objective,
            bound=min(self._bound, (mandatory, priority, cost)),
            seed=self._seed,
            steps=self._meter.steps,
        )

    def _left_over(self, loaded: _Loaded, used: Counter[int]) -> tuple[LeftOver, ...]:
        return tuple(
            LeftOver(piece, why_left(self._prepared, loaded.spaces, self._filling.unreached, kind))
            for kind in self._prepared.kinds
            for piece in kind.ids[used[kind.number] :]
        )

    def _state(self, loaded: _Loaded) -> LoadingState:
        if any(loaded.left):
            return LoadingState.PARTLY
        return LoadingState.OPTIMAL if loaded.objective[:3] == self._bound else LoadingState.BEST_FOUND


def _turn(kind: PieceKind, space: int, box: Box) -> Turn:
    return kind.sizes[space][box[3] - box[0], box[4] - box[1], box[5] - box[2]]
