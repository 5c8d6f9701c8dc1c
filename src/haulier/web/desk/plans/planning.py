"""Planning pages for loads and cartons: request, plan, what-if and saving."""

import secrets
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from starlette.responses import RedirectResponse, Response

from haulier.contexts.control_tower.approvals.operations import propose_write
from haulier.contexts.warehouse.load_plans.operations import (
    commit_load_plan,
    follow_load_plan,
    list_load_spaces,
    plan_load,
)
from haulier.contexts.warehouse.packing.operations import commit_packing_plan, follow_packing_plan, pack
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.pipeline.result import OperationResult
from haulier.web.desk.acts import DeskAction, rehearsal
from haulier.web.desk.forms import form_of
from haulier.web.desk.inputs import Presenter, TypedForm, read_typed
from haulier.web.desk.pages import DeskRequest, field_faults, not_found, plain_answer
from haulier.web.desk.places import address_of
from haulier.web.desk.plans.carried import CarriedPlan, carried, read_carried
from haulier.web.desk.plans.pages import CARTONS, LOADS, KindOfPlan, view_values
from haulier.web.desk.plans.views import get_look, plan_view
from haulier.web.operations_client import read_form_fields

Op = Operation[Any, Any]
Form = Mapping[str, str]
MAX_FORM_BYTES, MAX_FIELDS = 1_000_000, 8_000
"""A question may have hundreds of lines, each with all that holds for it."""
SPACES_SOUGHT = 200


class Planning(Struct, frozen=True, kw_only=True):
    """Differences between loads and cartons."""

    kind: KindOfPlan
    search: Op
    follow: Op
    keep: Op
    address: str
    name: str
    """Part of the ids of its messages."""
    first: tuple[str, ...]
    """Fields shown first; the rest is folded."""
    spaces: str
    space: str
    """Names of the operations for the spaces of a plan and for the number of one."""
    subjects: tuple[str, ...]
    """Subjects of a plan; saving requires one."""


LOADING = Planning(
    kind=LOADS,
    search=plan_load,
    follow=follow_load_plan,
    keep=commit_load_plan,
    address="/desk/plan-loading",
    name="loads",
    first=("route_id", "load_space_ids", "pieces"),
    spaces="spaces",
    space="space",
    subjects=("route_id",),
)
PACKING = Planning(
    kind=CARTONS,
    search=pack,
    follow=follow_packing_plan,
    keep=commit_packing_plan,
    address="/desk/choose-cartons",
    name="cartons",
    first=("order_ids", "products", "pieces", "carton_ids"),
    spaces="cartons",
    space="carton",
    subjects=("order_id", "shipment_id"),
)


async def plan_load_page(desk: DeskRequest) -> Response:
    """Plan a load: a route, into a vehicle's cargo space, or typed boxes."""
    texts = dict(desk.texts)
    if "vehicle_id" in texts:
        listed = await desk.read_if_allowed(list_load_spaces, per_page=SPACES_SOUGHT)
        wanted = texts.pop("vehicle_id")[-1]
        like = [each["id"] for each in listed.get("load_spaces") or () if wanted in map(str, each["vehicle_ids"])]
        texts["load_space_ids"] = [str(id) for id in like]
    return await _asked(PlanningRequest(desk, LOADING), texts)


async def pack_page(desk: DeskRequest) -> Response:
    """Plan packing: an order, products or typed boxes."""
    texts = {name: given for name, given in desk.texts.items() if name != "order_id"}
    texts.setdefault("order_ids", desk.texts.get("order_id", []))
    return await _asked(PlanningRequest(desk, PACKING), texts)


async def submit_load(desk: DeskRequest) -> Response:
    """Search for a load plan, look at it, change it, keep it."""
    return await _submitted(desk, LOADING)


async def submit_packing(desk: DeskRequest) -> Response:
    """Search for cartons, look at the plan, change it, keep it."""
    return await _submitted(desk, PACKING)


