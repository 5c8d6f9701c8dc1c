"""Operations on packing."""

import asyncio
from base64 import b64encode
from typing import Any

from haulier.contexts.identity.public import require_client
from haulier.contexts.orders.public import find_orders_by_reference, load_paper_orders
from haulier.contexts.shipping.public import get_visible_shipment
from haulier.contexts.warehouse.packing import store
from haulier.contexts.warehouse.packing.actions import lock_packing_subject, save_packing_plan
from haulier.contexts.warehouse.packing.contract.cartons import (
    CartonAnswer,
    CartonList,
    CartonRef,
    CartonTerms,
    CreateCarton,
    CreateFilling,
    FillingAnswer,
    FillingList,
    FillingRef,
    FillingTerms,
    ListCartons,
    ListFillings,
    UpdateCarton,
    UpdateFilling,
)
from haulier.contexts.warehouse.packing.contract.plans import (
    BrokenStepRule,
    CommitPackingPlan,
    GetPackingPicture,
    ListPackingPlans,
    Pack,
    PackingAnswer,
    PackingCheck,
    PackingPicture,
    PackingPlanAnswer,
    PackingPlanList,
    PackingPlanRef,
    PackingSlipFile,
    PlanSteps,
    PrintPackingSlip,
    ProposedPlan,
)
from haulier.contexts.warehouse.packing.errors import (
    CARTON_CODE_TAKEN,
    FILLING_CODE_TAKEN,
    NO_CARTONS,
    PACKING_NOT_FOUND_IN_TIME,
    PACKING_RULES_BROKEN,
    PIECE_WITHOUT_SIZE,
    TOO_MANY_PIECES,
)
from haulier.contexts.warehouse.packing.queries import (
    find_orders_of_pieces,
    get_carton_row,
    get_filling_row,
    get_packing_plan_row,
    load_problem,
    read_plan,
)
from haulier.contexts.warehouse.packing.rules import input_hash, proposed_plan, stepped_cartons
from haulier.contexts.warehouse.packing.serializers import (
    broken_rule,
    carton_codes,
    carton_picture,
    carton_record,
    carton_slips,
    filling_record,
    packing_answer,
    plan_detail,
    plan_summary,
)
from haulier.contexts.warehouse.packing.store import CartonRow, FillingRow, PackingPlanRow
from haulier.contexts.warehouse.picking.errors import PACKING_PLAN_STALE
from haulier.contexts.warehouse.ports import PackingSearch, PackingSolver
from haulier.contexts.warehouse.stock.errors import UNKNOWN_SKU
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Mcp, Representation, Representations, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.rendering.carton_slips import CartonSlip, CartonSlips, carton_slips_html, lay_out_carton_slips
from haulier.rendering.labels import LabelParty
from haulier.rendering.packing_pictures import draw_isometric, draw_layers
from haulier.rendering.pdf import render_pdf
from haulier.rendering.sheets import PaperHead
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.checker import check_plan

CARTONS_PATH = "/v1/packing/cartons"
CARTON_PATH = f"{CARTONS_PATH}/{{carton_id}}"


@reads(
    "list_cartons",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", CARTONS_PATH), GraphQL("cartons")),
)
async def list_cartons(call: Call, request: ListCartons) -> CartonList:
    """List kinds of cartons by code."""
    rows, total = await store.list_carton_rows(
        call.work, inactive=request.inactive, limit=request.per_page, offset=request.offset
    )
    shown = [carton_record(call, row) for row in rows]
    return CartonList(total=total, page=request.page, per_page=request.per_page, cartons=shown)


@reads(
    "get_carton",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", CARTON_PATH), GraphQL("carton")),
    errors=(NOT_FOUND,),
)
async def get_carton(call: Call, request: CartonRef) -> CartonAnswer:
    """Get a kind of carton."""
    return CartonAnswer(carton=carton_record(call, await get_carton_row(call, request.carton_id)))


