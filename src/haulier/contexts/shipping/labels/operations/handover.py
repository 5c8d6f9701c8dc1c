"""The end of a day: what was bought is handed over to its carriers."""

from base64 import b64encode

import msgspec
from msgspec import UNSET

from haulier.contexts.shipping.labels.actions.handover import begin_manifests, settle_manifest
from haulier.contexts.shipping.labels.contract.papers import (
    EndOfDay,
    EndOfDayAnswer,
    ListManifests,
    ManifestAnswer,
    ManifestList,
    ManifestRecord,
    ManifestRef,
    NotClosed,
)
from haulier.contexts.shipping.labels.queries import call_of, get_manifest
from haulier.contexts.shipping.labels.rules.rates import Remark
from haulier.contexts.shipping.labels.serializers.shipments import remark_text
from haulier.contexts.shipping.labels.store import manifests as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record
from haulier.kernel.request_context import RequestContext

MOST_NAMED = 200
MOST_IDS = 1000
PATH = "/v1/labelservice/manifests"


async def finish_handover(context: RequestContext, request: EndOfDay, answer: EndOfDayAnswer) -> EndOfDayAnswer:
    """Tell the carriers, and answer with what they took."""
    client_id = context.principal.client_id
    if client_id is None:
        return answer
    for manifest in answer.manifests:
        await settle_manifest(context.app, client_id, manifest.id)
    async with context.app.database.read(client_id) as work:
        return await _outcome(call_of(context, work), [each.id for each in answer.manifests], request)


@writes(
    "end_of_day",
    audience=OFFICE,
    scopes={Scope.LABELS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", "/v1/labelservice/endofday"),
        GraphQL("labelserviceEndofday"),
        Mcp("end_of_day", title="End the day with carriers"),
    ),
    conclude=finish_handover,
    errors=(NOT_FOUND,),
)
async def end_of_day(call: Call, request: EndOfDay) -> EndOfDayAnswer:
    """Hand over what was bought to its carriers, and say what they took and what they did not.

    What was handed over before stays so: it is harmless to repeat. Manifests that a carrier did not answer are tried again.
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
    doors=(Rest("GET", PATH), GraphQL("labelserviceManifests")),
)
async def list_shipping_manifests(call: Call, request: ListManifests) -> ManifestList:
    """List what was handed over to carriers, newest first."""
    rows, total = await store.list_manifest_rows(call.work, request.account_id, request.per_page, request.offset)
    return ManifestList(
        total=total, page=request.page, per_page=request.per_page, manifests=[_manifest(call, row) for row in rows]
    )


@reads(
    "get_shipping_manifest",
    audience=OFFICE,
    scopes={Scope.LABELS_READ},
    doors=(Rest("GET", f"{PATH}/{{manifest_id}}"), GraphQL("labelserviceManifest")),
    errors=(NOT_FOUND,),
)
async def get_shipping_manifest(call: Call, request: ManifestRef) -> ManifestAnswer:
    """Show a manifest: what is on it, and the carrier's paper where it gave one."""
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
