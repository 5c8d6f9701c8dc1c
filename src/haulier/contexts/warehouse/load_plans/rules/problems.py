"""From a question to the solver's problem, and its name; from somebody's placements to a plan."""

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from haulier.contexts.warehouse.load_plans.contract.plans import PieceToLoad, ProposedLoad
from haulier.contexts.warehouse.load_plans.contract.spaces import LoadSpaceTerms
from haulier.kernel.operations.errors import FieldError
from haulier.solvers.loading.plan import LeftOver, LoadedPiece, LoadingPlan, RepackedPiece
from haulier.solvers.loading.problem import LoadingProblem, LoadPiece
from haulier.solvers.packing.problem import UPRIGHT_TURNS, Turn


def pieces_to_load(line: PieceToLoad) -> list[LoadPiece]:
    """Equal pieces: one has the name itself, several have it with a number."""
    count = line.quantity
    names = [line.id] if count == 1 else [f"{line.id}#{number}" for number in range(1, count + 1)]
    return [
        LoadPiece(
            id=name,
            size=(line.length_mm, line.width_mm, line.height_mm),
            weight_g=line.weight_g,
            turns=UPRIGHT_TURNS if line.this_side_up else tuple(Turn),
            stop=line.stop,
            bears_g=0 if line.fragile else line.bears_g,
            layers_above=line.layers_above,
            stack_group=line.stack_group,
            floor_only=line.floor_only,
            top_only=line.top_only,
            together=line.together,
            goods=line.goods,
            mandatory=line.mandatory,
            priority=line.priority,
            method=line.method,
            nesting_mm=line.nesting_mm,
        )
        for name in names
    ]


def problem_hash(problem: LoadingProblem) -> str:
    """Names a problem: anything in it that changes gives another name."""
    return _digest(problem)


def load_digest(hash: str, plan: LoadingPlan) -> str:
    """Names a plan for a problem. The order of loading is a part of it, and what is repacked."""
    repacks = (plan.repacks,) if plan.repacks else ()
    return _digest((hash, plan.spaces, plan.placements, sorted(each.piece for each in plan.left_over), *repacks))


def _digest(document: object) -> str:
    return hashlib.sha256(msgspec.json.encode(document, order="deterministic")).hexdigest()


def proposed_load(proposed: ProposedLoad) -> LoadingPlan:
    """Somebody's plan as the checker reads it. It claims nothing of its objective."""
    return LoadingPlan(
        spaces=tuple(map(str, proposed.spaces)),
        placements=tuple(
            LoadedPiece(
                piece=place.piece, space=place.space - 1, x=place.x_mm, y=place.y_mm, z=place.z_mm, turn=place.turn
            )
            for place in proposed.placements
        ),
        left_over=tuple(LeftOver(piece) for piece in sorted(proposed.left_over)),
        repacks=tuple(
            RepackedPiece(stop=each.stop, piece=each.piece, x=each.x_mm, y=each.y_mm, z=each.z_mm, turn=each.turn)
            for each in proposed.repacks
        ),
    )


def space_faults(terms: LoadSpaceTerms) -> list[FieldError]:
    """What in a space contradicts itself: axles in the wrong order, obstacles outside, a reach through no door."""
    faults: list[FieldError] = []
    axles, balance = terms.axles, terms.balance
    if axles and axles.front.position_mm >= axles.rear.position_mm:
        faults.append(FieldError("axles.rear.position_mm", "field.axle_order"))
    if axles and axles.tractor and axles.tractor[0].position_mm >= axles.tractor[1].position_mm:
        faults.append(FieldError("axles.tractor.1.position_mm", "field.axle_order"))
    if balance and balance.x_from_mm > balance.x_to_mm:
        faults.append(FieldError("balance.x_to_mm", "field.balance_order"))
    if balance and balance.y_from_mm > balance.y_to_mm:
        faults.append(FieldError("balance.y_to_mm", "field.balance_order"))
    faults += _reach_faults(terms)
    for at, each in enumerate(terms.obstacles):
        ends = (each.x_mm + each.length_mm, each.y_mm + each.width_mm, each.z_mm + each.height_mm)
        for name, end, most in zip(
            ("length_mm", "width_mm", "height_mm"),
            ends,
            (terms.length_mm, terms.width_mm, terms.height_mm),
            strict=True,
        ):
            if end > most:
                faults.append(FieldError(f"obstacles.{at}.{name}", "field.obstacle_outside"))
    return faults


def _reach_faults(terms: LoadSpaceTerms) -> list[FieldError]:
    faults: list[FieldError] = []
    for at, each in enumerate(terms.reach):
        if any(other.method == each.method for other in terms.reach[:at]):
            faults.append(FieldError(f"reach.{at}.method", "field.reach_twice"))
        if each.doors and not each.doors <= terms.doors:
            faults.append(FieldError(f"reach.{at}.doors", "field.reach_door"))
    return faults


def nesting_faults(pieces: Sequence[PieceToLoad]) -> list[FieldError]:
    """Pieces that would nest as deep as they are high."""
    return [
        FieldError(f"pieces.{at}.nesting_mm", "field.nesting_too_deep", {"piece": each.id})
        for at, each in enumerate(pieces)
        if each.nesting_mm >= each.height_mm
    ]


def space_layout(terms: LoadSpaceTerms) -> dict[str, Any]:
    """What the column `layout` keeps of a space: doors, obstacles, axles, balance and reach as they were given."""
    layout = terms.model_dump(mode="json", include={"obstacles", "axles", "balance", "reach"})
    for each in layout["reach"]:
        each["doors"] = each["doors"] and sorted(each["doors"])
    return {**layout, "doors": sorted(terms.doors)}
