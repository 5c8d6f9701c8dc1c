"""Truck loading by the ROADEF 2022 challenge: `python -m bench.roadef`.

Trucks are considered from the last to arrive to the first. One is used if an item has no earlier truck, or if keeping
items longer costs more than a share of the truck; items without another truck that do not fit use an extra one. Several
shares are tried. The cheapest plan is then improved by moving cargo between trucks (`bench/roadef_exchange.py`). Each
truck is checked by the checker of Haulier and, with the whole plan, by the rules as the challenge states them.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path
from time import process_time

from tests.support.shared import ROOT

from bench.roadef_exchange import TruckExchange
from bench.roadef_instances import Instance, Item, Truck, read_instance
from bench.roadef_rules import LoadedTruck, PlacedStack, broken_rules, costs
from bench.roadef_stacks import KnownStacks, arrange, by_engine, check_by_ours

FOLDER = ROOT / "instances/packing/roadef2022"
NAMES = ("X-PA", "X-VA4", "C-PO", "X-CC")
THRESHOLDS = tuple(Fraction(share, 4) for share in (1, 2, 3, 4, 6))
Stacks = tuple[PlacedStack, ...]
MISSES = 10
"""Number of consecutive kinds of items that do not fit after which a truck is full."""


class Calendar:
    """Days between each truck and the previous one, for each item."""

    def __init__(self, instance: Instance) -> None:
        self.trucks = sorted(instance.trucks, key=lambda truck: (truck.arrival, truck.id), reverse=True)
        """Last to arrive first."""
        self.stacks: KnownStacks = {}
        self._sooner: dict[tuple[Item, str], int | None] = {}
        for item in instance.items:
            takers = [truck for truck in self.trucks if truck.takes(item)]
            if not takers:
                raise ValueError(f"no truck fetches {item.id}")
            for truck, before in zip_longest(takers, takers[1:]):
                days = before and (truck.arrival.date() - before.arrival.date()).days
                self._sooner[item, truck.id] = days

    def lost(self, item: Item, truck: Truck) -> int | None:
        """Return the extra cost of an item in the previous truck; None if there is none."""
        days = self._sooner[item, truck.id]
        return None if days is None else days * item.inventory_cost


def plan_trucks(instance: Instance, calendar: Calendar, threshold: Fraction) -> Iterator[LoadedTruck]:
    """Yield the used trucks with their stacks.

    A truck is used if an item has no earlier truck, or if waiting for the earlier ones costs more than a share of it.
    """
    left: Counter[Item] = Counter({item: item.count for item in instance.items})
    for truck in calendar.trucks:
        is_extra = False
        while True:
            wanted = [item for item in left if left[item] and truck.takes(item)]
            due = [item for item in wanted if calendar.lost(item, truck) is None]
            if not due and (is_extra or not wanted):
                break
            waiting = {item: lost for item in wanted if (lost := calendar.lost(item, truck)) is not None}
            order = sorted(waiting, key=lambda item: (-Fraction(waiting[item], item.weight_g), item.id))
            cargo, stacks = _fill(truck, left, (*due, *order), calendar.stacks)
            if not cargo:
                raise ValueError(f"{wanted[0].id} does not fit into {truck.id}")
            if not due and sum(waiting[item] * count for item, count in cargo.items()) < threshold * truck.cost:
                break
            left -= cargo
            yield LoadedTruck(truck, stacks, is_extra)
            is_extra = True


def _fill(
    truck: Truck, left: Mapping[Item, int], order: Sequence[Item], known: KnownStacks
) -> tuple[Counter[Item], Stacks]:
    """Load as many items as possible in order; return them with their positions."""
    cargo: Counter[Item] = Counter()
    stacks: Stacks = ()
    misses = 0
    for item in order:
        low, high, tried = 0, left[item], left[item]
        while low < high:
            found = arrange(truck, cargo | Counter({item: tried}), known)
            if found is None:
                high = tried - 1
            else:
                low, stacks = tried, found
            tried = (low + high + 1) // 2
        misses = 0 if low else misses + 1
        cargo += Counter({item: low})
        if misses > MISSES:
            break
    return cargo, stacks


def best_plan(instance: Instance) -> list[LoadedTruck]:
    """Return the cheapest of several plans."""
    calendar = Calendar(instance)
    plans = [list(plan_trucks(instance, calendar, threshold)) for threshold in THRESHOLDS]
    return min(plans, key=lambda plan: sum(costs(instance, plan)))


def line(folder: Path, steps: int, rounds: int) -> str:
    """Return the table row of an instance."""
    instance, began = read_instance(folder), process_time()
    trucks: list[LoadedTruck] = []
    searched = 0
    greedy = best_plan(instance)
    for each in TruckExchange(instance, greedy).improve(rounds) if rounds else greedy:
        found = by_engine(each.truck, [placed.stack for placed in each.stacks], steps) if steps else None
        searched += found is not None
        trucks.append(LoadedTruck(each.truck, found or each.stacks, each.is_extra))
    used = process_time() - began
    broken = [*broken_rules(instance, trucks)]
    for each in trucks:
        broken += check_by_ours(each.truck, each.stacks)
    if broken:
        raise RuntimeError(f"{folder.name}: {len(broken)} rules are broken: {broken[:3]}")
    transport, inventory = costs(instance, trucks)
    known = json.loads((FOLDER / "BKS.json").read_text())[folder.name]
    extra = sum(each.is_extra for each in trucks)
    objective = float(transport + inventory)
    above = 100 * (objective / known["objective"] - 1)
    sums = f"{len(trucks) - extra} + {extra} | {searched} | {float(transport):.0f} | {inventory} | {objective:.0f}"
    items = sum(item.count for item in instance.items)
    return f"| {folder.name} | {items} | {sums} | {known['objective']} | {above:+.1f} % | 0 | {used:.1f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300, help="of the search for each truck; 0 for rows alone")
    parser.add_argument("--rounds", type=int, default=4000, help="in which trucks give cargo to others; 0 for none")
    parser.add_argument("names", nargs="*", default=NAMES)
    given = parser.parse_args()
    head = "planned + extra trucks | by the search | transport | inventory | objective | best known | above"
    print(f"| instance | items | {head} | broken rules | processor s |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in given.names:
        print(line(FOLDER / name, given.steps, given.rounds), flush=True)


if __name__ == "__main__":
    main()