@writes(
    "create_carton",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", CARTONS_PATH), GraphQL("createCarton")),
    errors=(CARTON_CODE_TAKEN,),
)
async def create_carton(call: Call, request: CreateCarton) -> CartonAnswer:
    """Add a kind of carton."""
    _require_walls(request)
    values = request.model_dump(include={*CartonTerms.model_fields, "code"})
    try:
        async with call.work.savepoint():
            id = await CartonRow.insert(call.work, **values, created_at=call.now, updated_at=call.now)
    except UniqueConflict:
        raise CARTON_CODE_TAKEN(code=request.code) from None
    call.add_audit_subjects("carton", id)
    return CartonAnswer(carton=carton_record(call, await get_carton_row(call, id)))


@writes(
    "update_carton",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", CARTON_PATH), GraphQL("updateCarton")),
    errors=(NOT_FOUND,),
)
async def update_carton(call: Call, request: UpdateCarton) -> CartonAnswer:
    """Replace a kind of carton.

    Omitted fields are reset to their defaults. Saved plans keep the old sizes.
    """
    await get_carton_row(call, request.carton_id)
    _require_walls(request)
    values = {**request.model_dump(include=set(CartonTerms.model_fields)), "updated_at": call.now}
    await store.update_carton_row(call.work, request.carton_id, values)
    call.add_audit_subjects("carton", request.carton_id)
    return CartonAnswer(carton=carton_record(call, await get_carton_row(call, request.carton_id)))


@writes(
    "delete_carton",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", CARTON_PATH), GraphQL("deleteCarton")),
    errors=(NOT_FOUND,),
)
async def delete_carton(call: Call, request: CartonRef) -> Done:
    """Delete a kind of carton.

    Saved plans are kept.
    """
    if not await CartonRow.delete(call.work, request.carton_id):
        raise record_not_found(carton_id=request.carton_id)
    call.add_audit_subjects("carton", request.carton_id)
    return Done(message=call.translate("carton_deleted"))


def _require_walls(terms: CartonTerms) -> None:
    thin = [
        FieldError(f"outer_{edge}_mm", "field.carton_walls")
        for edge in ("length", "width", "height")
        if getattr(terms, f"outer_{edge}_mm") < getattr(terms, f"inner_{edge}_mm")
    ]
    if thin:
        raise INVALID_REQUEST.for_fields(*thin)


FILLINGS_PATH = "/v1/packing/fillings"
FILLING_PATH = f"{FILLINGS_PATH}/{{filling_id}}"


@reads(
    "list_fillings",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", FILLINGS_PATH), GraphQL("fillings")),
)
async def list_fillings(call: Call, request: ListFillings) -> FillingList:
    """List fillings of cartons by code."""
    rows, total = await store.list_filling_rows(
        call.work, inactive=request.inactive, limit=request.per_page, offset=request.offset
    )
    shown = [filling_record(call, row) for row in rows]
    return FillingList(total=total, page=request.page, per_page=request.per_page, fillings=shown)


@reads(
    "get_filling",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", FILLING_PATH), GraphQL("filling")),
    errors=(NOT_FOUND,),
)
async def get_filling(call: Call, request: FillingRef) -> FillingAnswer:
    """Get a filling."""
    return FillingAnswer(filling=filling_record(call, await get_filling_row(call, request.filling_id)))


@writes(
    "create_filling",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", FILLINGS_PATH), GraphQL("createFilling")),
    errors=(FILLING_CODE_TAKEN,),
)
async def create_filling(call: Call, request: CreateFilling) -> FillingAnswer:
    """Add a filling of cartons."""
    values = {**_values(call, request), "code": request.code, "created_at": call.now}
    try:
        async with call.work.savepoint():
            id = await FillingRow.insert(call.work, **values)
    except UniqueConflict:
        raise FILLING_CODE_TAKEN(code=request.code) from None
    return await _written(call, id, request)