class PlanningRequest:
    """One request to a page of planning."""

    def __init__(self, desk: DeskRequest, planning: Planning, form: Form | None = None) -> None:
        self.desk, self.planning, self.form = desk, planning, form or {}
        given = {**{name: texts[-1] for name, texts in desk.texts.items()}, **self.form}
        names = ("order_id", "shipment_id") if planning is PACKING else ()
        self.subject = {name: given[name] for name in names if given.get(name, "").isdecimal()}
        """Subject of a packing plan from the page that linked here."""

    async def page(
        self,
        question: dict[str, Any],
        result: OperationResult | None = None,
        *,
        typed: TypedForm | None = None,
        status_code: int = 200,
        **more: Any,
    ) -> Response:
        """The question, and what came of it."""
        desk, planning = self.desk, self.planning
        presenter = Presenter(desk, typed)
        fields = await presenter.present(form_of(planning.search.request).fields(question, desk.session.time_zone))
        unread = typed.faults if typed else {}
        more = {"form": "carried", "views": [], "spaces": [], "plan": None, "broken": [], "rehearsal": None, **more}
        return desk.page(
            "desk_planning.html",
            status_code=status_code,
            planning=planning,
            kind=planning.kind,
            noun=desk.places.nouns.of_operation[planning.kind.plan.name],
            first=[field for field in fields if field.name in planning.first],
            rest=[field for field in fields if field.name not in planning.first],
            pickers=presenter.suggestions,
            subject=self.subject,
            faults={**(field_faults(result) if result else {}), **unread},
            problem=result.error["message"]
            if result and result.error
            else desk.say("kinds.check_fields")
            if unread
            else None,
            once=secrets.token_urlsafe(16),
            call=planning.search,
            values=question,
            **more,
        )

    async def show(
        self, plan: CarriedPlan, result: OperationResult | None = None, *, place: str = "", **more: Any
    ) -> Response:
        """The plan that the form carries, step by step, with every rule that it breaks."""
        planning, desk = self.planning, self.desk
        followed = await desk.call(planning.follow, plan.proposal(planning.spaces, planning.space))
        if followed.error is not None:
            for fault in followed.error.get("errors", ()):
                name = fault["field"].removeprefix(place)
                fault["field"] = "to_space" if name == planning.space else name
            return await self.page(plan.question, followed, status_code=followed.status, plan=plan, **more)
        answer = plain_answer(followed)
        spaces = answer["spaces"]
        views = []
        if spaces:
            look = get_look(desk, self.form, spaces)
            views = [plan_view(desk, spaces[look.space - 1], look, answer["broken"])]
        act = DeskAction(desk, planning.keep, TypedForm({}))
        shown: dict[str, Any] = {
            **view_values(desk, views, spaces),
            "plan": plan,
            "broken": answer["broken"],
            "keep": act,
            "may_keep": answer["result"] and bool(self.subject or any(plan.question.get(n) for n in planning.subjects)),
            "left": [desk.say(f"left_over.{reason}", piece=piece) for piece, reason in plan.left],
            "moving": self.form,
        }
        status = result.status if result else 200
        return await self.page(plan.question, result, status_code=status, **shown, **more)

    def kept(self, plan: CarriedPlan) -> dict[str, Any]:
        """Return the saved plan."""
        subject = {name: int(id) for name, id in self.subject.items()}
        proposal = plan.proposal(self.planning.spaces, self.planning.space)
        return {**proposal, **subject, "input_hash": plan.input_hash}


async def _asked(planner: PlanningRequest, texts: Mapping[str, list[str]]) -> Response:
    desk, planning = planner.desk, planner.planning
    if not desk.may(planning.search):
        return not_found(desk)
    return await planner.page(form_of(planning.search.request).values(texts, desk.session.time_zone))


async def _submitted(desk: DeskRequest, planning: Planning) -> Response:
    if not desk.may(planning.search):
        return not_found(desk)
    fields = await read_form_fields(desk.request, MAX_FORM_BYTES, MAX_FIELDS)
    texts: dict[str, list[str]] = {}
    for name, text in fields:
        texts.setdefault(name, []).append(text)
    planner = PlanningRequest(desk, planning, dict(fields))
    form = form_of(planning.search.request)
    read = await read_typed(desk, form, texts)
    typed = form.values(read.texts, desk.session.time_zone)
    if not desk.session.is_genuine_form(desk.request, planner.form):
        return await planner.page(typed, notice=desk.say("sign_in.again"), status_code=403)
    wanted = planner.form.get("do", "show")
    if read.faults:
        return await planner.page(typed, typed=read, status_code=422)
    if wanted == "search":
        return await _search(planner, typed)
    plan = read_carried(planner.form.get("plan", ""))
    if plan is None:
        return await planner.page({}, notice=desk.say("plan_page.carried_wrong"), status_code=422)
    if wanted == "move":
        moved, place = plan.moved(planner.form)
        return await planner.show(moved, place=place)
    if wanted in {"keep", "rehearse", "propose"}:
        return await _save_plan(planner, plan, wanted)
    return await planner.show(plan)


async def _search(planner: PlanningRequest, question: dict[str, Any]) -> Response:
    planning = planner.planning
    result = await planner.desk.call(planning.search, question)
    if result.error is not None:
        return await planner.page(question, result, status_code=result.status)
    plan = carried(question, plain_answer(result), loads=planning is LOADING)
    if plan.places:
        return await planner.show(plan)
    left = [planner.desk.say(f"left_over.{reason}", piece=piece) for piece, reason in plan.left]
    return await planner.page(question, notice=plan.message, left=left)


async def _save_plan(planner: PlanningRequest, plan: CarriedPlan, wanted: str) -> Response:
    """Save a plan, preview that, or propose it."""
    desk, keep, values = planner.desk, planner.planning.keep, planner.kept(plan)
    if wanted == "rehearse":
        result = await desk.call(keep, values, dry_run=True)
        return await planner.show(plan, result, rehearsal=rehearsal(desk, result) if result.error is None else None)
    if wanted == "propose":
        result = await desk.call(propose_write, {"tool": keep.name, "arguments": values})
        if result.error is None:
            return RedirectResponse(f"/mcp-approvals/{plain_answer(result)['approval']['id']}", 303)
        return await planner.show(plan, result)
    result = await desk.call(keep, values, idempotency_key=planner.form.get("once"))
    if result.error is not None:
        return await planner.show(plan, result)
    noun = desk.places.nouns.of_operation[planner.planning.kind.plan.name]
    return RedirectResponse(f"{address_of(noun, [plain_answer(result)['plan']['id']])}?done={keep.name}", 303)
