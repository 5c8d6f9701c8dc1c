"""Packed cartons are drawn."""

from base64 import b64encode

from haulier.contexts.warehouse.packing.contract.plans import GetPackingPicture, PackingPicture
from haulier.contexts.warehouse.packing.operations.plans import PLAN_PATH
from haulier.contexts.warehouse.packing.queries import get_packing_plan_row, read_plan
from haulier.contexts.warehouse.packing.serializers import carton_picture
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Representation, Representations, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.rendering.packing_pictures import draw_isometric, draw_layers

SVG = "image/svg+xml"
DRAW = {"isometric": draw_isometric, "layers": draw_layers}


@reads(
    "get_packing_picture",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(
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
    """Draw a carton of a plan; the numbers in the picture are the steps of the plan."""
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
