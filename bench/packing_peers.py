"""Open-source packages that fill one container, compared in the same run.

Each result becomes a plan for the checker. The packages are not required elsewhere and only used if installed: `pip
install py3dbp packvium packer3d packingsolver3d`. Missing ones are listed.
"""

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.plan import LeftOver, LoadedPiece, LoadingPlan
from haulier.solvers.loading.problem import LoadingProblem, LoadPiece
from haulier.solvers.packing.problem import UPRIGHT_TURNS, Turn, turned_size, volume_of

PlacedPiece = tuple[str, tuple[int, int, int], tuple[int, int, int]]
"""Id, nearest corner and size of a piece."""


def by_py3dbp(problem: LoadingProblem, _: float) -> Iterator[PlacedPiece]:
    """Greedy, with every rotation, as it supports no restrictions."""
    from py3dbp import Bin, Item, Packer  # type: ignore[import-not-found]

    packer: Any = Packer()
    packer.add_bin(Bin("container", *problem.spaces[0].inner, problem.spaces[0].payload_g))
    for piece in problem.pieces:
        packer.add_item(Item(piece.id, *piece.size, piece.weight_g))
    packer.pack(bigger_first=True, number_of_decimals=0)
    for item in packer.bins[0].items:
        x, y, z = (int(each) for each in item.position)
        wide, deep, high = (int(each) for each in item.get_dimension())
        yield item.name, (x, y, z), (wide, deep, high)


def by_packvium(problem: LoadingProblem, seconds: float) -> Iterator[PlacedPiece]:
    """Quality profile, with every rotation."""
    from packvium import pack_from_dict  # type: ignore[import-not-found]

    support = {"minimum_support_ratio": problem.support_percent / 100} if problem.support_percent else {}
    length, width, height = problem.spaces[0].inner
    asked = {
        "configuration": {"solver_profile": "quality", "time_limit_ms": round(seconds * 1000), **support},
        "items": [
            {"id": piece.id, "quantity": 1, "dimensions": _named(*map(str, piece.size))} for piece in problem.pieces
        ],
        "containers": [{"id": "c", "quantity": 1, "inner_dimensions": _named(str(length), str(width), str(height))}],
    }
    answer: Any = pack_from_dict(asked)
    for container in (answer if isinstance(answer, dict) else answer.to_dict())["containers"]:
        for placed in container["placements"]:
            x, y, z = (int(placed["position"][axis]["value"]) for axis in "xyz")
            size = next(piece.size for piece in problem.pieces if piece.id == placed["item_type"])
            wide, deep, high = turned_size(size, Turn(placed["orientation"].lower()))
            yield placed["item_type"], (x, y, z), (wide, deep, high)


def _named(length: str, width: str, height: str) -> dict[str, str]:
    return {"length": length, "width": width, "height": height}


def by_packer3d(problem: LoadingProblem, seconds: float) -> Iterator[PlacedPiece]:
    """Upright pieces turned about the vertical, others freely; requires support."""
    from packer3d import Packer  # type: ignore[import-not-found]

    packer: Any = Packer()
    length, width, height = problem.spaces[0].inner
    packer.add_box(id="c", width=length, length=width, height=height, max_weight=10**6, quantity=1)
    for piece in problem.pieces:
        how = "any" if set(piece.turns) == set(Turn) else "flat"
        wide, deep, high = piece.size
        packer.add_item(id=piece.id, width=wide, length=deep, height=high, weight=0, quantity=1, rotation=how)
    rests = "full_base" if problem.support_percent == 100 else "stable" if problem.support_percent else "contact"
    packer.set_options(support_mode=rests, time_limit_ms=round(seconds * 1000))
    for bin in packer.pack()["bins"]:
        for item in bin["items"]:
            wide, deep, high = (round(item[edge]) for edge in ("width", "length", "height"))
            if item["angle"] % 180:
                wide, deep = deep, wide
            yield item["id"], (round(item["x"] - wide / 2), round(item["y"] - deep / 2), item["z"]), (wide, deep, high)


def by_packingsolver3d(problem: LoadingProblem, seconds: float) -> Iterator[PlacedPiece]:
    """The library with its recommended parameters; it does not support bases."""
    from haulier.solvers.packing.ports import FillKind, FillTask
    from haulier.solvers.packing.tree_search import TreeSearchFiller

    groups: dict[tuple[object, ...], list[LoadPiece]] = {}
    for piece in problem.pieces:
        groups.setdefault((piece.size, piece.turns), []).append(piece)
    kinds = tuple(
        FillKind(
            tuple(dict.fromkeys(turned_size(pieces[0].size, turn) for turn in pieces[0].turns)),
            len(pieces),
            volume_of(pieces[0].size),
            0,
        )
        for pieces in groups.values()
    )
    filled = TreeSearchFiller().fill(FillTask(problem.spaces[0].inner, 1, kinds, seconds, is_open_ended=True))
    waiting = [iter(pieces) for pieces in groups.values()]
    for kind, (x0, y0, z0, x1, y1, z1) in filled.placed:
        yield next(waiting[kind]).id, (x0, y0, z0), (x1 - x0, y1 - y0, z1 - z0)


PEERS: dict[str, Callable[[LoadingProblem, float], Iterator[PlacedPiece]]] = {
    "packingsolver3d": by_packingsolver3d,
    "packvium": by_packvium,
    "packer3d": by_packer3d,
    "py3dbp": by_py3dbp,
}
TURNS_ANYHOW = ("packvium", "py3dbp")
"""Packages that turn every piece freely; all other rules are checked."""


def installed_peers() -> list[str]:
    """Return the installed packages."""
    return [name for name in PEERS if importlib.util.find_spec(name)]


def fill_by(name: str, problem: LoadingProblem, seconds: float) -> tuple[float, str]:
    """Return the fill rate in percent of a package, and the broken rules, if any."""
    asked = problem
    if name in TURNS_ANYHOW:
        asked = replace(problem, pieces=tuple(replace(piece, turns=tuple(Turn)) for piece in problem.pieces))
    elif name == "packer3d":
        pieces = [p if set(p.turns) == set(Turn) else replace(p, turns=UPRIGHT_TURNS) for p in problem.pieces]
        asked = replace(problem, pieces=tuple(pieces))
    placed = list(PEERS[name](asked, seconds))
    broken = sorted({each.rule.value for each in check_loading_plan(asked, _plan_of(asked, placed))})
    sizes = {piece.id: piece.size for piece in problem.pieces}
    used = sum(volume_of(sizes[piece]) for piece, _, _ in placed)
    return 100 * used / volume_of(problem.spaces[0].inner), ", ".join(broken)


def _plan_of(problem: LoadingProblem, placed: Sequence[PlacedPiece]) -> LoadingPlan:
    pieces = {piece.id: piece for piece in problem.pieces}
    inside = {piece for piece, _, _ in placed}
    return LoadingPlan(
        spaces=(problem.spaces[0].id,) if placed else (),
        placements=tuple(
            LoadedPiece(piece=name, space=0, x=x, y=y, z=z, turn=_turn(pieces[name], extents))
            for name, (x, y, z), extents in placed
        ),
        left_over=tuple(LeftOver(piece.id) for piece in problem.pieces if piece.id not in inside),
    )


def _turn(piece: LoadPiece, extents: tuple[int, int, int]) -> Turn:
    """Return an orientation with this size, preferably an allowed one."""
    return next(turn for turn in (*piece.turns, *Turn) if turned_size(piece.size, turn) == extents)
