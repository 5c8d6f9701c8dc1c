"""Improvement of a truck plan by moving cargo between trucks.

Cheaper plans are accepted, and at first slightly more expensive ones too (threshold accepting). The result is
determined by seed and rounds.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from random import Random

from bench.roadef_instances import Instance, Item, Truck
from bench.roadef_rules import SQUARE_METRE, LoadedTruck, PlacedStack
from bench.roadef_stacks import KnownStacks, arrange

Slot = tuple[str, int]
"""Truck id, and 0 for the planned truck or the number of an extra one of its type."""
Stacks = tuple[PlacedStack, ...]
DEARER_AT_FIRST = 0.25
"""Initial threshold as a share of the price of a truck, decreasing to zero."""
TAKEN_OUT_MOST = 3
"""Maximum number of trucks emptied at once."""
EMPTIED = 0.5
"""Probability that a truck is emptied completely."""
FLOOR_SHARE = 0.96
"""Maximum usable share of the floor in practice."""


class _Load:
    """The cargo of a truck and its positions."""

    __slots__ = ("cargo", "stacks")

    def __init__(self, cargo: Counter[Item], stacks: Stacks | None) -> None:
        self.cargo, self.stacks = cargo, stacks


Plan = dict[Slot, _Load]


class TruckExchange:
    """The current and the best plan, with cached arrangements."""

    def __init__(self, instance: Instance, loaded: Sequence[LoadedTruck], seed: int = 0) -> None:
        self._random = Random(seed)
        self._extra = 1 + Fraction(instance.extra_cost)
        self._trucks = {truck.id: truck for truck in instance.trucks}
        self._takers = {item: [truck for truck in instance.trucks if truck.takes(item)] for item in instance.items}
        self._known: dict[tuple[str, frozenset[tuple[str, int]]], Stacks | None] = {}
        self._stacks: KnownStacks = {}
        self._plan: Plan = {}
        for each in loaded:
            cargo = Counter(item for placed in each.stacks for item in placed.stack.items)
            slot = self._free_extra(each.truck, self._plan) if each.is_extra else (each.truck.id, 0)
            self._plan[slot] = _Load(cargo, each.stacks)
        self._cost = self._best_cost = sum((self._cost_of(slot, load.cargo) for slot, load in self._plan.items()), 0.0)
        self._best = self._plan

    def improve(self, rounds: int) -> list[LoadedTruck]:
        """Return the cheapest plan after a number of rounds."""
        dearer = DEARER_AT_FIRST * max((self._price(slot) for slot in self._plan), default=0.0)
        for number in range(rounds):
            allowed = self._cost + dearer * (1 - number / rounds) * self._random.random()
            found = self._exchanged(allowed)
            if found is None:
                continue
            self._plan, self._cost = found
            if self._cost < self._best_cost - 1e-6:
                self._best, self._best_cost = self._plan, self._cost
        return [
            LoadedTruck(self._trucks[name], load.stacks or (), number > 0)
            for (name, number), load in self._best.items()
        ]

    def _exchanged(self, allowed: float) -> tuple[Plan, float] | None:
        """Return the plan with some cargo moved; None if it costs more than allowed."""
        plan, cost, out = dict(self._plan), self._cost, Counter[Item]()
        for slot in self._some_trucks():
            load, is_emptied = plan.pop(slot), self._random.random() < EMPTIED
            cost -= self._cost_of(slot, load.cargo)
            kept = Counter[Item]() if is_emptied else self._kept_aboard(load.cargo)
            out += load.cargo - kept
            if kept:
                plan[slot] = _Load(kept, None)
                cost += self._cost_of(slot, kept)
        for item in self._in_some_order(out):
            count = out[item]
            for slot in self._open_for(item, plan):
                put = self._put(plan, slot, item, count)
                count -= put
                cost += put * _kept_cost(item, self._trucks[slot[0]])
                if not count:
                    break
            while count:
                slot = self._opened_for(item, plan)
                put = self._put(plan, slot, item, count)
                count -= put
                cost += put * _kept_cost(item, self._trucks[slot[0]]) + self._price(slot)
                if not put or cost >= allowed:
                    return None
        return (plan, cost) if cost < allowed and self._arrange_all(plan) else None

    def _kept_aboard(self, cargo: Counter[Item]) -> Counter[Item]:
        """Return the cargo that stays when only some items are removed."""
        share = self._random.uniform(0.3, 0.9)
        return Counter({item: count for item, count in cargo.items() if self._random.random() < share})

    def _arrange_all(self, plan: Plan) -> bool:
        """Arrange trucks with changed cargo; return False if one does not fit."""
        for (name, _), load in plan.items():
            if load.stacks is None:
                load.stacks = self._arranged(self._trucks[name], load.cargo)
                if load.stacks is None:
                    return False
        return True

    def _some_trucks(self) -> list[Slot]:
        """Return one truck, and sometimes others with similar arrival times."""
        slots = list(self._plan)
        first = self._random.choice(slots)
        arrival = self._trucks[first[0]].arrival
        others = [slot for slot in slots if slot != first]
        others.sort(key=lambda slot: (abs(self._trucks[slot[0]].arrival - arrival), slot))
        more = min(len(others), self._random.randint(0, TAKEN_OUT_MOST - 1))
        return [first, *self._random.sample(others[: 3 * more], more)]

    def _in_some_order(self, out: Counter[Item]) -> list[Item]:
        way = self._random.randrange(3)

        def rank(item: Item) -> float:
            worth = (
                item.inventory_cost * out[item],
                item.size[0] * item.size[1] * item.size[2] * out[item],
                -len(self._takers[item]),
            )[way]
            return -worth * self._random.uniform(0.7, 1.3)

        return sorted(out, key=rank)

    def _open_for(self, item: Item, plan: Plan) -> list[Slot]:
        """Return the used trucks that can take an item, last to arrive first."""
        takers = {truck.id for truck in self._takers[item]}
        return sorted(
            (slot for slot in plan if slot[0] in takers),
            key=lambda slot: (_kept_cost(item, self._trucks[slot[0]]), slot[0], slot[1]),
        )

    def _opened_for(self, item: Item, plan: Plan) -> Slot:
        """Return an unused or extra truck, usually the cheapest one for the item."""
        slots: list[Slot] = [(truck.id, 0) for truck in self._takers[item] if (truck.id, 0) not in plan]
        slots += [self._free_extra(truck, plan) for truck in self._takers[item] if (truck.id, 0) in plan]
        slots.sort(key=lambda slot: (self._price(slot) + 4 * _kept_cost(item, self._trucks[slot[0]]), slot[0]))
        return slots[min(len(slots) - 1, int(self._random.expovariate(1.0)))]

    def _free_extra(self, truck: Truck, plan: Iterable[Slot]) -> Slot:
        return truck.id, 1 + max((number for name, number in plan if name == truck.id), default=0)

    def _put(self, plan: Plan, slot: Slot, item: Item, count: int) -> int:
        """Add as many of an item as seem to fit; positions are determined later."""
        cargo = plan[slot].cargo if slot in plan else Counter[Item]()
        put = min(count, self._fitting(self._trucks[slot[0]], cargo, item))
        if put:
            grown = cargo.copy()
            grown[item] += put
            plan[slot] = _Load(grown, None)
        return put

    def _fitting(self, truck: Truck, cargo: Counter[Item], item: Item) -> int:
        """Return how many of an item fit by weight and by the floor of their stacks."""
        room = int(FLOOR_SHARE * truck.inner[0] * truck.inner[1])
        groups: dict[tuple[object, ...], list[tuple[Item, int]]] = {}
        for each, count in cargo.items():
            groups.setdefault(_group(each), []).append((each, count))
        mine = groups.pop(_group(item), [])
        room -= sum(_least_floor(truck, group) for group in groups.values())
        low, high = 0, (truck.payload_g - sum(each.weight_g * n for each, n in cargo.items())) // item.weight_g
        high = min(high, item.count)
        while low < high:
            tried = (low + high + 1) // 2
            if _least_floor(truck, [*mine, (item, tried)]) <= room:
                low = tried
            else:
                high = tried - 1
        return low

    def _arranged(self, truck: Truck, cargo: Counter[Item]) -> Stacks | None:
        key = (truck.id, frozenset((item.id, count) for item, count in cargo.items()))
        if key not in self._known:
            self._known[key] = arrange(truck, cargo, self._stacks)
        return self._known[key]

    def _price(self, slot: Slot) -> float:
        return float(self._trucks[slot[0]].cost * (self._extra if slot[1] else 1))

    def _cost_of(self, slot: Slot, cargo: Counter[Item]) -> float:
        return self._price(slot) + sum(count * _kept_cost(item, self._trucks[slot[0]]) for item, count in cargo.items())


def _group(item: Item) -> tuple[object, ...]:
    return item.route, item.code, item.size[:2], item.forced


def _least_floor(truck: Truck, items: Sequence[tuple[Item, int]]) -> int:
    """Return the minimum floor area of stacks of similar items."""
    one = items[0][0]
    base = one.size[0] * one.size[1]
    count = sum(n for _, n in items)
    weight = sum(item.weight_g * n for item, n in items)
    high = sum((item.size[2] - item.nesting_mm) * n for item, n in items)
    heaviest = max(item.weight_g for item, _ in items)
    bears = max(truck.bearing_g[item.route, item.product] for item, _ in items)
    stacks = max(
        -(-count // one.most_stacked),
        -(-high // (truck.inner[2] - one.nesting_mm)),
        -(-weight * SQUARE_METRE // (truck.most_g_per_m2 * base)),
        -(-weight // (bears + heaviest)),
    )
    return stacks * base


def _kept_cost(item: Item, truck: Truck) -> int:
    """Return the inventory cost of an item that arrives with a truck."""
    return item.inventory_cost * (item.latest.date() - truck.arrival.date()).days
