"""List what was refused after it had been queued."""

from haulier.contexts.tracking.providers.queries import PROVIDER_KEY_NEEDED, require_provider_grant
from haulier.contexts.tracking.pushes.contract import ListRefusedPushes, RefusedPush, RefusedPushList
from haulier.contexts.tracking.pushes.serializers import refusal_answers
from haulier.contexts.tracking.pushes.store import refused as store
from haulier.contexts.tracking.pushes.store.messages import get_documents
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import make_cursor, parse_cursor


@reads(
    "list_refused_pushes",
    audience=OFFICE | {Account.PROVIDER},
    scopes={Scope.TRACKING_WRITE},  # Why not read: a provider's key may not read, and this is the answer to a write.
    doors=(Rest("GET", "/v1/otep/ingest/refused"), GraphQL("refusedPushes")),
    errors=(PROVIDER_KEY_NEEDED,),
)
async def list_refused_pushes(call: Call, request: ListRefusedPushes) -> RefusedPushList:
    """List refused events of queued pushes and of carriers' webhooks, newest first.

    A provider's key sees its own, the office sees all. An event of a webhook comes with the whole webhook. Other events that
    are refused at once are only in the answer to the push.
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