@writes(
    "update_filling",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", FILLING_PATH), GraphQL("updateFilling")),
    errors=(NOT_FOUND,),
)
async def update_filling(call: Call, request: UpdateFilling) -> FillingAnswer:
    """Replace a filling.

    Omitted fields are reset to their defaults. Saved plans keep the filling they were made with.
    """
    await get_filling_row(call, request.filling_id)
    await FillingRow.update(call.work, request.filling_id, _values(call, request))
    return await _written(call, request.filling_id, request)


@writes(
    "delete_filling",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", FILLING_PATH), GraphQL("deleteFilling")),
    errors=(NOT_FOUND,),
)
async def delete_filling(call: Call, request: FillingRef) -> Done:
    """Delete a filling.

    Saved plans are kept.
    """
    if not await FillingRow.delete(call.work, request.filling_id):
        raise record_not_found(filling_id=request.filling_id)
    call.add_audit_subjects("packing_filling", request.filling_id)
    return Done(message=call.translate("filling_deleted"))


def _values(call: Call, terms: FillingTerms) -> dict[str, Any]:
    plain = terms.model_dump(include=set(FillingTerms.model_fields) - {"by_default"})
    return {**plain, "default_since": call.now if terms.by_default else None, "updated_at": call.now}


async def _written(call: Call, filling_id: int, terms: FillingTerms) -> FillingAnswer:
    if terms.by_default:
        await store.make_only_default(call.work, filling_id)
    call.add_audit_subjects("packing_filling", filling_id)
    return FillingAnswer(filling=filling_record(call, await get_filling_row(call, filling_id)))


PLANS_PATH = "/v1/packing/plans"
PLAN_PATH = f"{PLANS_PATH}/{{plan_id}}"
QUESTION_ERRORS = (NOT_FOUND, UNKNOWN_SKU, NO_CARTONS, PIECE_WITHOUT_SIZE, TOO_MANY_PIECES)


@reads(
    "pack",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("POST", "/v1/packing/pack"), GraphQL("pack"), Mcp("pack", title="Plan cartons")),
    errors=(*QUESTION_ERRORS, PACKING_NOT_FOUND_IN_TIME),
)
async def pack(call: Call, request: Pack) -> PackingAnswer:
    """Choose cartons for items and plan placement.

    Minimises outer volume, then the number of cartons, then cost. Nothing is stored.
    """
    problem, rows = await load_problem(call, request)
    budget = PackingBudget(steps=request.steps) if request.steps else PackingBudget(seconds=request.seconds)
    search = PackingSearch(problem=problem, budget=budget, seed=request.seed)
    plan = await call.app.adapter(PackingSolver).solve(search)
    if plan is None:
        raise PACKING_NOT_FOUND_IN_TIME()
    if broken := check_plan(problem, plan):
        raise RuntimeError(f"an engine broke rules of packing: {broken}")
    return packing_answer(call, problem, plan, carton_codes(rows))


@reads(
    "check_packing_plan",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(
        Rest("POST", "/v1/packing/check"),
        GraphQL("checkPackingPlan"),
        Mcp("check_packing_plan", title="Check a packing plan"),
    ),
    errors=QUESTION_ERRORS,
)
async def check_packing_plan(call: Call, request: ProposedPlan) -> PackingCheck:
    """Check a packing plan against every rule.

    Returns each broken rule with the items and the carton. Nothing is stored.
    """
    problem, _ = await load_problem(call, request)
    broken = check_plan(problem, proposed_plan(request.cartons, request.placements))
    return PackingCheck(
        result=not broken, input_hash=input_hash(problem), broken=[broken_rule(call, each) for each in broken]
    )


