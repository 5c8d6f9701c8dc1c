"""Shipments: see one, list them, give a label back."""

from haulier.contexts.shipping.labels.actions.voids import begin_void, settle_void
from haulier.contexts.shipping.labels.contract.shipments import (
    FindShipment,
    ListShipments,
    ShipmentAnswer,
    ShipmentList,
)
from haulier.contexts.shipping.labels.operations.rates import SHIPPERS
from haulier.contexts.shipping.labels.queries import call_of, find_visible_shipment, list_conditions
from haulier.contexts.shipping.labels.rules.lifecycle import SHIPMENT_STEP_REFUSED, ShipmentState
from haulier.contexts.shipping.labels.serializers.shipments import shipment_detail, shipment_summary
from haulier.contexts.shipping.labels.store import shipments as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.pagination import MAX_COUNT, total_fields


@reads(
    "get_shipping_detail",
    audience=SHIPPERS,
    scopes={Scope.LABELS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", "/v1/labelservice/getShippingDetail"),
        GraphQL("labelserviceGetShippingDetail"),
        Mcp("get_shipping_detail", title="Show a shipment"),
    ),
    errors=(NOT_FOUND,),
)
async def get_shipping_detail(call: Call, request: FindShipment) -> ShipmentAnswer:
    """Show a shipment, by its id, the number of a parcel or the sender's reference; of several the newest."""
    return await _answer(call, await find_visible_shipment(call, request))


@reads(
    "list_shipments",
    audience=SHIPPERS,
    scopes={Scope.LABELS_READ},
    doors=(Rest("GET", "/v1/labelservice/shipments"), GraphQL("labelserviceShipments")),
)
async def list_shipments(call: Call, request: ListShipments) -> ShipmentList:
    """List shipments, newest first."""
    conditions = list_conditions(call, request)
    rows, counted = await store.list_shipment_rows(
        call.work, conditions, request.per_page, request.offset, MAX_COUNT + 1
    )
    return ShipmentList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        shipments=[shipment_summary(call, row) for row in rows],
    )


async def finish_void(context: RequestContext, request: FindShipment, answer: ShipmentAnswer) -> ShipmentAnswer:
    """Ask the carrier to take the label back, and answer with what it says."""
    client_id = context.principal.client_id
    if client_id is None or answer.shipment.state != ShipmentState.VOID_PENDING:
        return answer
    await settle_void(context.app, client_id, answer.shipment.id)
    async with context.app.database.read(client_id) as work:
        row = await store.get_shipment_row(work, answer.shipment.id)
        return await _answer(call_of(context, work), row) if row else answer


@writes(
    "cancel_shipping_label",
    audience=SHIPPERS,
    scopes={Scope.LABELS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", "/v1/labelservice/cancelShippingLabel"),
        GraphQL("labelserviceCancelShippingLabel"),
        Mcp("cancel_shipping_label", title="Give a label back"),
    ),
    conclude=finish_void,
    errors=(NOT_FOUND, SHIPMENT_STEP_REFUSED),
)
async def cancel_shipping_label(call: Call, request: FindShipment) -> ShipmentAnswer:
    """Give a label back. A carrier that decides later is asked until it has decided."""
    row = await find_visible_shipment(call, request, lock=True)
    return await _answer(call, await begin_void(call, row))


async def _answer(call: Call, row: store.ShipmentRow) -> ShipmentAnswer:
    return ShipmentAnswer(shipment=shipment_detail(call, row, await store.list_parcel_rows(call.work, row.id)))
