"""Rows, problems and plans to answers."""

from typing import Any

from haulier.contexts.warehouse.packing.contract.cartons import Carton, PackingFilling
from haulier.contexts.warehouse.packing.contract.plans import (
    BrokenPackingRule,
    CartonFilling,
    PackedCarton,
    PackingAnswer,
    PackingObjective,
    PackingPlacement,
    PackingPlanDetail,
    PackingPlanSummary,
    RefutedCartons,
)
from haulier.contexts.warehouse.packing.rules import carton_void, carton_weight, input_hash
from haulier.contexts.warehouse.packing.store import CartonRow, FillingRow, PackingPlanRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.rendering.carton_slips import CartonSlip, SlipFilling, SlipPiece
from haulier.rendering.packing_pictures import DrawnPiece, PackedPicture
from haulier.solvers.packing.checker import BrokenRule
from haulier.solvers.packing.plan import Objective, PackingPlan, PiecePlace
from haulier.solvers.packing.problem import (
    CartonKind,
    PackingPiece,
    PackingProblem,
    Size,
    VoidFill,
    turned_size,
    volume_of,
)
from haulier.solvers.packing.void_filling import filling_cents, filling_grams, filling_units

NAMED_PIECES = 5
"""Maximum number of items in a message; the response lists all."""


def carton_record(call: Call, row: CartonRow) -> Carton:
    """Return a kind of carton as callers see it."""
    return record(Carton, row, created_at=call.local_time(row.created_at), updated_at=call.local_time(row.updated_at))


def filling_record(call: Call, row: FillingRow) -> PackingFilling:
    """Return a filling as callers see it."""
    return record(
        PackingFilling,
        row,
        by_default=row.default_since is not None,
        created_at=call.local_time(row.created_at),
        updated_at=call.local_time(row.updated_at),
    )


def objective_record(objective: Objective) -> PackingObjective:
    """Return an objective as callers see it."""
    volume, count, cost = objective
    return PackingObjective(outer_volume_mm3=volume, cartons=count, cost_minor=cost)


def packed_cartons(problem: PackingProblem, plan: PackingPlan, codes: dict[str, str]) -> list[PackedCarton]:
    """Return the cartons of a plan with their contents.

    `codes` maps the problem's ids to the cartons' codes.
    """
    kinds = {kind.id: kind for kind in problem.cartons}
    return [
        _packed_carton(problem, plan, kinds[id], codes.get(id, id), number) for number, id in enumerate(plan.cartons)
    ]


def _packed_carton(
    problem: PackingProblem, plan: PackingPlan, kind: CartonKind, code: str, number: int
) -> PackedCarton:
    pieces = {piece.id: piece for piece in problem.pieces}
    places = [place for place in plan.placements if place.carton == number]
    inside, void = volume_of(kind.inner), carton_void(problem, plan, number)
    return PackedCarton(
        number=number + 1,
        carton_id=int(kind.id),
        code=code,
        inner_mm=list(kind.inner),
        outer_mm=list(kind.outer),
        weight_g=carton_weight(problem, plan, number),
        filled_percent=(inside - void) * 100 // inside,
        void_mm3=void,
        filling=problem.filling and _carton_filling(problem.filling, void),
        placements=[_placement(step, pieces[place.piece], place) for step, place in enumerate(places, 1)],
    )


def _carton_filling(filling: VoidFill, void_mm3: int) -> CartonFilling:
    return CartonFilling(
        code=filling.id,
        units=filling_units(filling, void_mm3),
        weight_g=filling_grams(filling, void_mm3),
        cost_minor=filling_cents(filling, void_mm3),
    )


def _placement(step: int, piece: PackingPiece, place: PiecePlace) -> PackingPlacement:
    length, width, height = turned_size(piece.size, place.turn)
    return PackingPlacement(
        step=step,
        piece=piece.id,
        x_mm=place.x,
        y_mm=place.y,
        z_mm=place.z,
        turn=place.turn,
        length_mm=length,
        width_mm=width,
        height_mm=height,
        weight_g=piece.weight_g,
    )


