"""Operations on labels: shipments."""

from base64 import b64encode

import msgspec
from msgspec import UNSET

from haulier.contexts.shipping.labels import store
from haulier.contexts.shipping.labels.actions.handover import begin_manifests, reconcile_manifest
from haulier.contexts.shipping.labels.actions.submissions import begin_void, reconcile_void
from haulier.contexts.shipping.labels.contract import (
    EndOfDay,
    EndOfDayAnswer,
    FindShipment,
    GetLabel,
    LabelAnswer,
    ListManifests,
    ListShipments,
    ManifestAnswer,
    ManifestList,
    ManifestRecord,
    ManifestRef,
    NotClosed,
    ShipmentAnswer,
    ShipmentList,
)
from haulier.contexts.shipping.labels.operations.purchase import SHIPPERS
from haulier.contexts.shipping.labels.queries import (
    call_of,
    find_visible_shipment,
    get_manifest,
    list_conditions,
    list_labels,
)
from haulier.contexts.shipping.labels.rules import LABEL_NOT_BOUGHT, SHIPMENT_STEP_REFUSED, Remark, ShipmentState
from haulier.contexts.shipping.labels.serializers import label_document, remark_text, shipment_detail, shipment_summary
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Area, McpServer, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.pagination import MAX_COUNT, total_fields

MOST_NAMED = 200
MOST_IDS = 1000
PATH = "/v1/labelservice/manifests"


async def finish_handover(context: RequestContext, request: EndOfDay, answer: EndOfDayAnswer) -> EndOfDayAnswer:
    """Close the day with the carriers and return the results."""
    client_id = context.principal.client_id
    if client_id is None:
        return answer
    for manifest in answer.manifests:
        await reconcile_manifest(context.app, client_id, manifest.id)
    async with context.app.database.read(client_id) as work:
        return await _outcome(call_of(context, work), [each.id for each in answer.manifests], request)


@writes(
    "end_of_day",
    audience=OFFICE,
    scopes={Scope.LABELS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", "/v1/labelservice/endofday"),
        GraphQL("labelserviceEndofday"),
        Mcp("end_of_day", title="Close the day with carriers"),
    ),
    after_commit=finish_handover,
    errors=(NOT_FOUND,),
)
async def end_of_day(call: Call, request: EndOfDay) -> EndOfDayAnswer:
    """Hand bought labels over to their carriers.

    Returns what each carrier accepted and rejected. Safe to repeat: earlier handovers are unchanged, and manifests that
    a carrier did not answer are retried.
    """
    waiting = await store.list_closing_ids(call.work)
    begun = await begin_manifests(call, request.ship_date or call.today, request.account_ids)
    call.add_audit_subjects("shipping_manifest", *begun)
    return await _outcome(call, [*waiting, *begun], request)


async def _outcome(call: Call, ids: list[int], request: EndOfDay) -> EndOfDayAnswer:
    rows = [row for id in ids if (row := await store.get_manifest_row(call.work, id))]
    day = request.ship_date or call.today
    left = await store.list_left_open(call.work, day, request.account_ids, MOST_NAMED)
    return EndOfDayAnswer(
        closed=sum(row.shipments for row in rows),
        open=await store.count_left_open(call.work, day, request.account_ids),
        manifests=[_manifest(call, row) for row in rows],
        not_closed=[_not_closed(call, each) for each in left],
    )


def _not_closed(call: Call, row: store.LeftOpenRow) -> NotClosed:
    said = msgspec.convert(row.messages[0], Remark) if row.messages else None
    return NotClosed(
        shipment_id=row.id,
        account_id=row.account_id,
        code=said and said.code,
        text=remark_text(call, said) if said else "",
    )


@reads(
    "list_shipping_manifests",
    audience=OFFICE,
    scopes={Scope.LABELS_READ},
    interfaces=(Rest("GET", PATH), GraphQL("labelserviceManifests")),
)
async def list_shipping_manifests(call: Call, request: ListManifests) -> ManifestList:
    """List shipping manifests, newest first."""
    rows, total = await store.list_manifest_rows(call.work, request.account_id, request.per_page, request.offset)
    return ManifestList(
        total=total, page=request.page, per_page=request.per_page, manifests=[_manifest(call, row) for row in rows]
    )


