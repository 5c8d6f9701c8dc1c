"""Search for the kinds of cartons to stock: greedy addition, exchange and shaking."""

from collections.abc import Callable, Collection, Sequence
from random import Random

from haulier.solvers.packing.budget import PackingBudget, StepMeter
from haulier.solvers.packing.plan import ProofState
from haulier.solvers.stocking.bound import best_multipliers, bound_of
from haulier.solvers.stocking.fits import OrderFits
from haulier.solvers.stocking.plan import PackedOrder, StockingObjective, StockingPlan, UnfitOrder, UnfitReason
from haulier.solvers.stocking.problem import OrderShape, StockingProblem, price_of

OnBetterAdvice = Callable[[StockingPlan], bool]
"""Receives each improved plan; returning False ends the search."""
IDLE_SHAKES = 40
"""Number of shakes without improvement after which the search ends."""
BOUND_WORK = 20_000_000
"""Maximum number of pairs of orders and kinds that the bound examines, within `BOUND_ROUNDS`."""
BOUND_ROUNDS = (30, 400)


class StockingEngine:
    """Search for stocking plans."""

    name = "exchange"

    def solve(
        self,
        problem: StockingProblem,
        *,
        budget: PackingBudget,
        seed: int = 0,
        on_better: OnBetterAdvice | None = None,
        meter: StepMeter | None = None,
    ) -> StockingPlan:
        """Return the best choice within the budget, with a bound.

        Orders that fit no kind are left out, so there always is a plan.
        """
        return _StockingSearch(problem, meter or StepMeter(budget), seed, on_better).run()


