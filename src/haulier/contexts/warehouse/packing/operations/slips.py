"""Packing slips of plans are printed, with a picture of each carton."""

import asyncio
from base64 import b64encode

from haulier.contexts.identity.public import require_client
from haulier.contexts.orders.public import load_paper_orders
from haulier.contexts.shipping.public import get_visible_shipment
from haulier.contexts.warehouse.packing.contract.plans import PackingSlipFile, PreviewPackingSlip, PrintPackingSlip
from haulier.contexts.warehouse.packing.errors import (
    NO_CARTONS,
    PACKING_RULES_BROKEN,
    PIECE_WITHOUT_SIZE,
    TOO_MANY_PIECES,
)
from haulier.contexts.warehouse.packing.operations.plans import PLAN_PATH
from haulier.contexts.warehouse.packing.queries import get_packing_plan_row, load_problem, read_plan
from haulier.contexts.warehouse.packing.rules.problems import proposed_plan
from haulier.contexts.warehouse.packing.serializers import broken_rule, carton_codes, carton_slips
from haulier.contexts.warehouse.packing.store.tables import PackingPlanRow
from haulier.contexts.warehouse.stock.errors import UNKNOWN_SKU
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Representation, Representations, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.rendering.carton_slips import CartonSlip, CartonSlips, carton_slips_html, lay_out_carton_slips
from haulier.rendering.labels import LabelParty
from haulier.rendering.pdf import render_pdf
from haulier.rendering.sheets import PaperHead
from haulier.solvers.packing.checker import check_plan

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
    doors=(Rest("GET", f"{PLAN_PATH}/slip", representations=SLIP_FORMS), GraphQL("packingSlip")),
    errors=(NOT_FOUND,),
)
async def print_packing_slip(call: Call, request: PrintPackingSlip) -> PackingSlipFile:
    """Print the slips of a plan: for each carton its picture, its layers and its pieces in the order of packing."""
    row = await get_packing_plan_row(call, request.plan_id)
    problem, plan = read_plan(row)
    cartons = carton_slips(problem, plan, row.plan["codes"])
    head = await _head(call, call.translate("packing_slip_of_plan", plan=row.id), request.paper)
    return await _file(await _addressed(call, row, head, cartons), request.format)


@reads(
    "preview_packing_slip",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("POST", "/v1/packing/slip", representations=SLIP_FORMS), GraphQL("previewPackingSlip")),
    errors=(NOT_FOUND, UNKNOWN_SKU, NO_CARTONS, PIECE_WITHOUT_SIZE, TOO_MANY_PIECES, PACKING_RULES_BROKEN),
)
async def preview_packing_slip(call: Call, request: PreviewPackingSlip) -> PackingSlipFile:
    """Print the slips of a plan that nobody keeps. A plan that breaks a rule is refused."""
    problem, rows = await load_problem(call, request)
    plan = proposed_plan(request.cartons, request.placements)
    if broken := check_plan(problem, plan):
        raise PACKING_RULES_BROKEN(count=len(broken), problem=broken_rule(call, broken[0]).message)
    head = await _head(call, call.translate("packing_slip_preview"), request.paper)
    cartons = carton_slips(problem, plan, carton_codes(rows))
    return await _file(CartonSlips(head=head, cartons=cartons), request.format)


async def _head(call: Call, number: str, paper: str) -> PaperHead:
    issuer = (await require_client(call.work, call.client_id)).name
    moment = call.local_time(call.now).strftime("%Y-%m-%d %H:%M")
    return PaperHead(issuer=issuer, number=number, verify_url="", moment=moment, language=call.language, paper=paper)


async def _addressed(call: Call, row: PackingPlanRow, head: PaperHead, cartons: list[CartonSlip]) -> CartonSlips:
    """The slips with what is known of the order or the shipment that they are for."""
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
    # Why a thread: pages with hundreds of shapes take a while.
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
