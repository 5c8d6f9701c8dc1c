"""Pieces, spaces and plans to try loading with."""

from random import Random
from typing import Any

from haulier.solvers.loading.plan import LoadedPiece, LoadingPlan
from haulier.solvers.loading.problem import (
    Axle,
    Axles,
    Balance,
    DoorSide,
    LoadingProblem,
    LoadPiece,
    LoadSpace,
)
from haulier.solvers.packing.problem import UPRIGHT_TURNS, Turn

DOORS = ((DoorSide.REAR,), (DoorSide.REAR, DoorSide.RIGHT), (), tuple(DoorSide), (DoorSide.LEFT,))


def make_piece(name: str, x: int, y: int, z: int, **rules: Any) -> LoadPiece:
    """A piece that lies as it is said, so that tests name its place by numbers."""
    words: dict[str, Any] = {"turns": (Turn.LWH,), "weight_g": 10, **rules}
    return LoadPiece(id=name, size=(x, y, z), **words)


def make_space(x: int = 10, y: int = 4, z: int = 4, **rules: Any) -> LoadSpace:
    """A space with a door at its rear."""
    return LoadSpace(id="van", inner=(x, y, z), payload_g=1_000, **rules)


def make_load(*pieces: LoadPiece, space: LoadSpace | None = None, **rules: Any) -> LoadingProblem:
    """A problem with one space."""
    return LoadingProblem(pieces=pieces, spaces=(space or make_space(),), **rules)


def make_plan(*places: tuple[str, int, int, int]) -> LoadingPlan:
    """A plan that loads pieces in this order, at these places."""
    placements = tuple(LoadedPiece(piece=name, space=0, x=x, y=y, z=z) for name, x, y, z in places)
    return LoadingPlan(spaces=("van",), placements=placements)


def any_problem(seed: int) -> LoadingProblem:
    """A problem in which every rule can matter."""
    random = Random(seed)
    stops = random.randint(1, 5)
    kinds = [_any_kind(random, number, stops) for number in range(random.randint(1, 14))]
    spaces = tuple(_any_space(random, number) for number in range(random.randint(1, 2)))
    return LoadingProblem(
        pieces=tuple(piece for kind in kinds for piece in kind),
        spaces=spaces,
        support_percent=random.choice((75, 100, 0, 50)),
        apart=(("food", "acid"),),
    )


def _any_kind(random: Random, number: int, stops: int) -> list[LoadPiece]:
    rules: dict[str, Any] = {
        "size": tuple(random.randint(2, 12) * 100 for _ in range(3)),
        "weight_g": random.randint(0, 300) * 1000,
        "turns": random.choice((UPRIGHT_TURNS, tuple(Turn))),
        "bears_g": random.choice((None, None, 0, 50_000, 300_000)),
        "layers_above": random.choice((None, None, 0, 1, 2)),
        "stack_group": random.choice((0, 0, 0, 1, 2)),
        "floor_only": random.random() < 0.1,
        "top_only": random.random() < 0.1,
        "together": random.choice((*[None] * 8, "a", "b")),
        "goods": random.choice((None, None, "food", "acid")),
        "mandatory": random.random() < 0.7,
        "priority": random.randint(0, 5),
    }
    pieces = range(random.randint(1, 5))
    return [LoadPiece(id=f"{number}-{piece}", stop=random.randint(1, stops), **rules) for piece in pieces]


def _any_space(random: Random, number: int) -> LoadSpace:
    length, width, height = (random.randint(20, 60) * 100, random.randint(15, 25) * 100, random.randint(15, 27) * 100)
    rear = Axle(position_mm=length * 3 // 4, limit_g=5_000_000, tare_g=1_000_000)
    truck = Axles(front=Axle(position_mm=-500, limit_g=4_000_000, tare_g=1_500_000, least_g=1_000_000), rear=rear)
    tractor = (
        Axle(position_mm=-3000, limit_g=7_000_000, tare_g=5_000_000),
        Axle(position_mm=600, limit_g=8_000_000, tare_g=2_000_000),
    )
    trailer = Axles(front=Axle(position_mm=800, limit_g=3_000_000, tare_g=1_000_000), rear=rear, tractor=tractor)
    middle = Balance(x_from=length // 4, x_to=3 * length // 4, y_from=width // 3, y_to=2 * width // 3)
    return LoadSpace(
        id=f"space-{number}",
        inner=(length, width, height),
        payload_g=random.randint(1, 9) * 1_000_000,
        cost_cents=random.randint(0, 100),
        stock=random.randint(1, 2),
        doors=random.choice(DOORS),
        obstacles=random.choice(((), ((length // 2, 0, 0, length // 2 + 500, 200, 300),))),
        axles=random.choice((None, truck, trailer)),
        balance=random.choice((None, middle)),
        fill_cap_percent=random.choice((100, 100, 60)),
    )
