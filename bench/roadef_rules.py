"""Rules of the `roadef2022` instances as the challenge states them.

They use integers and fractions only and share no code with the engine or the checker of loading plans. Where the rule
of the challenge is more lenient, the stricter reading is checked: a stack has one plant dock, no item is heavier than
the one below, and axles are also weighed between docks of one supplier.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from msgspec import Struct

from bench.roadef_instances import Instance, Item, Truck

SQUARE_METRE = 1_000_000


class Stack(Struct, frozen=True):
    """Items on top of each other, from the bottom."""

    items: tuple[Item, ...]

    @property
    def weight_g(self) -> int:
        return sum(item.weight_g for item in self.items)

    @property
    def height(self) -> int:
        """Return the height; each item except the lowest is nested."""
        return sum(item.size[2] for item in self.items) - sum(item.nesting_mm for item in self.items[1:])


class PlacedStack(Struct, frozen=True):
    """A stack on the floor of a truck: its start and its length along the truck."""

    stack: Stack
    x: int
    y: int
    along: int
    across: int


class LoadedTruck(Struct, frozen=True):
    """A planned or extra truck with its stacks."""

    truck: Truck
    stacks: tuple[PlacedStack, ...]
    is_extra: bool = False


def broken_rules(instance: Instance, trucks: Sequence[LoadedTruck]) -> Iterator[str]:
    """Yield every broken rule of a plan as text."""
    loaded = Counter(item.id for each in trucks for placed in each.stacks for item in placed.stack.items)
    for item in instance.items:
        if loaded[item.id] != item.count:
            yield f"{item.id}: {loaded[item.id]} of {item.count} are loaded"
    planned = Counter(each.truck.id for each in trucks if not each.is_extra)
    yield from (f"{name}: is used more than once" for name, times in planned.items() if times > 1)
    for each in trucks:
        yield from (f"{each.truck.id}: {rule}" for rule in _broken_in(each))


def _broken_in(each: LoadedTruck) -> Iterator[str]:
    for placed in each.stacks:
        yield from stack_faults(each.truck, placed.stack)
    yield from _floor_faults(each)
    yield from _order_faults(each)
    yield from weight_faults(each.truck, each.stacks)


def stack_faults(truck: Truck, stack: Stack) -> Iterator[str]:
    """Yield the broken rules of a single stack."""
    bottom, above = stack.items[0], stack.items[1:]
    for item in stack.items:
        if not truck.takes(item):
            yield f"{item.id} is not fetched, or not in its time"
        if (item.route, item.code) != (bottom.route, bottom.code):
            yield f"{item.id} is not stacked upon {bottom.id}"
        if item.size[:2] != bottom.size[:2]:
            yield f"{item.id} is not as long and wide as {bottom.id}"
    if any(upper.weight_g > lower.weight_g for lower, upper in zip(stack.items, above, strict=False)):
        yield f"a stack upon {bottom.id} is heavier above"
    if len(stack.items) > min(item.most_stacked for item in stack.items):
        yield f"a stack upon {bottom.id} has too many items"
    if sum(item.weight_g for item in above) > truck.bearing_g.get((bottom.route, bottom.product), 0):
        yield f"{bottom.id} bears too much"
    if stack.weight_g * SQUARE_METRE > truck.most_g_per_m2 * bottom.size[0] * bottom.size[1]:
        yield f"a stack upon {bottom.id} is too heavy for its floor"
    if stack.height > truck.inner[2]:
        yield f"a stack upon {bottom.id} is too high"


def _floor_faults(each: LoadedTruck) -> Iterator[str]:
    """Check position, orientation, overlap and contact in front of each stack."""
    length, width, _ = each.truck.inner
    for at, placed in enumerate(each.stacks):
        bottom = placed.stack.items[0]
        if placed.x < 0 or placed.y < 0 or placed.x + placed.along > length or placed.y + placed.across > width:
            yield f"a stack upon {bottom.id} is outside"
        lengthwise = (placed.along, placed.across) == bottom.size[:2]
        if not lengthwise and (placed.across, placed.along) != bottom.size[:2]:
            yield f"a stack upon {bottom.id} has another size"
        for item in placed.stack.items:
            if (item.forced == "lengthwise" and placed.along != item.size[0]) or (
                item.forced == "widthwise" and placed.across != item.size[0]
            ):
                yield f"{item.id} is turned the wrong way"
        if placed.x and not any(
            other.x + other.along == placed.x and _beside(other, placed)
            for number, other in enumerate(each.stacks)
            if number != at
        ):
            yield f"a stack upon {bottom.id} touches nothing before it"
    for one, other in combinations(each.stacks, 2):
        if _beside(one, other) and one.x < other.x + other.along and other.x < one.x + one.along:
            yield f"stacks upon {one.stack.items[0].id} and {other.stack.items[0].id} overlap"


def _beside(one: PlacedStack, other: PlacedStack) -> bool:
    return one.y < other.y + other.across and other.y < one.y + one.across


def _order_faults(each: LoadedTruck) -> Iterator[str]:
    """Check that later loads never begin closer to the front.

    The order is by supplier, supplier dock and plant dock.
    """
    ranked = sorted((each.truck.orders.get(placed.stack.items[0].route, ()), placed.x) for placed in each.stacks)
    for (rank, x), (next_rank, next_x) in combinations(ranked, 2):
        if rank < next_rank and x > next_x:
            yield f"what is loaded as {next_rank} stands before {rank}"


def weight_faults(truck: Truck, stacks: Sequence[PlacedStack]) -> Iterator[str]:
    """Check the payload, and middle and rear axles after each supplier dock."""
    if sum(placed.stack.weight_g for placed in stacks) > truck.payload_g:
        yield "is too heavy"
    for stage in sorted({truck.orders[placed.stack.items[0].route] for placed in stacks}):
        aboard = [placed for placed in stacks if truck.orders[placed.stack.items[0].route] <= stage]
        middle, rear = axle_weights(truck, aboard)
        if middle > truck.tractor.middle_limit_g:
            yield f"the middle axle bears {float(middle):.0f} g after {stage}"
        if rear > truck.tractor.rear_limit_g:
            yield f"the rear axle bears {float(rear):.0f} g after {stage}"


def axle_weights(truck: Truck, stacks: Sequence[PlacedStack]) -> tuple[Fraction, Fraction]:
    """Return the weight on the middle axle and the rear axle, in grams."""
    tractor = truck.tractor
    weight = sum(placed.stack.weight_g for placed in stacks)
    twice_moment = sum(placed.stack.weight_g * (2 * placed.x + placed.along) for placed in stacks)
    to_rear = weight * (tractor.overhang + tractor.base) - Fraction(twice_moment, 2)
    on_king_pin = (to_rear + tractor.trailer_g * tractor.trailer_centre) / tractor.base
    middle = (tractor.tractor_g * tractor.centre + on_king_pin * tractor.king_pin) / tractor.axles_apart
    return middle, weight + tractor.trailer_g - on_king_pin


def costs(instance: Instance, trucks: Sequence[LoadedTruck]) -> tuple[Fraction, int]:
    """Return the transport cost, and the inventory cost of the plants."""
    extra = 1 + Fraction(instance.extra_cost)
    transport = Fraction(sum(each.truck.cost * (extra if each.is_extra else Fraction(1)) for each in trucks))
    inventory = sum(
        item.inventory_cost * (item.latest.date() - each.truck.arrival.date()).days
        for each in trucks
        for placed in each.stacks
        for item in placed.stack.items
    )
    return transport, inventory
