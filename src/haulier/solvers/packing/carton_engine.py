"""Choice of cartons in the order of the objective.

Each choice is packed or refuted. The first one packed after all before it were refuted is optimal. Choices that are not
decided within the budget stay open: the plan is `best_found` then, and its bound is the first open choice. Each round
spends four times the work on open choices.

Optional libraries fill single cartons more densely and decide choices exactly.
"""

from random import Random

from msgspec import Struct

from haulier.solvers.packing.assignment import AssignmentSearch, CartonContents, Content, PackingVerdict
from haulier.solvers.packing.bounds import refute_by_sums
from haulier.solvers.packing.budget import OnBetterPlan, PackingBudget, StepMeter
from haulier.solvers.packing.choices import CartonChoices, Choice
from haulier.solvers.packing.compiled import CompiledPacking
from haulier.solvers.packing.fillings import CartonFillings
from haulier.solvers.packing.impossible import find_impossible
from haulier.solvers.packing.orders import PackedCartons, objective_of, pack_anyhow, pack_choice
from haulier.solvers.packing.plan import Objective, PackingPlan, PackingRule, PiecePlace, ProofState, RefutedChoice
from haulier.solvers.packing.ports import ChoiceProver, FindPacker, ProofLimit, SpaceFiller
from haulier.solvers.packing.problem import PackingProblem, turned_size

REFUTED_SHOWN = 20
"""Number of refuted choices listed in a plan; the last ones are kept."""
FIRST_TRIES, FIRST_NODES = 6, 300
ROUND_FACTOR = 4
QUICK_TRIES = 400
"""Compiled repacking attempts for one attempt in Python."""
PROOF_STEPS_PER_NODE = 20
"""Prover steps for each node of the exact search; a third of a second in the first round."""
QUICK_PROOF_PIECES = 20
"""Up to this number of pieces, a prover is the fastest method and runs first."""
REST_STEPS = 3_000
"""Step limit for packing the pieces that one filled carton leaves over."""
PROOF_PIECES = 40
"""Maximum number of pieces of a constraint model; larger models are not decided in time."""
CHOICES_MAX = 200_000
"""Maximum number of refuted choices; the bound is the first choice after them."""


class _OpenChoice(Struct, frozen=True):
    sums: Objective
    choice: Choice


class CartonEngine:
    """Search for cartons."""

    name = "cartons"

    def __init__(
        self,
        filler: SpaceFiller | None = None,
        prover: ChoiceProver | None = None,
        find_packer: FindPacker | None = None,
    ) -> None:
        self._filler, self._prover, self._find_packer = filler, prover, find_packer

    def solve(
        self,
        problem: PackingProblem,
        *,
        budget: PackingBudget,
        seed: int = 0,
        on_better: OnBetterPlan | None = None,
        meter: StepMeter | None = None,
    ) -> PackingPlan | None:
        """Return the best plan, or a proof of infeasibility; None if neither was found.

        A `meter` of the same budget lets callers follow the progress.
        """
        search = _CartonSearch(problem, meter or StepMeter(budget), seed, on_better)
        search.use(self._filler, self._prover, self._find_packer)
        return search.run()


