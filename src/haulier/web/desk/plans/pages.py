"""The pages of a load plan and of a packing plan that are kept."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from haulier.contexts.warehouse.load_plans.operations import get_load_plan, get_load_steps, plan_load
from haulier.contexts.warehouse.packing.operations import get_packing_plan, get_packing_steps, pack
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.resources import Resource
from haulier.web.desk.pages import DeskRequest, not_found, plain_answer
from haulier.web.desk.places import act_address
from haulier.web.desk.plans.views import PlanView, get_look, kilograms, number, plan_view

Op = Operation[Any, Any]
SCRIPT_WORDS = ("left", "right", "up", "down", "nearer", "farther", "whole", "loading")
ALL = "all"
"""Asks for every space of a plan on a page of its own, for the printer."""


class KindOfPlan(Struct, frozen=True):
    """Differences between load plans and packing plans."""

    id_field: str
    plan: Op
    steps: Op
    anew: Op
    space: str
    """The message that names a space."""


LOADS = KindOfPlan("load_plan_id", get_load_plan, get_load_steps, plan_load, "plan_page.space")
CARTONS = KindOfPlan("plan_id", get_packing_plan, get_packing_steps, pack, "plan_page.carton")
KINDS = (LOADS, CARTONS)


async def plan_page(kind: KindOfPlan, noun: Resource, desk: DeskRequest) -> Response:
    """The page of a plan, step by step."""
    if not (desk.may(kind.steps) and desk.request.path_params["ids"].isdecimal()):
        return not_found(desk)
    id = int(desk.request.path_params["ids"])
    shown = await desk.call(kind.plan, {kind.id_field: id})
    if shown.error is not None:
        return not_found(desk, shown)
    steps = await desk.call(kind.steps, {kind.id_field: id})
    if steps.error is not None:
        return not_found(desk, steps)
    plan, spaces = plain_answer(shown)["plan"], plain_answer(steps)["spaces"]
    texts = {name: given[-1] for name, given in desk.texts.items()}
    look = get_look(desk, texts, spaces)
    wanted = spaces if texts.get("space") == ALL else [spaces[look.space - 1]]
    return desk.page(
        "desk_plan.html",
        kind=kind,
        plan=plan,
        noun=noun,
        title=desk.say(f"record.{kind.id_field}", value=id),
        about=_about(plan),
        anew=act_address(kind.anew, **_about(plan)) if desk.may(kind.anew) else None,
        done=desk.places.registry.get(desk.request.query_params.get("done", "")),
        call=kind.steps,
        values={kind.id_field: id},
        **view_values(
            desk,
            [
                plan_view(desk, each, _whole(desk, each, texts) if texts.get("space") == ALL else look)
                for each in wanted
            ],
            spaces,
        ),
        single=texts.get("space") != ALL,
        form=None,
    )


def view_values(desk: DeskRequest, views: list[PlanView], spaces: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the template values of a plan's page."""
    return {
        "views": views,
        "spaces": spaces,
        "number": lambda value: number(desk, value),
        "kilograms": lambda value: kilograms(desk, value / 1000),
        "script_words": {name: desk.say(f"plan_page.{name}") for name in SCRIPT_WORDS},
    }


def _whole(desk: DeskRequest, space: Mapping[str, Any], texts: Mapping[str, str]) -> Any:
    """A space when everything is in it, as a sheet of paper shows it."""
    return get_look(desk, {**texts, "space": "1", "step": ""}, [space])


def _about(plan: Mapping[str, Any]) -> dict[str, int]:
    """The record that a plan is kept for."""
    return {name: plan[name] for name in ("route_id", "order_id", "shipment_id") if plan.get(name) is not None}
