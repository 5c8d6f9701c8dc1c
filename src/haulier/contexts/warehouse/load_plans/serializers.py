"""Rows, problems and plans to answers, and to pictures."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from haulier.contexts.warehouse.load_plans.contract import (
    AxleLoad,
    AxlesDetail,
    BalanceDetail,
    BrokenLoadRule,
    LeftOverPiece,
    LoadAnswer,
    LoadBound,
    LoadObjective,
    LoadPlanDetail,
    LoadPlanSummary,
    LoadSpaceDetail,
    ObstacleDetail,
    PlannedPlace,
    PlannedRepack,
    PlannedSpace,
    ReachDetail,
)
from haulier.contexts.warehouse.load_plans.rules import (
    PlacedBox,
    axle_moments,
    boxes_of,
    centre_of,
    floor_length,
    loaded_volume,
    problem_hash,
    repacked_boxes,
)
from haulier.contexts.warehouse.load_plans.store import LoadPlanRow, LoadSpaceRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.rendering.axle_bars import AxleBar
from haulier.rendering.packing_pictures import DrawnPiece, PackedPicture
from haulier.solvers.loading.journey_rules import BrokenLoadingRule
from haulier.solvers.loading.plan import LeftOver, LoadingBound, LoadingObjective, LoadingPlan
from haulier.solvers.loading.problem import DoorSide, LoadingProblem, LoadSpace
from haulier.solvers.packing.problem import volume_of

NAMED_PIECES = 5
"""Maximum number of items in a message; the response lists all."""
WEIGHT_CLASSES_G = (5_000, 15_000, 30_000, 100_000, 300_000)
"""Items up to these weights have one colour in a picture by weight."""


def load_space_record(call: Call, row: LoadSpaceRow, vehicle_ids: Sequence[int]) -> LoadSpaceDetail:
    """Return a load space as callers see it."""
    return record(
        LoadSpaceDetail,
        row,
        doors=[side for side in DoorSide if side in row.layout["doors"]],
        obstacles=msgspec.convert(row.layout["obstacles"], list[ObstacleDetail]),
        axles=msgspec.convert(row.layout["axles"], AxlesDetail | None),
        balance=msgspec.convert(row.layout["balance"], BalanceDetail | None),
        reach=msgspec.convert(row.layout.get("reach", []), list[ReachDetail]),
        vehicle_ids=list(vehicle_ids),
        created_at=call.local_time(row.created_at),
        updated_at=call.local_time(row.updated_at),
    )


def objective_record(objective: LoadingObjective) -> LoadObjective:
    """Return an objective as callers see it."""
    mandatory, priority, cost, *repacks, length, distance = objective
    return LoadObjective(
        mandatory_left=mandatory,
        priority_left=priority,
        cost_minor=cost,
        repacks=repacks[0] if repacks else UNSET,
        floor_length_mm=length,
        off_centre_mm=distance,
    )


def bound_record(bound: LoadingBound) -> LoadBound:
    """Return a bound as callers see it."""
    mandatory, priority, cost = bound
    return LoadBound(mandatory_left=mandatory, priority_left=priority, cost_minor=cost)


def planned_spaces(problem: LoadingProblem, plan: LoadingPlan, codes: Mapping[str, str]) -> list[PlannedSpace]:
    """Return the spaces of a plan with their contents.

    `codes` maps the problem's ids to the spaces' codes.
    """
    spaces = {space.id: space for space in problem.spaces}
    return [
        _planned_space(spaces[id], codes.get(id, id), number, (boxes_of(problem, plan, number - 1), plan))
        for number, id in enumerate(plan.spaces, 1)
    ]


def _planned_space(
    space: LoadSpace, code: str, number: int, loaded: tuple[Sequence[PlacedBox], LoadingPlan]
) -> PlannedSpace:
    boxes, plan = loaded
    repacked = repacked_boxes(plan, boxes)
    return PlannedSpace(
        number=number,
        load_space_id=int(space.id),
        code=code,
        inner_mm=list(space.inner),
        payload_g=space.payload_g,
        loaded_g=sum(each.piece.weight_g for each in boxes),
        filled_percent=loaded_volume(boxes) * 100 // volume_of(space.inner),
        floor_length_mm=floor_length(boxes),
        centre_mm=centre_of(boxes),
        axle_loads=[record(AxleLoad, each) for each in axle_moments(space, boxes, repacked)],
        placements=[_planned_place(each) for each in boxes],
        repacks=[_planned_repack(stop, each) for stop, moved in repacked.items() for each in moved] or UNSET,
    )


def _planned_repack(stop: int, placed: PlacedBox) -> PlannedRepack:
    x, y, z = placed.box[:3]
    return PlannedRepack(at_stop=stop, piece=placed.piece.id, x_mm=x, y_mm=y, z_mm=z, turn=placed.place.turn)


def _planned_place(placed: PlacedBox) -> PlannedPlace:
    x0, y0, z0, x1, y1, z1 = placed.box
    return PlannedPlace(
        step=placed.step,
        piece=placed.piece.id,
        stop=placed.piece.stop,
        x_mm=x0,
        y_mm=y0,
        z_mm=z0,
        turn=placed.place.turn,
        length_mm=x1 - x0,
        width_mm=y1 - y0,
        height_mm=z1 - z0,
        nested_mm=placed.nested_mm,
        weight_g=placed.piece.weight_g,
    )


def space_codes(rows: Mapping[int, LoadSpaceRow]) -> dict[str, str]:
    """Return the codes of spaces by their names in a problem."""
    return {str(row.id): row.code for row in rows.values()}


def load_answer(call: Call, problem: LoadingProblem, plan: LoadingPlan, codes: dict[str, str]) -> LoadAnswer:
    """Return the response for a search result."""
    assert plan.objective is not None
    assert plan.bound is not None
    return LoadAnswer(
        result=not plan.left_over,
        state=plan.state,
        input_hash=problem_hash(problem),
        spaces=planned_spaces(problem, plan, codes),
        left_over=[left_over_pieces(call, each) for each in plan.left_over],
        objective=objective_record(plan.objective),
        bound=bound_record(plan.bound),
        message=call.translate(f"loading_state.{plan.state}", count=len(plan.left_over)),
        steps=plan.steps,
    )


def left_over_pieces(call: Call, each: LeftOver) -> LeftOverPiece:
    """Return an item that stays behind, with words."""
    message = call.translate(f"left_over.{each.reason}", piece=each.piece)
    return LeftOverPiece(piece=each.piece, reason=each.reason, message=message)


def broken_load_rule(call: Call, broken: BrokenLoadingRule) -> BrokenLoadRule:
    """Return a broken rule with words."""
    named = ", ".join(broken.pieces[:NAMED_PIECES]) + ("…" if len(broken.pieces) > NAMED_PIECES else "")
    space = None if broken.space is None else broken.space + 1
    said = call.translate(
        f"loading_rule.{broken.rule}",
        pieces=named,
        space=space or 0,
        axle=call.translate(f"load_axle.{broken.axle}") if broken.axle else "",
    )
    later = broken.after_stop is not None
    return BrokenLoadRule(
        rule=broken.rule,
        pieces=list(broken.pieces),
        space=space,
        after_stop=broken.after_stop,
        axle=broken.axle,
        message=call.translate("load_after_stop", stop=broken.after_stop, problem=said) if later else said,
    )


def load_plan_summary(call: Call, row: LoadPlanRow) -> LoadPlanSummary:
    """Return a plan without its spaces."""
    return record(LoadPlanSummary, row, **_times(call, row))


def load_plan_detail(call: Call, row: LoadPlanRow, problem: LoadingProblem, plan: LoadingPlan) -> LoadPlanDetail:
    """Return a plan with its spaces."""
    return record(
        LoadPlanDetail,
        row,
        **_times(call, row),
        support_percent=problem.support_percent,
        spaces=planned_spaces(problem, plan, row.plan["codes"]),
        left_behind=[each.piece for each in plan.left_over],
    )


def _times(call: Call, row: LoadPlanRow) -> dict[str, Any]:
    return {
        "created_at": call.local_time(row.created_at),
        "replaced_at": row.replaced_at and call.local_time(row.replaced_at),
    }


def space_picture(
    space: LoadSpace, boxes: Sequence[PlacedBox], title: str, fixed: str, colour: str, steps: int | None
) -> PackedPicture:
    """Return the picture of a space after the given number of loading steps."""
    drawn = [
        DrawnPiece(
            each.step, f"{each.piece.id} ({each.piece.stop})", _colour(each, colour), each.seen[:3], each.seen[3:]
        )
        for each in boxes
        if steps is None or each.step <= steps
    ]
    obstacles = [DrawnPiece(0, fixed, "fixed", obstacle[:3], obstacle[3:]) for obstacle in space.obstacles]
    return PackedPicture(title, space.inner, (*drawn, *obstacles))


def _colour(placed: PlacedBox, colour: str) -> str:
    piece = placed.piece
    if colour == "weight":
        return str(sum(piece.weight_g > limit for limit in WEIGHT_CLASSES_G))
    return {"stop": str(piece.stop), "size": str(sorted(piece.size)), "goods": piece.goods or ""}[colour]


def axle_bars(
    call: Call, space: LoadSpace, boxes: Sequence[PlacedBox], repacked: Mapping[int, Sequence[PlacedBox]]
) -> list[AxleBar]:
    """Return a bar for each axle at departure and after each stop."""
    return [
        AxleBar(
            title=call.translate("load_departure")
            if each.after_stop is None
            else call.translate("load_after_stop_short", stop=each.after_stop),
            name=call.translate(f"load_axle.{each.axle}"),
            weight_g=each.weight_g,
            limit_g=each.limit_g,
            least_g=each.least_g,
        )
        for each in axle_moments(space, boxes, repacked)
    ]
