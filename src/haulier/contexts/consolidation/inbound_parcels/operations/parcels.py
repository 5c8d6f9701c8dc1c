"""Inbound parcels: listed, shown, received; their photos are open to their customers."""

from haulier.contexts.consolidation.inbound_parcels import store
from haulier.contexts.consolidation.inbound_parcels.actions.arrivals import PHOTOS, receive_parcel
from haulier.contexts.consolidation.inbound_parcels.contract import (
    InboundParcelAnswer,
    InboundParcelList,
    InboundParcelRef,
    InboundParcelWritten,
    ListInboundParcels,
    ReceiveInboundParcel,
)
from haulier.contexts.consolidation.inbound_parcels.operations.pre_alerts import RECEIVERS
from haulier.contexts.consolidation.inbound_parcels.queries import can_see, get_visible_parcel, list_conditions
from haulier.contexts.consolidation.inbound_parcels.serializers import inbound_parcel
from haulier.contexts.consolidation.inbound_parcels.store import InboundParcelRow
from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES, declare_personal_files, register_file_access
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import PersonKey, RecordKind
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import MAX_COUNT, total_fields

PATH = "/v1/consolidation/parcels"

declare_personal_files(PHOTOS, PersonKey.INBOUND_PARCEL, RecordKind.INBOUND_PARCELS)


@register_file_access(PHOTOS, Scope.STORAGE_READ)
async def may_see_inbound_photo(call: Call, parcel_id: int) -> bool:
    """Photos of a parcel are open to its customer."""
    row = await InboundParcelRow.get(call.work, parcel_id)
    return call.principal.account is Account.CUSTOMER and row is not None and can_see(call, row)


@reads(
    "list_inbound_parcels",
    audience=RECEIVERS,
    scopes={Scope.STORAGE_READ},
    doors=(
        Rest("GET", PATH),
        GraphQL("inboundParcels"),
        Mcp("list_inbound_parcels", title="List inbound parcels"),
    ),
)
async def list_inbound_parcels(call: Call, request: ListInboundParcels) -> InboundParcelList:
    """List inbound parcels, newest first.

    `unmatched` selects parcels without an owner.
    """
    rows, counted = await store.list_parcel_rows(
        call.work,
        list_conditions(call, request),
        limit=request.per_page,
        offset=request.offset,
        most=MAX_COUNT + 1,
    )
    return InboundParcelList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        parcels=[inbound_parcel(row) for row in rows],
    )


@reads(
    "get_inbound_parcel",
    audience=RECEIVERS,
    scopes={Scope.STORAGE_READ},
    doors=(Rest("GET", f"{PATH}/{{parcel_id}}"), GraphQL("inboundParcel")),
    errors=(NOT_FOUND,),
)
async def get_inbound_parcel(call: Call, request: InboundParcelRef) -> InboundParcelAnswer:
    """Retrieve an inbound parcel.

    Its timeline is available by tracking number.
    """
    return InboundParcelAnswer(parcel=inbound_parcel(await get_visible_parcel(call, request.parcel_id)))


@writes(
    "receive_inbound_parcel",
    audience=OFFICE,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    doors=(Rest("POST", "/v1/consolidation/arrivals"), GraphQL("receiveInboundParcel")),
    errors=(NOT_FOUND,),
)
async def receive_inbound_parcel(call: Call, request: ReceiveInboundParcel) -> InboundParcelWritten:
    """Receive an inbound parcel.

    Records its weight, dimensions and a photo. The parcel is matched to the customer who announced it, else to the
    suite on its label, else it joins the queue of unmatched parcels. Repeating the call for the same number only adds
    missing data.
    """
    row, existing = await receive_parcel(call, request)
    call.add_audit_subjects("inbound_parcel", row.id)
    return InboundParcelWritten(parcel=inbound_parcel(row), existing=existing)