@writes(
    "commit_packing_plan",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", PLANS_PATH),
        GraphQL("commitPackingPlan"),
        Mcp("commit_packing_plan", title="Commit a packing plan"),
    ),
    errors=(*QUESTION_ERRORS, PACKING_PLAN_STALE, PACKING_RULES_BROKEN),
)
async def commit_packing_plan(call: Call, request: CommitPackingPlan) -> PackingPlanAnswer:
    """Save a packing plan.

    The plan is for an order or a shipment and replaces an earlier plan of it. Saving the same plan again changes
    nothing.
    """
    subject = await lock_packing_subject(call, request.order_id, request.shipment_id)
    problem, rows = await load_problem(call, request)
    hash = input_hash(problem)
    if hash != request.input_hash.lower():
        raise PACKING_PLAN_STALE()
    plan = proposed_plan(request.cartons, request.placements)
    if broken := check_plan(problem, plan):
        raise PACKING_RULES_BROKEN(count=len(broken), problem=broken_rule(call, broken[0]).message)
    row = await save_packing_plan(call, subject, (problem, plan), carton_codes(rows))
    return await _load_plan(call, row.id)


@reads(
    "list_packing_plans",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", PLANS_PATH), GraphQL("packingPlans")),
)
async def list_packing_plans(call: Call, request: ListPackingPlans) -> PackingPlanList:
    """List saved packing plans, newest first."""
    if request.order_id is not None and request.shipment_id is not None:
        raise INVALID_REQUEST.for_fields(FieldError("shipment_id", "field.packing_subject"))
    wanted: dict[str, Any] = {}
    for subject, id in (("order", request.order_id), ("shipment", request.shipment_id)):
        if id is not None:
            wanted = {"subject": subject, "subject_id": id}
    orders = None
    if request.reference is not None:
        wanted = {"subject": "order", **wanted}
        orders = [order.id for order in await find_orders_by_reference(call, request.reference)]
    rows, total = await store.list_plan_rows(
        call.work, wanted, subject_ids=orders, replaced=request.replaced, limit=request.per_page, offset=request.offset
    )
    shown = [plan_summary(call, row) for row in rows]
    return PackingPlanList(total=total, page=request.page, per_page=request.per_page, plans=shown)


@reads(
    "get_packing_plan",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", PLAN_PATH), GraphQL("packingPlan")),
    errors=(NOT_FOUND,),
)
async def get_packing_plan(call: Call, request: PackingPlanRef) -> PackingPlanAnswer:
    """Get a packing plan with its steps."""
    return await _load_plan(call, request.plan_id)


async def _load_plan(call: Call, plan_id: int) -> PackingPlanAnswer:
    row = await get_packing_plan_row(call, plan_id)
    return PackingPlanAnswer(plan=plan_detail(call, row, *read_plan(row)))


SVG = "image/svg+xml"
DRAW = {"isometric": draw_isometric, "layers": draw_layers}


@reads(
    "get_packing_picture",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(
        Rest(
            "GET",
            f"{PLAN_PATH}/picture",
            representations=Representations(
                (Representation(SVG, "svg"),), data_field="document", media_type_field="media_type"
            ),
        ),
        GraphQL("packingPicture"),
    ),
    errors=(NOT_FOUND,),
)
async def get_packing_picture(call: Call, request: GetPackingPicture) -> PackingPicture:
    """Draw a carton of a packing plan.

    The numbers in the picture are the steps of the plan.
    """
    row = await get_packing_plan_row(call, request.plan_id)
    problem, plan = read_plan(row)
    if request.carton > len(plan.cartons):
        raise record_not_found(carton=request.carton)
    code = row.plan["codes"][plan.cartons[request.carton - 1]]
    picture = carton_picture(problem, plan, request.carton - 1, f"{request.carton}: {code}")
    drawn = DRAW[request.view](picture)
    return PackingPicture(
        carton=request.carton, view=request.view, media_type=SVG, document=b64encode(drawn.encode()).decode()
    )


SLIP_TYPES = {"pdf": "application/pdf", "html": "text/html"}
SLIP_FORMS = Representations(
    tuple(Representation(media_type, form) for form, media_type in SLIP_TYPES.items()),
    data_field="document",
    media_type_field="media_type",
)


