"""Announcing webhooks that were not, or not wholly, understood: their senders read no receipts and do not repeat them."""

from collections.abc import Mapping, Sequence

from msgspec import to_builtins

from haulier.contexts.tracking.events import CarrierPushRefused
from haulier.contexts.tracking.ingest.rules.carrier_pushes import (
    native_of_push,
    not_understood,
    pushed_number,
    recognise_push,
)
from haulier.contexts.tracking.ingest.rules.native_document import NOT_A_TIMELINE
from haulier.contexts.tracking.ingest.rules.parsed import RefusalReason
from haulier.contexts.tracking.ingest.rules.refused_scans import NUMBER_MAX, push_digest, refused_scans
from haulier.contexts.tracking.ingest.rules.strict_json import (
    DOCUMENT_MALFORMED,
    DUPLICATE_KEY,
    NOT_UTF8,
    NUMBER_TOO_LONG,
    TOO_COMPLEX,
    TOO_DEEP,
    read_json,
)
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.operations.declaration import RateLimit
from haulier.kernel.operations.errors import RATE_LIMITED, OperationError
from haulier.kernel.request_context import RequestContext

STORED_ERRORS = (
    NOT_A_TIMELINE,
    DOCUMENT_MALFORMED,
    DUPLICATE_KEY,
    NOT_UTF8,
    NUMBER_TOO_LONG,
    TOO_COMPLEX,
    TOO_DEEP,
)
"""Refusals of a whole document after which it is stored."""
STORED_BYTES_MAX = 262_144
"""Webhooks of carriers are smaller; a larger document is no webhook."""
STORED_A_DAY = RateLimit(1000, 86_400, ("key",))


async def report_refused_webhook(call: Call, body: bytes, refused: Mapping[str, Sequence[RefusalReason]]) -> None:
    """Announce the refused events of a carrier's webhook, or its event that is not known."""
    document = read_json(body)
    form, reason = recognise_push(document), not_understood(document)
    if form is None or not (refused or reason):
        return
    provider_id = call.principal.token_id or 0
    event = CarrierPushRefused(
        provider_id=provider_id,
        provider=call.principal.name or "",
        sender=form.sender,
        tracking_number=pushed_number(form, document)[:NUMBER_MAX],
        reasons=(to_builtins(reason),) if reason else (),
        push_id=push_digest(provider_id, body),
        pushed_at=call.now,
        document=body.decode(),
        scans=refused_scans(native_of_push(document), refused),
    )
    await call.publish(event)


async def store_unreadable_push(context: RequestContext, body: bytes, error: OperationError) -> None:
    """Announce a push that nobody could read, in a transaction of its own: the call itself is refused."""
    client_id, provider_id = context.principal.client_id, context.principal.token_id
    is_stored = error.error_type in STORED_ERRORS and 0 < len(body) <= STORED_BYTES_MAX
    if not is_stored or context.dry_run or client_id is None or provider_id is None:
        return
    try:
        await context.app.rate_limiter.consume(
            "ingest.unreadable", (STORED_A_DAY,), lambda _: provider_id, context.app.clock()
        )
    except OperationError as limited:
        if limited.error_type is not RATE_LIMITED:
            raise
        return
    async with context.app.database.write(client_id) as work:
        call = await call_as_system(context.app, client_id, work)
        event = CarrierPushRefused(
            provider_id=provider_id,
            provider=context.principal.name or "",
            reasons=(to_builtins(RefusalReason("$", error.error_type.id, dict(error.params))),),
            push_id=push_digest(provider_id, body),
            pushed_at=call.now,
            document=body.decode(errors="replace").replace("\x00", "\ufffd"),
            scans=(),
        )
        await call.publish(event)
