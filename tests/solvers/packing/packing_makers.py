"""Packing problems and plans that tests use."""

from typing import Any

from haulier.solvers.packing.plan import PackingPlan, PiecePlace, ProofState
from haulier.solvers.packing.problem import CartonKind, PackingPiece, PackingProblem

CUBE = (100, 100, 100)


def carton(id: str = "S", inner: tuple[int, int, int] = (200, 200, 200), **values: Any) -> CartonKind:
    """A kind of carton without walls."""
    return CartonKind(id=id, inner=inner, **{"outer": inner, "payload_g": 10_000, "cost_cents": 100, **values})


def pieces(*sizes: tuple[int, int, int], **values: Any) -> tuple[PackingPiece, ...]:
    """Pieces `p0`, `p1`, … of these sizes."""
    return tuple(PackingPiece(id=f"p{i}", size=size, **{"weight_g": 100, **values}) for i, size in enumerate(sizes))


def problem(*sizes: tuple[int, int, int], **values: Any) -> PackingProblem:
    """Pieces of these sizes and one kind of carton, unless `cartons` says otherwise."""
    return PackingProblem(pieces=values.pop("pieces", pieces(*sizes)), **{"cartons": (carton(),), **values})


def plan_of(*places: PiecePlace, cartons: tuple[str, ...] = ("S",)) -> PackingPlan:
    """A plan that claims nothing of its objective."""
    return PackingPlan(cartons=cartons, placements=places, state=ProofState.BEST_FOUND)


def at(piece: str, x: int, y: int, z: int, **values: Any) -> PiecePlace:
    """Where a piece lies, in the first carton."""
    return PiecePlace(piece=piece, x=x, y=y, z=z, **{"carton": 0, **values})