@reads(
    "get_shipping_manifest",
    audience=OFFICE,
    scopes={Scope.LABELS_READ},
    interfaces=(Rest("GET", f"{PATH}/{{manifest_id}}"), GraphQL("labelserviceManifest")),
    errors=(NOT_FOUND,),
)
async def get_shipping_manifest(call: Call, request: ManifestRef) -> ManifestAnswer:
    """Get a shipping manifest.

    Returns its shipments, and the carrier's document if it issued one.
    """
    row = await get_manifest(call, request.manifest_id)
    paper = await store.get_manifest_paper(call.work, row.id)
    on_it = await store.list_manifested(call.work, row.id)
    return ManifestAnswer(
        manifest=_manifest(call, row),
        shipment_ids=[each.id for each in on_it[:MOST_IDS]],
        voided_shipment_ids=[each.id for each in on_it[:MOST_IDS] if each.voided_at],
        media_type=row.paper_type or UNSET,
        document=b64encode(paper).decode() if paper else UNSET,
    )


def _manifest(call: Call, row: store.ManifestRow) -> ManifestRecord:
    return record(
        ManifestRecord,
        row,
        has_document=row.paper_type is not None,
        created_at=call.local_time(row.created_at),
        closed_at=call.local_time(row.closed_at),
    )


@reads(
    "download_shipping_label",
    audience=SHIPPERS,
    scopes={Scope.LABELS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", "/v1/shipping/getShippingLabel", area=Area.SHIPPING),
        GraphQL("shippingLabelWithBase64"),
        Mcp("download_shipping_label", title="Download a shipping label"),
    ),
    errors=(NOT_FOUND, LABEL_NOT_BOUGHT),
)
async def download_shipping_label(call: Call, request: GetLabel) -> LabelAnswer:
    """Download the labels of a shipment in base64.

    Labels are returned as the carrier created them.
    """
    return await _labels(call, request)


@reads(
    "get_shipping_label",
    audience=SHIPPERS,
    scopes={Scope.LABELS_READ},
    interfaces=(
        Rest("POST", "/v2/shipping/getShippingLabel", area=Area.SHIPPING),
        GraphQL("shippingLabel"),
        Mcp("get_shipping_label", servers=frozenset({McpServer.DEVELOPER}), title="Get a shipping label"),
    ),
    errors=(NOT_FOUND, LABEL_NOT_BOUGHT),
)
async def get_shipping_label(call: Call, request: GetLabel) -> LabelAnswer:
    """Get the labels of a shipment.

    Labels are returned as the carrier created them.
    """
    return await _labels(call, request)


async def _labels(call: Call, request: GetLabel) -> LabelAnswer:
    row = await find_visible_shipment(call, request)
    documents = [label_document(label) for label in await list_labels(call, row, request.parcel)]
    return LabelAnswer(
        shipment_id=row.id, media_type=documents[0].media_type, document=documents[0].document, labels=documents
    )


@reads(
    "get_shipping_detail",
    audience=SHIPPERS,
    scopes={Scope.LABELS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", "/v1/labelservice/getShippingDetail"),
        GraphQL("labelserviceGetShippingDetail"),
        Mcp("get_shipping_detail", title="Get a shipment"),
    ),
    errors=(NOT_FOUND,),
)
async def get_shipping_detail(call: Call, request: FindShipment) -> ShipmentAnswer:
    """Get a shipment.

    Finds it by id, tracking number of a package, or sender's reference; the newest one if several match.
    """
    return await _answer(call, await find_visible_shipment(call, request))


@reads(
    "list_shipments",
    audience=SHIPPERS,
    scopes={Scope.LABELS_READ},
    interfaces=(Rest("GET", "/v1/labelservice/shipments"), GraphQL("labelserviceShipments")),
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
    """Void the label with the carrier and return the result."""
    client_id = context.principal.client_id
    if client_id is None or answer.shipment.state != ShipmentState.VOID_PENDING:
        return answer
    await reconcile_void(context.app, client_id, answer.shipment.id)
    async with context.app.database.read(client_id) as work:
        row = await store.get_shipment_row(work, answer.shipment.id)
        return await _answer(call_of(context, work), row) if row else answer


@writes(
    "cancel_shipping_label",
    audience=SHIPPERS,
    scopes={Scope.LABELS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", "/v1/labelservice/cancelShippingLabel"),
        GraphQL("labelserviceCancelShippingLabel"),
        Mcp("cancel_shipping_label", title="Void a shipping label"),
    ),
    after_commit=finish_void,
    errors=(NOT_FOUND, SHIPMENT_STEP_REFUSED),
)
async def cancel_shipping_label(call: Call, request: FindShipment) -> ShipmentAnswer:
    """Void a shipping label.

    A carrier that decides later is queried until it has decided.
    """
    row = await find_visible_shipment(call, request, lock=True)
    return await _answer(call, await begin_void(call, row))


async def _answer(call: Call, row: store.ShipmentRow) -> ShipmentAnswer:
    return ShipmentAnswer(shipment=shipment_detail(call, row, await store.list_parcel_rows(call.work, row.id)))