def carton_picture(problem: PackingProblem, plan: PackingPlan, number: int, title: str) -> PackedPicture:
    """Return the picture of a carton, by its number from 0.

    Equal items share a colour.
    """
    kinds = {kind.id: kind for kind in problem.cartons}
    pieces = {piece.id: piece for piece in problem.pieces}
    boxes: list[DrawnPiece] = []
    for step, place in enumerate([p for p in plan.placements if p.carton == number], 1):
        length, width, height = turned_size(pieces[place.piece].size, place.turn)
        high = (place.x + length, place.y + width, place.z + height)
        colour = str(sorted(pieces[place.piece].size))
        boxes.append(DrawnPiece(step, place.piece, colour, (place.x, place.y, place.z), high))
    return PackedPicture(title, kinds[plan.cartons[number]].inner, tuple(boxes))


def carton_codes(rows: dict[int, CartonRow]) -> dict[str, str]:
    """Return the codes of cartons by their names in a problem."""
    return {str(row.id): row.code for row in rows.values()}


def packing_answer(call: Call, problem: PackingProblem, plan: PackingPlan, codes: dict[str, str]) -> PackingAnswer:
    """Return the response for a search result."""
    named = ", ".join(plan.pieces[:NAMED_PIECES]) + ("…" if len(plan.pieces) > NAMED_PIECES else "")
    return PackingAnswer(
        result=plan.rule is None,
        state=plan.state,
        input_hash=input_hash(problem),
        cartons=packed_cartons(problem, plan, codes),
        objective=plan.objective and objective_record(plan.objective),
        bound=plan.bound and objective_record(plan.bound),
        ruled_out=plan.refuted_count,
        ruled_out_last=[
            RefutedCartons(cartons=[codes[kind] for kind in each.cartons], why=each.reason) for each in plan.refuted
        ],
        pieces=list(plan.pieces),
        rule=plan.rule,
        message=call.translate(f"packing_impossible.{plan.rule}", pieces=named)
        if plan.rule
        else call.translate(f"packing_state.{plan.state}"),
        steps=plan.steps,
    )


def broken_rule(call: Call, broken: BrokenRule) -> BrokenPackingRule:
    """Return a broken rule with words."""
    named = ", ".join(broken.pieces[:NAMED_PIECES]) + ("…" if len(broken.pieces) > NAMED_PIECES else "")
    carton = None if broken.carton is None else broken.carton + 1
    return BrokenPackingRule(
        rule=broken.rule,
        pieces=list(broken.pieces),
        carton=carton,
        message=call.translate(f"packing_rule.{broken.rule}", pieces=named, carton=carton or 0),
    )


def plan_summary(call: Call, row: PackingPlanRow) -> PackingPlanSummary:
    """Return a plan without its cartons."""
    return record(PackingPlanSummary, row, **_summary_fields(call, row))


def plan_detail(call: Call, row: PackingPlanRow, problem: PackingProblem, plan: PackingPlan) -> PackingPlanDetail:
    """Return a plan with its cartons."""
    return record(
        PackingPlanDetail,
        row,
        **_summary_fields(call, row),
        target_utilization_percent=problem.fill_cap_percent,
        support_percent=problem.support_percent,
        cartons=packed_cartons(problem, plan, row.plan["codes"]),
    )


def _summary_fields(call: Call, row: PackingPlanRow) -> dict[str, Any]:
    return {
        "order_id": row.subject_id if row.subject == "order" else None,
        "shipment_id": row.subject_id if row.subject == "shipment" else None,
        "objective": objective_record((row.outer_volume_mm3, row.cartons, row.cost_minor)),
        "created_at": call.local_time(row.created_at),
        "replaced_at": row.replaced_at and call.local_time(row.replaced_at),
    }


def carton_slips(problem: PackingProblem, plan: PackingPlan, codes: dict[str, str]) -> list[CartonSlip]:
    """Return the packing slips of a plan."""
    return [
        CartonSlip(
            number=carton.number,
            code=carton.code,
            inner_mm=_three(carton.inner_mm),
            weight_g=carton.weight_g,
            filled_percent=carton.filled_percent,
            void_mm3=carton.void_mm3,
            filling=carton.filling and SlipFilling(carton.filling.code, carton.filling.units, carton.filling.weight_g),
            pieces=[
                SlipPiece(
                    step=place.step,
                    name=place.piece,
                    size_mm=(place.length_mm, place.width_mm, place.height_mm),
                    place_mm=(place.x_mm, place.y_mm, place.z_mm),
                    weight_g=place.weight_g,
                )
                for place in carton.placements
            ],
            picture=carton_picture(problem, plan, carton.number - 1, f"{carton.number}: {carton.code}"),
        )
        for carton in packed_cartons(problem, plan, codes)
    ]


def _three(sides: list[int]) -> Size:
    length, width, height = sides
    return length, width, height
