"""The instances of `alonso_2019` and `alonso_2020`: pallets in two-axle trucks.

Layers are stacked on pallets by the rules of the files: higher stacking groups below, top-only layers on top, and no
more layers of a kind than allowed. A pallet is then one piece on the floor.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from haulier.solvers.loading.problem import Axle, Axles, LoadingProblem, LoadPiece, LoadSpace
from haulier.solvers.packing.problem import UPRIGHT_TURNS, Turn

DAYS = 3
ONE_DAY_WORDS = 14
"""Words in the line of a product that is delivered on one day, as in `alonso_2019`."""


class Layer(Struct, frozen=True):
    """One layer of products; lengths in millimetres and grams, rounded up."""

    id: str
    size: tuple[int, int, int]
    weight_g: int
    group: int
    on_top: bool
    at_bottom: bool
    most_piled: int


class PalletOrder(Struct, frozen=True):
    """Content of an instance file."""

    layers: tuple[tuple[Layer, ...], ...]
    """By day."""
    pallet: tuple[int, int, int]
    pallet_g: int
    truck: LoadSpace


def read_order(path: Path) -> PalletOrder:
    """Read a file: products, layers, one kind of pallet, one kind of truck."""
    blocks: list[list[list[str]]] = []
    for line in path.read_text().splitlines():
        words = line.split()
        if words and words[0].startswith("#"):
            blocks.append([])
        elif words:
            blocks[-1].append(words)
    products, layers, pallets, trucks = blocks
    kinds = {words[0]: words for words in layers}
    days: list[list[Layer]] = [[] for _ in range(DAYS)]
    for words in products:
        kind = kinds[words[-1]]
        for day, wanted in _deliveries(words):
            for number in range(-(-wanted // int(kind[6]))):
                days[day].append(_layer(f"{words[0]}-{number}", words, kind))
    _, width, length, height, weight = pallets[0][:5]
    return PalletOrder(
        tuple(map(tuple, days)), (_up(length), _up(width), _up(height)), _grams(weight), _truck(trucks[0])
    )


def _deliveries(product: Sequence[str]) -> list[tuple[int, int]]:
    """Return the delivery days of a product and the quantity of each.

    A line holds a day and a number, or three numbers for each day.
    """
    if len(product) == ONE_DAY_WORDS:
        return [(int(product[1]), int(product[2]))]
    return [(day, sum(map(int, product[5 + 3 * day : 8 + 3 * day]))) for day in range(DAYS)]


def _layer(name: str, product: Sequence[str], kind: Sequence[str]) -> Layer:
    size = (_up(kind[2]), _up(kind[1]), _up(kind[3]))
    on_top, at_bottom = product[-3] == "1", product[-2] == "1"
    return Layer(name, size, _grams(kind[4]), int(product[-4]), on_top, at_bottom, int(kind[7]))


def _truck(words: Sequence[str]) -> LoadSpace:
    width, length, height, payload, first, last, first_kg, last_kg = words[1:9]
    front = Axle(position_mm=int(float(first)), limit_g=_grams(first_kg))
    rear = Axle(position_mm=int(float(last)), limit_g=_grams(last_kg))
    inner = (int(float(length)), int(float(width)), int(float(height)))
    return LoadSpace(id="truck", inner=inner, payload_g=_grams(payload), axles=Axles(front=front, rear=rear))


def _up(millimetres: str) -> int:
    return -int(-float(millimetres) // 1)


def _grams(kilograms: str) -> int:
    return round(float(kilograms) * 1000)


def pallets_of(order: PalletOrder, day: int) -> list[tuple[Layer, ...]]:
    """Return the layers of each pallet from the bottom, by first fit.

    Layers that belong below are placed first.
    """
    most_high = order.truck.inner[2] - order.pallet[2]
    waiting = sorted(
        order.layers[day],
        key=lambda layer: (layer.on_top, not layer.at_bottom, -layer.group, -layer.weight_g, layer.id),
    )
    pallets: list[list[Layer]] = []
    for layer in waiting:
        for held in pallets:
            alike = sum(other.id.split("-")[0] == layer.id.split("-")[0] for other in held)
            high = sum(other.size[2] for other in held) + layer.size[2]
            may_lie = not held[-1].on_top and not layer.at_bottom and layer.group <= held[-1].group
            if high <= most_high and alike < layer.most_piled and may_lie:
                held.append(layer)
                break
        else:
            pallets.append([layer])
    return [tuple(each) for each in pallets]


def pallet_problem(order: PalletOrder, pallet: Sequence[Layer]) -> LoadingProblem:
    """Return a pallet as a space, so that the checker can verify its layers."""
    pieces = tuple(
        LoadPiece(
            id=layer.id,
            size=layer.size,
            weight_g=layer.weight_g,
            turns=(Turn.LWH,),
            stack_group=layer.group,
            top_only=layer.on_top,
            floor_only=layer.at_bottom,
        )
        for layer in pallet
    )
    length, width = (max(order.pallet[axis], *(layer.size[axis] for layer in pallet)) for axis in (0, 1))
    inner = (length, width, order.truck.inner[2] - order.pallet[2])
    return LoadingProblem(pieces=pieces, spaces=(LoadSpace(id="pallet", inner=inner, payload_g=10**8, doors=()),))


def truck_problem(order: PalletOrder, pallets: Sequence[Sequence[Layer]], trucks: int) -> LoadingProblem:
    """Return the pallets of a day and a number of trucks of equal cost."""
    pieces = tuple(_pallet_piece(order, number, pallet) for number, pallet in enumerate(pallets))
    truck = LoadSpace(
        id="truck",
        inner=order.truck.inner,
        payload_g=order.truck.payload_g,
        axles=order.truck.axles,
        stock=trucks,
        cost_cents=1,
    )
    return LoadingProblem(pieces=pieces, spaces=(truck,))


def _pallet_piece(order: PalletOrder, number: int, pallet: Sequence[Layer]) -> LoadPiece:
    length, width = (max(order.pallet[axis], *(layer.size[axis] for layer in pallet)) for axis in (0, 1))
    height = order.pallet[2] + sum(layer.size[2] for layer in pallet)
    weight = order.pallet_g + sum(layer.weight_g for layer in pallet)
    size = (length, width, height)
    return LoadPiece(id=f"pallet{number}", size=size, weight_g=weight, turns=UPRIGHT_TURNS, floor_only=True)


def least_trucks(order: PalletOrder, pallets: Sequence[Sequence[Layer]]) -> int:
    """Return a lower bound of the number of trucks by weight, axle limits and floor."""
    weight = sum(order.pallet_g + sum(layer.weight_g for layer in pallet) for pallet in pallets)
    axles = order.truck.axles
    borne = order.truck.payload_g if axles is None else axles.front.limit_g + axles.rear.limit_g
    area = sum(order.pallet[0] * order.pallet[1] for _ in pallets)
    floor = order.truck.inner[0] * order.truck.inner[1]
    return max(-(-weight // min(order.truck.payload_g, borne)), -(-area // floor))


def days_of(path: Path) -> Iterator[tuple[PalletOrder, list[tuple[Layer, ...]]]]:
    """Yield the delivery days of a file with their pallets."""
    order = read_order(path)
    for day in range(DAYS):
        if order.layers[day]:
            yield order, pallets_of(order, day)