class _CartonSearch:
    def __init__(self, problem: PackingProblem, meter: StepMeter, seed: int, on_better: OnBetterPlan | None) -> None:
        self._compiled = CompiledPacking(problem)
        self._fillings: CartonFillings | None = None
        self._prover: ChoiceProver | None = None
        self._find_packer: FindPacker | None = None
        self._meter, self._seed, self._on_better = meter, seed, on_better
        self._random = Random(seed)
        self._contents = CartonContents(self._compiled, meter, seed)
        self._choices = iter(self._choices_source())
        self._next: _OpenChoice | None = None
        self._exhausted = False
        self._open: list[_OpenChoice] = []
        self._refuted: list[RefutedChoice] = []
        self._refuted_count = 0
        self._best: tuple[Objective, PackedCartons] | None = None

    def use(
        self, filler: SpaceFiller | None, prover: ChoiceProver | None, find_packer: FindPacker | None = None
    ) -> None:
        """Enable the libraries that suit the problem."""
        self._find_packer = find_packer if len(self._compiled.pieces) > QUICK_PROOF_PIECES else None
        fillings = CartonFillings(self._compiled, filler, self._meter, self._pack_rest) if filler else None
        self._fillings = fillings if fillings and fillings.is_usable else None
        self._prover = prover if len(self._compiled.pieces) <= PROOF_PIECES else None

    def run(self) -> PackingPlan | None:
        """Run the search of `CartonEngine.solve`."""
        if impossible := find_impossible(self._compiled, self._meter):
            pieces, rule = impossible
            return PackingPlan(
                state=ProofState.INFEASIBLE, pieces=pieces, rule=rule, seed=self._seed, steps=self._meter.steps
            )
        if not self._compiled.units:
            return self._plan([], (0, 0, 0), ProofState.OPTIMAL, (0, 0, 0))
        if packed := pack_anyhow(self._compiled, self._meter):
            self._improve(packed)
        self._count_up(FIRST_TRIES, FIRST_NODES)
        tries, nodes = FIRST_TRIES, FIRST_NODES
        while self._open and not self._meter.is_spent:
            tries, nodes = tries * ROUND_FACTOR, nodes * ROUND_FACTOR
            for each in list(self._open):
                self._decide(each, tries, nodes)
                if self._meter.is_spent:
                    break
            self._count_up(tries, nodes)
        return self._answer()

    def _choices_source(self) -> CartonChoices:
        self._source = CartonChoices(self._compiled)
        return self._source

    def _count_up(self, tries: int, nodes: int) -> None:
        """Try further choices until one is no better than the best plan."""
        while not self._exhausted and not self._meter.is_spent:
            if self._next is None:
                self._meter.steps += 1
                found = next(self._choices, None)
                if found is None or self._refuted_count > CHOICES_MAX:
                    self._exhausted = found is None
                    return
                self._next = _OpenChoice(*found)
            if self._best and self._next.sums >= self._best[0]:
                return
            each, self._next = self._next, None
            if reason := refute_by_sums(self._compiled, each.choice):
                self._record_refuted(each, reason)
                continue
            self._open.append(each)
            self._decide(each, tries, nodes)

    def _decide(self, each: _OpenChoice, tries: int, nodes: int) -> None:
        """Pack a choice, refute it, or leave it open."""
        if self._best and each.sums >= self._best[0]:
            self._close(each)
            return
        packed = self._pack(each.choice, tries)
        if packed is None and not self._meter.is_spent:
            found = self._search(each.choice, nodes)
            if found is PackingVerdict.REFUTED:
                self._close(each)
                self._record_refuted(each, "search")
            elif not isinstance(found, PackingVerdict):
                packed = [(kind, content) for kind, content in zip(each.choice, found, strict=True) if content]
        if packed is not None:
            self._close(each)
            self._improve(packed)

    def _pack(self, choice: Choice, tries: int) -> PackedCartons | None:
        packer = self._find_packer(self._meter.seconds_left) if self._find_packer else None
        if packer is None or not packer.is_usable(self._compiled):
            return pack_choice(self._compiled, choice, self._meter, self._random, tries)
        return packer.pack(self._compiled, choice, self._meter, self._random.getrandbits(31), tries * QUICK_TRIES)

    def _close(self, each: _OpenChoice) -> None:
        self._open = [other for other in self._open if other is not each]

    def _search(self, choice: Choice, nodes: int) -> list[Content] | PackingVerdict:
        """Return the contents of the cartons in order, or a verdict without a packing."""
        is_quick = self._prover is not None and len(self._compiled.pieces) <= QUICK_PROOF_PIECES
        found = self._filled(choice) if not is_quick else PackingVerdict.UNKNOWN
        if found is PackingVerdict.UNKNOWN:
            found = self._proved(choice, nodes)
        return self._filled(choice) if is_quick and found is PackingVerdict.UNKNOWN else found

    def _pack_rest(self, problem: PackingProblem) -> PackedCartons | None:
        """Pack the remaining pieces with a small budget."""
        search = _CartonSearch(problem, StepMeter(PackingBudget(steps=REST_STEPS)), self._seed, None)
        search.use(None, self._prover)
        search.run()
        self._meter.steps += search._meter.steps
        return search._best[1] if search._best else None

    def _filled(self, choice: Choice) -> list[Content] | PackingVerdict:
        packed = self._fillings.pack(choice) if self._fillings and not self._meter.is_spent else None
        if packed is None:
            if self._fillings and self._fillings.best:
                self._improve(self._fillings.best[1])
            return PackingVerdict.UNKNOWN
        waiting = list(packed)
        return [waiting.pop(0)[1] if waiting and waiting[0][0] == kind else () for kind in choice]

    def _proved(self, choice: Choice, nodes: int) -> list[Content] | PackingVerdict:
        if self._prover is None:
            return AssignmentSearch(self._compiled, self._contents, choice, self._meter, nodes).run()
        left = self._meter.steps_left
        steps = nodes * PROOF_STEPS_PER_NODE
        limit = ProofLimit(steps if left is None else min(steps, left), self._meter.seconds_left, self._seed)
        decided = self._prover.decide(self._compiled, choice, limit)
        self._meter.steps += decided.steps
        return decided.found

    def _record_refuted(self, each: _OpenChoice, reason: str) -> None:
        self._refuted_count += 1
        kinds = tuple(self._compiled.kinds[kind].id for kind in each.choice)
        self._refuted = [*self._refuted[-REFUTED_SHOWN + 1 :], RefutedChoice(kinds, reason)]

    def _improve(self, packed: PackedCartons) -> None:
        sums = objective_of(self._compiled, [kind for kind, _ in packed])
        if self._best and sums >= self._best[0]:
            return
        self._best = sums, packed
        self._open = [each for each in self._open if each.sums < sums]
        if self._on_better and not self._on_better(self._best_plan(*self._best)):
            self._meter.stop()

    def _answer(self) -> PackingPlan | None:
        if self._best:
            return self._best_plan(*self._best)
        if not self._exhausted or self._open:
            return None
        everything = tuple(piece.id for piece in self._compiled.pieces)
        return PackingPlan(
            state=ProofState.INFEASIBLE,
            pieces=everything,
            rule=PackingRule.STOCK,
            refuted=tuple(self._refuted),
            refuted_count=self._refuted_count,
            seed=self._seed,
            steps=self._meter.steps,
        )

    def _bound(self) -> Objective:
        """Return the least objective among undecided choices and the best plan."""
        coming = self._next.sums if self._next else self._source.bound
        undecided = [each.sums for each in self._open] + ([coming] if coming is not None else [])
        best = [self._best[0]] if self._best else []
        return min(undecided + best)

    def _best_plan(self, sums: Objective, packed: PackedCartons) -> PackingPlan:
        bound = self._bound()
        state = ProofState.OPTIMAL if bound == sums else ProofState.BEST_FOUND
        return self._plan(packed, sums, state, bound)

    def _plan(self, packed: PackedCartons, sums: Objective, state: ProofState, bound: Objective) -> PackingPlan:
        problem = self._compiled.problem
        placements: list[PiecePlace] = []
        for carton, (_, content) in enumerate(packed):
            for piece, box in sorted(content, key=lambda each: (each[1][2], each[1][0], each[1][1])):
                one = problem.pieces[piece]
                extents = (box[3] - box[0], box[4] - box[1], box[5] - box[2])
                turn = next(turn for turn in one.turns if turned_size(self._compiled.bulk[piece], turn) == extents)
                x, y, z = (corner + problem.wall_cushion + one.cushion for corner in box[:3])
                placements.append(PiecePlace(piece=one.id, carton=carton, x=x, y=y, z=z, turn=turn))
        return PackingPlan(
            cartons=tuple(problem.cartons[kind].id for kind, _ in packed),
            placements=tuple(placements),
            state=state,
            objective=sums,
            bound=bound,
            refuted=tuple(self._refuted),
            refuted_count=self._refuted_count,
            seed=self._seed,
            steps=self._meter.steps,
        )