@reads(
    "print_packing_slip",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", f"{PLAN_PATH}/slip", representations=SLIP_FORMS), GraphQL("packingSlip")),
    errors=(NOT_FOUND,),
)
async def print_packing_slip(call: Call, request: PrintPackingSlip) -> PackingSlipFile:
    """Print the packing slips of a plan.

    Each carton has its picture, its layers and its items in packing order.
    """
    row = await get_packing_plan_row(call, request.plan_id)
    problem, plan = read_plan(row)
    cartons = carton_slips(problem, plan, row.plan["codes"])
    head = await _head(call, call.translate("packing_slip_of_plan", plan=row.id), request.paper)
    return await _file(await _addressed(call, row, head, cartons), request.format)


async def _head(call: Call, number: str, paper: str) -> PaperHead:
    issuer = (await require_client(call.work, call.client_id)).name
    moment = call.local_time(call.now).strftime("%Y-%m-%d %H:%M")
    return PaperHead(issuer=issuer, number=number, verify_url="", moment=moment, language=call.language, paper=paper)


async def _addressed(call: Call, row: PackingPlanRow, head: PaperHead, cartons: list[CartonSlip]) -> CartonSlips:
    """Return the slips with the data of their order or shipment."""
    if row.subject == "order":
        orders, _ = await load_paper_orders(call, [row.subject_id])
        for order in orders:
            return CartonSlips(
                head=head,
                cartons=cartons,
                tracking_number=order.tracking_number,
                reference=order.order_ref,
                sender=order.sender,
                recipient=order.recipient,
            )
        return CartonSlips(head=head, cartons=cartons)
    shipment = await get_visible_shipment(call, row.subject_id)
    return CartonSlips(
        head=head,
        cartons=cartons,
        tracking_number=shipment.tracking_number,
        reference=shipment.order_ref or shipment.reference,
        recipient=LabelParty(name=shipment.consignee_name),
    )


async def _file(slips: CartonSlips, format: str) -> PackingSlipFile:
    # In a thread: pages with hundreds of shapes take a while.
    document = await asyncio.to_thread(_render, slips, format)
    return PackingSlipFile(
        cartons=len(slips.cartons),
        pieces=sum(len(carton.pieces) for carton in slips.cartons),
        format=format,
        media_type=SLIP_TYPES[format],
        document=b64encode(document).decode(),
    )


def _render(slips: CartonSlips, format: str) -> bytes:
    if format == "html":
        return carton_slips_html(slips).encode()
    return render_pdf(lay_out_carton_slips(slips), title=slips.head.number, language=slips.head.language)


@reads(
    "get_packing_steps",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", f"{PLAN_PATH}/steps"), GraphQL("packingSteps")),
    errors=(NOT_FOUND,),
)
async def get_packing_steps(call: Call, request: PackingPlanRef) -> PlanSteps:
    """Get the steps of a packing plan.

    Returns the contents, weight and fill level of each carton after each item.
    """
    row = await get_packing_plan_row(call, request.plan_id)
    problem, plan = read_plan(row)
    orders = await find_orders_of_pieces(call, problem.pieces)
    spaces = stepped_cartons(problem, plan, row.plan["codes"], orders)
    return PlanSteps(result=True, input_hash=row.input_hash, spaces=spaces, broken=[])


@reads(
    "follow_packing_plan",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("POST", "/v1/packing/steps"), GraphQL("followPackingPlan")),
    errors=QUESTION_ERRORS,
)
async def follow_packing_plan(call: Call, request: ProposedPlan) -> PlanSteps:
    """Get the steps of a proposed packing plan.

    Returns every broken rule. Nothing is stored.
    """
    problem, rows = await load_problem(call, request)
    plan = proposed_plan(request.cartons, request.placements)
    broken = [broken_rule(call, each) for each in check_plan(problem, plan)]
    return PlanSteps(
        result=not broken,
        input_hash=input_hash(problem),
        spaces=stepped_cartons(problem, plan, carton_codes(rows), await find_orders_of_pieces(call, problem.pieces)),
        broken=[
            BrokenStepRule(rule=each.rule, pieces=each.pieces, space=each.carton, after_stop=None, message=each.message)
            for each in broken
        ],
    )