class _StockingSearch:
    def __init__(self, problem: StockingProblem, meter: StepMeter, seed: int, on_better: OnBetterAdvice | None) -> None:
        self._problem, self._meter, self._seed, self._on_better = problem, meter, seed, on_better
        self._random = Random(seed)
        number = {kind.id: at for at, kind in enumerate(problem.cartons)}
        self._kept = [number[id] for id in dict.fromkeys(problem.keep)]
        self._today = [number[id] for id in problem.today]
        self._fits = OrderFits(problem, meter)
        self._ways: list[list[tuple[int, int]]] = []
        self._able_prices: list[list[tuple[int, int]]] = []
        self._multipliers: tuple[int, ...] = ()
        self._best: tuple[StockingObjective, frozenset[int]] | None = None

    def run(self) -> StockingPlan:
        """Run the search of `StockingEngine.solve`."""
        self._fits.find()
        orders = self._problem.orders
        for order, able, places in zip(orders, self._fits.able, self._fits.places, strict=True):
            prices = {kind: price_of(self._problem, order, self._problem.cartons[kind]) for kind in able}
            self._ways.append(sorted((prices[kind], kind) for kind in places))
            self._able_prices.append([(kind, price * order.count) for kind, price in prices.items()])
        chosen = self._exchange(self._add_one_by_one())
        self._note(chosen)
        assert self._best is not None
        self._multipliers = self._bound_multipliers(self._best[0][1])
        idle = 0
        while idle < IDLE_SHAKES and not self._meter.is_spent and not self._is_proved():
            better = self._note(self._exchange(self._shaken(self._best[1])))
            idle = 0 if better else idle + 1
        return self._plan(*self._best)

    def _sums(self, chosen: Collection[int]) -> StockingObjective:
        """Return the orders without a carton, and the total of the cheapest cartons."""
        self._meter.steps += 1
        lost = total = 0
        for order, ways in zip(self._problem.orders, self._ways, strict=True):
            for price, kind in ways:
                if kind in chosen:
                    total += price * order.count
                    break
            else:
                lost += order.count
        return lost, total

    def _add_one_by_one(self) -> frozenset[int]:
        chosen = set(self._kept)
        now = self._sums(chosen)
        useful = sorted({kind for ways in self._ways for _, kind in ways})
        while len(chosen) < self._problem.most:
            tried = [(self._sums({*chosen, kind}), kind) for kind in useful if kind not in chosen]
            if not tried or min(tried)[0] >= now:
                break
            now, kind = min(tried)
            chosen.add(kind)
        return frozenset(chosen)

    def _exchange(self, chosen: frozenset[int]) -> frozenset[int]:
        """Exchange one kind for another while that improves the objective."""
        now, useful = self._sums(chosen), sorted({kind for ways in self._ways for _, kind in ways})
        helped = True
        while helped:
            helped = False
            for out in sorted(chosen - set(self._kept)):
                for into in useful:
                    if self._meter.is_spent:
                        return chosen
                    if into in chosen or out not in chosen:
                        continue
                    other = chosen - {out} | {into}
                    if (sums := self._sums(other)) < now:
                        chosen, now, helped = other, sums, True
        return chosen

    def _shaken(self, chosen: frozenset[int]) -> frozenset[int]:
        """Replace two or three random kinds."""
        free = sorted(chosen - set(self._kept))
        others = sorted({kind for ways in self._ways for _, kind in ways} - chosen)
        count = min(self._random.choice((2, 3)), len(free), len(others))
        out = self._random.sample(free, count)
        return chosen - set(out) | set(self._random.sample(others, count))

    def _note(self, chosen: frozenset[int]) -> bool:
        used = self._used(chosen)
        sums = self._sums(used)
        if self._best is not None and sums >= self._best[0]:
            return False
        self._best = sums, used
        if self._on_better and not self._on_better(self._plan(sums, used)):
            self._meter.stop()
        return True

    def _used(self, chosen: frozenset[int]) -> frozenset[int]:
        """Remove unused kinds, except those that must be kept."""
        used = {next((kind for _, kind in ways if kind in chosen), -1) for ways in self._ways}
        return frozenset(kind for kind in chosen if kind in used or kind in self._kept)

    def _bound_multipliers(self, target: int) -> tuple[int, ...]:
        prices, kinds = self._able_prices, len(self._problem.cartons)
        least, most = BOUND_ROUNDS
        rounds = max(least, min(most, BOUND_WORK // (1 + sum(map(len, prices)))))
        return best_multipliers(prices, self._kept, kinds, self._problem.most, target=target, rounds=rounds)

    def _bound(self) -> StockingObjective:
        lost = sum(order.count for order, able in zip(self._problem.orders, self._fits.able, strict=True) if not able)
        if not self._multipliers:
            return lost, 0
        kinds = len(self._problem.cartons)
        total = bound_of(self._multipliers, self._able_prices, self._kept, kinds, self._problem.most)
        return lost, max(0, total)

    def _is_proved(self) -> bool:
        return self._best is not None and self._bound() >= self._best[0]

    def _plan(self, sums: StockingObjective, chosen: frozenset[int]) -> StockingPlan:
        cartons, bound = self._problem.cartons, self._bound()
        packed = self._packed(chosen)
        there = {each.order for each in packed}
        unfit = [
            UnfitOrder(order.id, self._why(number, order))
            for number, order in enumerate(self._problem.orders)
            if order.id not in there
        ]
        return StockingPlan(
            cartons=tuple(
                cartons[kind].id for kind in sorted(chosen, key=lambda kind: (cartons[kind].outer_volume, kind))
            ),
            packed=tuple(packed),
            unfit=tuple(unfit),
            objective=sums,
            bound=min(bound, sums),
            multipliers=self._multipliers,
            today=tuple(self._packed(self._today)),
            by_cost=self._problem.by_cost,
            state=ProofState.OPTIMAL if bound >= sums else ProofState.BEST_FOUND,
            seed=self._seed,
            steps=self._meter.steps,
        )

    def _packed(self, chosen: Collection[int]) -> Sequence[PackedOrder]:
        found: list[PackedOrder] = []
        for order, ways, places in zip(self._problem.orders, self._ways, self._fits.places, strict=True):
            kind = next((kind for _, kind in ways if kind in chosen), None)
            if kind is not None:
                carton = self._problem.cartons[kind].id
                found.append(PackedOrder(order=order.id, carton=carton, places=places[kind]))
        return found

    def _why(self, number: int, order: OrderShape) -> UnfitReason:
        if self._fits.places[number]:
            return UnfitReason.NOT_CHOSEN
        if self._fits.able[number]:
            return UnfitReason.NO_PLACE
        weight = sum(piece.weight_g for piece in order.pieces)
        if all(weight > kind.payload_g for kind in self._problem.cartons):
            return UnfitReason.TOO_HEAVY
        return UnfitReason.TOO_LARGE
