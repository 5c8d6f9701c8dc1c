"""Operations on pushes."""

from haulier.contexts.tracking.providers.queries import PROVIDER_KEY_NEEDED, require_provider_grant
from haulier.contexts.tracking.pushes import store
from haulier.contexts.tracking.pushes.actions import replay_message
from haulier.contexts.tracking.pushes.contract import (
    CarrierMessageRef,
    CarrierPushMessageAnswer,
    CarrierPushMessageList,
    ListCarrierMessages,
    ListRefusedPushes,
    RefusedPush,
    RefusedPushList,
)
from haulier.contexts.tracking.pushes.rules import CarrierMessageStatus
from haulier.contexts.tracking.pushes.serializers import refusal_answers, serialize_message, serialize_message_detail
from haulier.contexts.tracking.pushes.store import get_documents
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import MAX_COUNT, make_cursor, parse_cursor, total_fields

PATH = "/v1/otep/carrier-messages"
MESSAGE_PATH = f"{PATH}/{{carrier_message_id}}"


@reads(
    "list_carrier_messages",
    audience=OFFICE,
    scopes={Scope.TRACKING_READ},
    interfaces=(Rest("GET", PATH), GraphQL("carrierMessages")),
)
async def list_carrier_messages(call: Call, request: ListCarrierMessages) -> CarrierPushMessageList:
    """List incomplete carrier messages, newest first.

    These are webhooks with an unknown format or event, webhooks with rejected events, and polled scans whose time is
    unreadable. They are deleted after the retention period of refused pushes.
    """
    equal = {
        "status": request.status,
        "origin": request.origin,
        "tracking_number": request.tracking_number,
        "provider_id": request.provider_id,
    }
    rows, counted = await store.list_message_rows(
        call.work, equal, limit=request.per_page, offset=request.offset, most=MAX_COUNT + 1
    )
    return CarrierPushMessageList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        carrier_messages=[serialize_message(call, row) for row in rows],
    )


@reads(
    "get_carrier_message",
    audience=OFFICE,
    scopes={Scope.TRACKING_READ},
    interfaces=(Rest("GET", MESSAGE_PATH), GraphQL("carrierMessage")),
    errors=(NOT_FOUND,),
)
async def get_carrier_message(call: Call, request: CarrierMessageRef) -> CarrierPushMessageAnswer:
    """Get a carrier message with its original content."""
    return await _answer(call, request.carrier_message_id)


@writes(
    "replay_carrier_message",
    available_when={"status": CarrierMessageStatus.OPEN.value},
    audience=OFFICE,
    scopes={Scope.TRACKING_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{MESSAGE_PATH}/replay"), GraphQL("replayCarrierMessage")),
    errors=(NOT_FOUND,),
)
async def replay_carrier_message(call: Call, request: CarrierMessageRef) -> CarrierPushMessageAnswer:
    """Replay a carrier message.

    Uses the current formats, rights and records. Recorded events are not recorded twice. The message is `applied` once
    all of its events are recorded, and stays `open` with the remaining reasons otherwise. An applied message is
    returned unchanged.
    """
    await replay_message(call, request.carrier_message_id)
    call.add_audit_subjects("carrier_message", request.carrier_message_id)
    return await _answer(call, request.carrier_message_id)


async def _answer(call: Call, message_id: int) -> CarrierPushMessageAnswer:
    row = await store.get_message_row(call.work, message_id)
    if row is None:
        raise record_not_found(carrier_message_id=message_id)
    return CarrierPushMessageAnswer(carrier_message=serialize_message_detail(call, row))


@reads(
    "list_refused_pushes",
    audience=OFFICE | {Account.PROVIDER},
    scopes={
        Scope.TRACKING_WRITE
    },  # Not a read scope: a provider's key may not read, and this is the result of a write.
    interfaces=(Rest("GET", "/v1/otep/ingest/refused"), GraphQL("refusedPushes")),
    errors=(PROVIDER_KEY_NEEDED,),
)
async def list_refused_pushes(call: Call, request: ListRefusedPushes) -> RefusedPushList:
    """List rejected tracking events, newest first.

    Events of queued pushes and of carriers' webhooks. A provider's key sees its own, staff see all. An event of a
    webhook comes with the whole webhook. Other events that are rejected at once are only in the response to the push.
    """
    provider_id = request.provider_id
    if call.principal.account is Account.PROVIDER:
        require_provider_grant(call.principal)
        own = call.principal.token_id
        if provider_id not in (None, own):
            return RefusedPushList(refused=[], next_cursor=None)
        provider_id = own
    rows = await store.list_refused_push_rows(
        call.work,
        request.limit + 1,
        after=parse_cursor(request.cursor, tuple[int])[0] if request.cursor else None,
        since=request.since,
        provider_id=provider_id,
        push_id=request.push_id,
        tracking_number=request.tracking_number,
    )
    page = rows[: request.limit]
    next_cursor = make_cursor(page[-1].id) if len(rows) > request.limit else None
    documents = await get_documents(call.work, {row.push_id for row in page})
    listed = [
        record(RefusedPush, row, reasons=refusal_answers(call, row.reasons), document=documents.get(row.push_id))
        for row in page
    ]
    return RefusedPushList(refused=listed, next_cursor=next_cursor)
