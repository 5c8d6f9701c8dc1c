"""Stacking of `roadef2022` items, and arrangement of stacks in trucks.

Stacks stand in rows from the front wall in loading order, each against the wall or another stack.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from bench.roadef_instances import Item, Truck
from bench.roadef_rules import SQUARE_METRE, PlacedStack, Stack, stack_faults, weight_faults
from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.engine import LoadingEngine
from haulier.solvers.loading.plan import LoadedPiece, LoadingPlan
from haulier.solvers.loading.problem import Axle, Axles, LoadingProblem, LoadPiece, LoadSpace
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.problem import UPRIGHT_TURNS, Turn

NO_LIMIT = 10**9
TURNS = {"lengthwise": (Turn.LWH,), "widthwise": (Turn.WLH,), "none": UPRIGHT_TURNS}
Cargo = Mapping[Item, int]
"""Number of each item."""
Group = tuple[object, ...]
KnownStacks = dict[Group, tuple[Stack, ...]]
"""Stacks by truck, height and items, reused between cargoes."""


def arrange(truck: Truck, cargo: Cargo, known: KnownStacks | None = None) -> tuple[PlacedStack, ...] | None:
    """Arrange a cargo in a truck by the rules of the instances; None if not found.

    Low stacks are tried first because they spread the weight. If the floor is too short, stacks become higher: those of
    the last supplier first, all at once, or those of the first supplier first.
    """
    if sum(item.weight_g * count for item, count in cargo.items()) > truck.payload_g:
        return None
    suppliers = sorted({truck.orders[item.route][0] for item in cargo}, reverse=True)
    ways = ([suppliers], [[one] for one in suppliers], [[one] for one in reversed(suppliers)])
    for way in ways if len(suppliers) > 1 else ways[:1]:
        for by_size in (False, True):
            if (found := _arrange_by(truck, cargo, way, by_size, {} if known is None else known)) is not None:
                return found
    return None


def _arrange_by(
    truck: Truck, cargo: Cargo, way: Sequence[Sequence[int]], by_size: bool, known: KnownStacks
) -> tuple[PlacedStack, ...] | None:
    most = {supplier: 1 for each in way for supplier in each}
    for raised in way:
        while True:
            stacks = list(_stacked(truck, cargo, most, known))
            area = sum(stack.items[0].size[0] * stack.items[0].size[1] for stack in stacks)
            if area <= truck.inner[0] * truck.inner[1]:
                placed = _in_rows(truck, sorted(stacks, key=_front_first(truck, by_size)))
                if placed is not None:
                    wrong = any(fault for each in placed for fault in stack_faults(truck, each.stack))
                    return None if wrong or any(weight_faults(truck, placed)) else placed
            before = len(stacks)
            for supplier in raised:
                most[supplier] += 1
            if len(list(_stacked(truck, cargo, most, known))) == before and most[raised[0]] > 3:
                break
    return None


def _front_first(truck: Truck, by_size: bool) -> Callable[[Stack], tuple[object, ...]]:
    """Return a sort key: loading order, then weight per floor area, light first."""

    def place(stack: Stack) -> tuple[object, ...]:
        length, width, _ = stack.items[0].size
        light = (Fraction(stack.weight_g, length * width), stack.items[0].id)
        return (truck.orders[stack.items[0].route], *((length, width, *light) if by_size else (*light, length, width)))

    return place


def _stacked(truck: Truck, cargo: Cargo, most: Mapping[int, int], known: KnownStacks) -> Iterator[Stack]:
    """Yield the fewest stacks within the height limits, of similar weight."""
    groups: dict[Group, list[tuple[Item, int]]] = defaultdict(list)
    for item, count in cargo.items():
        groups[(item.route, item.code, item.size[:2], item.forced)].append((item, count))
    for items in groups.values():
        items.sort(key=lambda each: (-each[0].weight_g, each[0].id))
        high = min(most[truck.orders[items[0][0].route][0]], items[0][0].most_stacked)
        key = (truck.id, high, *((item.id, count) for item, count in items))
        if key not in known:
            known[key] = _fewest_stacks(truck, [item for item, count in items for _ in range(count)], high)
        yield from known[key]


def _fewest_stacks(truck: Truck, items: Sequence[Item], high: int) -> tuple[Stack, ...]:
    number = -(-len(items) // high)
    while True:
        stacks = tuple(Stack(tuple(items[at::number])) for at in range(number))
        if number == len(items) or not any(fault for stack in stacks for fault in stack_faults(truck, stack)):
            return stacks
        number += 1


def _in_rows(truck: Truck, stacks: Sequence[Stack]) -> tuple[PlacedStack, ...] | None:
    """Place each stack as far to the front as possible, but not before earlier loads."""
    placed: list[PlacedStack] = []
    begun: dict[tuple[int, int, int], int] = {}
    for stack in stacks:
        rank = truck.orders[stack.items[0].route]
        least = max((x for other, x in begun.items() if other < rank), default=0)
        ways = [way for way in _ways(truck, stack, placed) if way.x >= least]
        if not ways:
            return None
        best = min(ways, key=lambda way: (way.x + way.along, way.x, way.y))
        begun[rank] = max(begun.get(rank, 0), best.x)
        placed.append(best)
    return tuple(placed)


def _ways(truck: Truck, stack: Stack, placed: Sequence[PlacedStack]) -> Iterator[PlacedStack]:
    length, width, _ = truck.inner
    long, wide, _ = stack.items[0].size
    for turn in TURNS[stack.items[0].forced]:
        along, across = (long, wide) if turn is Turn.LWH else (wide, long)
        sides = {0, width - across, *(each.y + each.across for each in placed), *(each.y - across for each in placed)}
        for y in sorted(sides):
            beside = [each for each in placed if each.y < y + across and y < each.y + each.across]
            x = max((each.x + each.along for each in beside), default=0)
            if 0 <= y <= width - across and x + along <= length:
                yield PlacedStack(stack, x, y, along, across)


def by_engine(truck: Truck, stacks: Sequence[Stack], steps: int) -> tuple[PlacedStack, ...] | None:
    """Arrange stacks with the loading search, moved to the front; None if invalid."""
    problem = _truck_problem(truck, stacks)
    plan = LoadingEngine().solve(problem, budget=PackingBudget(steps=steps))
    if broken := check_loading_plan(problem, plan):
        raise RuntimeError(f"{truck.id}: {broken[:3]}")
    if plan.left_over:
        return None
    placed: list[PlacedStack] = []
    for place in sorted(
        plan.placements, key=lambda each: (truck.orders[stacks[int(each.piece)].items[0].route], each.x, each.y)
    ):
        stack = stacks[int(place.piece)]
        long, wide, _ = stack.items[0].size
        along, across = (long, wide) if place.turn is Turn.LWH else (wide, long)
        beside = [each for each in placed if each.y < place.y + across and place.y < each.y + each.across]
        x = max((each.x + each.along for each in beside), default=0)
        placed.append(PlacedStack(stack, x, place.y, along, across))
    begun = [(truck.orders[each.stack.items[0].route], each.x) for each in placed]
    mixed = any(rank < other and x > other_x for rank, x in begun for other, other_x in begun)
    too_long = any(each.x + each.along > truck.inner[0] for each in placed)
    return None if mixed or too_long or any(weight_faults(truck, placed)) else tuple(placed)


def check_by_ours(truck: Truck, placed: Sequence[PlacedStack]) -> list[str]:
    """Return the broken rules of a truck and its stacks by the checker of Haulier."""
    stacks = [each.stack for each in placed]
    in_order = sorted(range(len(placed)), key=lambda at: (placed[at].x, placed[at].y))
    places = tuple(
        LoadedPiece(
            piece=str(at),
            space=0,
            x=placed[at].x,
            y=placed[at].y,
            z=0,
            turn=Turn.LWH if placed[at].along == stacks[at].items[0].size[0] else Turn.WLH,
        )
        for at in in_order
    )
    broken = check_loading_plan(_truck_problem(truck, stacks), LoadingPlan(spaces=("truck",), placements=places))
    for stack in stacks:
        broken += check_loading_plan(*_stack_alone(truck, stack))
    return [f"{truck.id}: {each.rule} {each.pieces}" for each in broken]


def _truck_problem(truck: Truck, stacks: Sequence[Stack]) -> LoadingProblem:
    """Return stacks as pieces on the floor of a truck.

    Pieces loaded first leave last, so axles are checked as during loading.
    """
    ranks = sorted({truck.orders[stack.items[0].route] for stack in stacks}, reverse=True)
    pieces = tuple(
        LoadPiece(
            id=str(number),
            size=(*stack.items[0].size[:2], stack.height),
            weight_g=stack.weight_g,
            turns=TURNS[stack.items[0].forced],
            stop=ranks.index(truck.orders[stack.items[0].route]),
            floor_only=True,
        )
        for number, stack in enumerate(stacks)
    )
    space = LoadSpace(id="truck", inner=truck.inner, payload_g=truck.payload_g, axles=_axles(truck))
    return LoadingProblem(pieces=pieces, spaces=(space,))


def _axles(truck: Truck) -> Axles:
    """Return a king pin shared by the tractor axles and a rear axle, tares rounded up."""
    tractor = truck.tractor
    on_pin = -(-tractor.trailer_g * tractor.trailer_centre // tractor.base)
    on_rear = -(-tractor.trailer_g * (tractor.base - tractor.trailer_centre) // tractor.base)
    first = tractor.overhang - tractor.king_pin
    on_middle = -(-tractor.tractor_g * tractor.centre // tractor.axles_apart)
    middle = Axle(position_mm=first + tractor.axles_apart, limit_g=tractor.middle_limit_g, tare_g=on_middle)
    return Axles(
        front=Axle(position_mm=tractor.overhang, limit_g=NO_LIMIT, tare_g=on_pin),
        rear=Axle(position_mm=tractor.overhang + tractor.base, limit_g=tractor.rear_limit_g, tare_g=on_rear),
        tractor=(Axle(position_mm=first, limit_g=NO_LIMIT), middle),
    )


def _stack_alone(truck: Truck, stack: Stack) -> tuple[LoadingProblem, LoadingPlan]:
    """Return a stack as a space; nested items have their visible height."""
    length, width, _ = stack.items[0].size
    bears = truck.bearing_g[(stack.items[0].route, stack.items[0].product)]
    pieces: list[LoadPiece] = []
    places: list[LoadedPiece] = []
    z = 0
    for number, item in enumerate(stack.items):
        high = item.size[2] - (item.nesting_mm if number else 0)
        pieces.append(
            LoadPiece(
                id=str(number),
                size=(*item.size[:2], high),
                weight_g=item.weight_g,
                turns=(Turn.LWH,),
                bears_g=None if number else bears,
                layers_above=item.most_stacked - 1,
            )
        )
        places.append(LoadedPiece(piece=str(number), space=0, x=0, y=0, z=z))
        z += high
    payload = truck.most_g_per_m2 * length * width // SQUARE_METRE
    space = LoadSpace(id="stack", inner=(length, width, truck.inner[2]), payload_g=payload, doors=())
    problem = LoadingProblem(pieces=tuple(pieces), spaces=(space,), support_percent=100)
    return problem, LoadingPlan(spaces=("stack",), placements=tuple(places))
