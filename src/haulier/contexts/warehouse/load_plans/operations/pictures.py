"""Loaded spaces are drawn, and what weighs on their axles."""

from base64 import b64encode

from haulier.contexts.warehouse.load_plans.contract.plans import GetLoadPicture, LoadPicture
from haulier.contexts.warehouse.load_plans.operations.plans import LOAD_PLAN_PATH
from haulier.contexts.warehouse.load_plans.queries import get_load_plan_row, read_load_plan
from haulier.contexts.warehouse.load_plans.rules.journeys import aboard_after, boxes_of, repacked_boxes
from haulier.contexts.warehouse.load_plans.serializers import axle_bars, space_picture
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Representation, Representations, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.rendering.axle_bars import draw_axle_bars
from haulier.rendering.packing_pictures import draw_isometric, draw_layers

SVG = "image/svg+xml"


@reads(
    "get_load_picture",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(
        Rest(
            "GET",
            f"{LOAD_PLAN_PATH}/picture",
            representations=Representations(
                (Representation(SVG, "svg"),), data_field="document", media_type_field="media_type"
            ),
        ),
        GraphQL("loadPicture"),
    ),
    errors=(NOT_FOUND,),
)
async def get_load_picture(call: Call, request: GetLoadPicture) -> LoadPicture:
    """Draw a space of a plan, whole, as far as some steps of loading go or after a stop, or what weighs on its axles."""
    row = await get_load_plan_row(call, request.load_plan_id)
    problem, plan = read_load_plan(row)
    if request.space > len(plan.spaces):
        raise record_not_found(space=request.space)
    kind = plan.spaces[request.space - 1]
    space = next(each for each in problem.spaces if each.id == kind)
    boxes, title = boxes_of(problem, plan, request.space - 1), f"{request.space}: {row.plan['codes'][kind]}"
    repacked = repacked_boxes(plan, boxes)
    if request.view == "axles":
        drawn = draw_axle_bars(title, axle_bars(call, space, boxes, repacked))
    else:
        draw = draw_isometric if request.view == "isometric" else draw_layers
        fixed = call.translate("load_obstacle")
        aboard = aboard_after(boxes, repacked, request.after_stop)
        drawn = draw(space_picture(space, aboard, title, fixed, request.colour, request.steps))
    return LoadPicture(
        space=request.space, view=request.view, media_type=SVG, document=b64encode(drawn.encode()).decode()
    )
