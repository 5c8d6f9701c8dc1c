"""Packing of a carton choice one carton at a time with a dense space filler."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from haulier.solvers.packing.assignment import Content
from haulier.solvers.packing.budget import StepMeter
from haulier.solvers.packing.compiled import CompiledPacking
from haulier.solvers.packing.orders import PackedCartons, objective_of
from haulier.solvers.packing.plan import Objective
from haulier.solvers.packing.ports import FillKind, FillTask, SpaceFiller
from haulier.solvers.packing.problem import PackingProblem

PackRest = Callable[[PackingProblem], PackedCartons | None]
"""Packs the pieces that one filled carton leaves over, with a small budget."""
SHARE_OF_THE_CLOCK = 0.5
"""Share of the remaining time for one filling."""


class CartonFillings:
    """Cache of carton fillings, shared by choices that begin with the same carton."""

    def __init__(self, compiled: CompiledPacking, filler: SpaceFiller, meter: StepMeter, pack_rest: PackRest) -> None:
        self._compiled, self._filler, self._meter, self._pack_rest = compiled, filler, meter, pack_rest
        self.best: tuple[Objective, PackedCartons] | None = None
        """The best plan that begins with a filled carton, regardless of the requested choice."""
        self._known: dict[tuple[int, frozenset[int]], Content] = {}
        self.is_usable = compiled.is_plain and not compiled.apart and all(len(unit) == 1 for unit in compiled.units)
        """True if only size, volume and weight matter, the rules that the filler supports."""

    def pack(self, choice: Sequence[int]) -> PackedCartons | None:
        """Fill the largest cartons first, then the smallest first; None if pieces remain."""
        capacity = self._compiled.capacity
        largest_first = sorted(choice, key=lambda kind: (-capacity[kind], kind))
        for order in dict.fromkeys((tuple(largest_first), tuple(largest_first[::-1]))):
            packed = self._pack_in_order(order)
            if packed is not None or self._meter.is_spent:
                return packed
        return None

    def _pack_in_order(self, order: Sequence[int]) -> PackedCartons | None:
        volume, capacity = self._compiled.volume, self._compiled.capacity
        left = frozenset(range(len(self._compiled.pieces)))
        packed: PackedCartons = []
        for place, kind in enumerate(order):
            content = self._fill(kind, left)
            left -= {piece for piece, _ in content}
            packed.append((kind, content))
            if not left:
                return sorted((each for each in packed if each[1]), key=lambda each: each[0])
            room = sum(capacity[following] for following in order[place + 1 :])
            if sum(volume[piece] for piece in left) > room or self._meter.is_spent:
                return None
        return None

    def _fill(self, kind: int, left: frozenset[int]) -> Content:
        if (kind, left) not in self._known:
            content = self._search(kind, left)
            self._known[kind, left] = content
            if content and len(left) == len(self._compiled.pieces):
                self._complete(kind, content)
        return self._known[kind, left]

    def _complete(self, kind: int, content: Content) -> None:
        """Pack the pieces that the first carton leaves over into any other cartons."""
        problem, packed = self._compiled.problem, {piece for piece, _ in content}
        left = [piece for piece in range(len(problem.pieces)) if piece not in packed]
        stock = problem.cartons[kind].stock
        cartons = list(problem.cartons)
        cartons[kind] = replace(cartons[kind], stock=None if stock is None else stock - 1)
        rest = replace(problem, pieces=tuple(problem.pieces[piece] for piece in left), cartons=tuple(cartons))
        others = self._pack_rest(rest) if left else []
        if others is None:
            return
        named = [(other, tuple((left[piece], box) for piece, box in held)) for other, held in others]
        plan = sorted([(kind, content), *named], key=lambda each: each[0])
        objective = objective_of(self._compiled, [each for each, _ in plan])
        if self.best is None or objective < self.best[0]:
            self.best = objective, plan

    def _search(self, kind: int, left: frozenset[int]) -> Content:
        compiled, carton = self._compiled, self._compiled.kinds[kind]
        is_capped = compiled.problem.fill_cap_percent < 100
        groups: dict[int, list[int]] = {}
        for piece in sorted(left):
            groups.setdefault(compiled.look[piece], []).append(piece)
        kinds = [self._fill_kind(kind, pieces, is_capped) for pieces in groups.values()]
        payload = compiled.loads.payload[kind]
        if payload < 0:
            return ()
        most = compiled.capacity[kind] if is_capped else payload
        seconds = self._meter.seconds_left
        share = None if seconds is None else seconds * SHARE_OF_THE_CLOCK
        task = FillTask(carton.inner, most, tuple(kinds), share)
        filled = self._filler.fill(task)
        self._meter.steps += filled.steps
        waiting = [iter(pieces) for pieces in groups.values()]
        content = tuple((next(waiting[number]), box) for number, box in filled.placed)
        too_heavy = sum(compiled.loads.load[piece] for piece, _ in content) > payload
        return () if too_heavy else content

    def _fill_kind(self, kind: int, pieces: Sequence[int], is_capped: bool) -> FillKind:
        compiled, one = self._compiled, pieces[0]
        load = compiled.volume[one] if is_capped else compiled.loads.taken[one]
        return FillKind(compiled.extents[one][kind], len(pieces), compiled.volume[one], load)
