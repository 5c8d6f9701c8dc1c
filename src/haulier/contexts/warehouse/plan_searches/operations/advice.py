"""Advice which kinds of cartons to stock is searched for."""

from msgspec.structs import replace

from haulier.contexts.warehouse.packing.queries import list_carton_kinds, load_filling
from haulier.contexts.warehouse.plan_searches.actions import stocking_problem
from haulier.contexts.warehouse.plan_searches.contract.advice import StartCartonAdvice
from haulier.contexts.warehouse.plan_searches.contract.answers import PlanSearchAnswer
from haulier.contexts.warehouse.plan_searches.errors import NO_SIZED_ORDERS
from haulier.contexts.warehouse.plan_searches.operations.start import SEARCHES_A_MINUTE, start_search
from haulier.contexts.warehouse.plan_searches.queries import load_order_history
from haulier.contexts.warehouse.plan_searches.rules.advice import order_shapes, stocking_hash
from haulier.contexts.warehouse.plan_searches.rules.kinds import PlanSearchKind
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found


@writes(
    "start_carton_advice",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    limits=(SEARCHES_A_MINUTE,),
    doors=(
        Rest("POST", "/v1/packing/carton-advice"),
        GraphQL("startCartonAdvice"),
        Mcp("start_carton_advice", title="Ask which cartons to stock"),
    ),
    errors=(NOT_FOUND, NO_SIZED_ORDERS),
)
async def start_carton_advice(call: Call, request: StartCartonAdvice) -> PlanSearchAnswer:
    """Search, in the background, for the few kinds of cartons that take a period's orders, one carton each, at the least sum.

    `get_plan_search` shows the best advice so far: the cartons, the saving against the catalogue, and which orders none takes.
    """
    faults = []
    if request.to_day < request.from_day:
        faults.append(FieldError("to_day", "field.advice_days"))
    if len(request.keep_carton_ids) > request.most:
        faults.append(FieldError("keep_carton_ids", "field.advice_keeps", {"most": request.most}))
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)
    kinds, codes = await list_carton_kinds(call)
    for carton_id in sorted(request.keep_carton_ids):
        if str(carton_id) not in codes:
            raise record_not_found(keep_carton_ids=carton_id)
    rule = await load_filling(call, request, fragile_cushion_mm=0)
    history = await load_order_history(call, request.from_day, request.to_day)
    if not history.orders:
        raise NO_SIZED_ORDERS()
    shapes = order_shapes(history.orders)
    problem = stocking_problem(request, shapes, kinds, rule)
    problem = replace(problem, without_size=history.without_size, is_cut=history.is_cut)
    return await start_search(call, PlanSearchKind.STOCKING, request, problem, codes, stocking_hash(problem))
