"""Valid plans for published instances with special rules: Alonso and ROADEF 2022."""

from fractions import Fraction

import pytest
from bench.roadef import Calendar, plan_trucks
from bench.roadef_exchange import TruckExchange
from bench.roadef_instances import Instance, read_instance
from bench.roadef_rules import LoadedTruck, PlacedStack, Stack, broken_rules, costs, stack_faults
from bench.roadef_stacks import by_engine, check_by_ours
from bench.truck_instances import days_of, truck_problem
from bench.trucks import check_pallet
from msgspec.structs import replace
from tests.support.shared import shared

from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.engine import LoadingEngine
from haulier.solvers.packing.budget import PackingBudget


@pytest.mark.parametrize("name", ["alonso_2019/inst3d1.csv", "alonso_2020/inst3d_0.csv"])
def test_layers_are_loaded_on_pallets_and_pallets_in_two_axle_trucks(name: str) -> None:
    for order, pallets in days_of(shared(f"instances/packing/{name}")):
        for pallet in pallets[:5]:
            check_pallet(order, pallet)
        problem = truck_problem(order, pallets, 9)
        plan = LoadingEngine().solve(problem, budget=PackingBudget(steps=50))
        assert plan.left_over == ()
        assert check_loading_plan(problem, plan) == []


@pytest.fixture(scope="module")
def instance() -> Instance:
    return read_instance(shared("instances/packing/roadef2022/X-PA"))


@pytest.fixture(scope="module")
def trucks(instance: Instance) -> list[LoadedTruck]:
    return list(plan_trucks(instance, Calendar(instance), Fraction(1)))


def test_supplier_items_are_stacked_and_loaded_without_breaking_rules(
    instance: Instance, trucks: list[LoadedTruck]
) -> None:
    assert list(broken_rules(instance, trucks)) == []
    assert [fault for each in trucks for fault in check_by_ours(each.truck, each.stacks)] == []
    stacks = [placed.stack for each in trucks for placed in each.stacks]
    assert max(len(stack.items) for stack in stacks) > 1
    nested = next(stack for stack in stacks if len(stack.items) > 1)
    assert nested.height < sum(item.size[2] for item in nested.items)


def test_the_built_in_search_places_stacks_in_supplier_order(trucks: list[LoadedTruck]) -> None:
    light = min(trucks, key=lambda each: sum(placed.stack.weight_g for placed in each.stacks))
    placed = by_engine(light.truck, [each.stack for each in light.stacks], steps=20)
    assert placed is not None
    assert check_by_ours(light.truck, placed) == []


def test_exchanging_cargo_reduces_cost_reproducibly_without_breaking_rules(
    instance: Instance, trucks: list[LoadedTruck]
) -> None:
    cheaper = TruckExchange(instance, trucks, seed=1).improve(rounds=60)
    assert list(broken_rules(instance, cheaper)) == []
    assert sum(costs(instance, cheaper)) < sum(costs(instance, trucks))
    assert TruckExchange(instance, trucks, seed=1).improve(rounds=60) == cheaper
    assert TruckExchange(instance, trucks).improve(rounds=0) == trucks


def test_each_rule_of_the_challenge_is_named_when_it_is_broken(instance: Instance, trucks: list[LoadedTruck]) -> None:
    first, *rest = trucks

    def said(*stacks: PlacedStack) -> str:
        return " / ".join(broken_rules(instance, [replace(first, stacks=stacks), *rest]))

    one, *others = first.stacks
    assert f"of {one.stack.items[0].count} are loaded" in said(*others)
    assert "is outside" in said(replace(one, x=first.truck.inner[0]), *others)
    assert "has another size" in said(replace(one, along=one.along - 1), *others)
    assert "touches nothing before it" in said(*others, replace(one, x=first.truck.inner[0] - one.along - 1))
    assert "overlap" in said(*first.stacks, one)
    assert "is used more than once" in " / ".join(broken_rules(instance, [first, *trucks]))
    two = next(each for each in trucks if len({placed.stack.items[0].route for placed in each.stacks}) > 1)
    turned = tuple(replace(each, x=two.truck.inner[0] - each.x - each.along) for each in two.stacks)
    assert "stands before" in " / ".join(broken_rules(instance, [replace(two, stacks=turned)]))
    heavy = tuple(replace(each, x=0) for _ in range(4) for each in two.stacks)
    overloaded = " / ".join(broken_rules(instance, [replace(two, stacks=heavy)]))
    assert "is too heavy" in overloaded
    assert "the middle axle bears" in overloaded
    rear = tuple(replace(each, x=two.truck.inner[0] * 2) for _ in range(4) for each in two.stacks)
    assert "the rear axle bears" in " / ".join(broken_rules(instance, [replace(two, stacks=rear)]))


def test_each_rule_of_a_stack_is_named_when_it_is_broken(trucks: list[LoadedTruck]) -> None:
    truck = trucks[0].truck
    item = trucks[0].stacks[0].stack.items[0]

    def said(*items: object) -> str:
        return " / ".join(stack_faults(truck, Stack(items)))  # type: ignore[arg-type]

    assert said(item) == ""
    assert "is too high" in said(*[item] * 4)
    assert "is too heavy for its floor" in said(replace(item, weight_g=2_000_000))
    assert "is heavier above" in said(item, replace(item, weight_g=item.weight_g + 1))
    assert "has too many items" in said(item, replace(item, most_stacked=1))
    assert "bears too much" in said(*[replace(item, weight_g=60_000_000)] * 3)
    assert "is not stacked upon" in said(item, replace(item, code="another"))
    assert "is not as long and wide" in said(item, replace(item, size=(1, 1, 1)))
    assert "not in its time" in said(replace(item, earliest=item.latest.replace(year=2030)))
