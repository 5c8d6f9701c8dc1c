"""Push events: as native timelines, or as EPCIS documents."""

from collections import Counter
from collections.abc import Collection, Iterator

from msgspec import UNSET

from haulier.contexts.tracking.ingest.actions import (
    IngestResolution,
    QueuedEvents,
    ResolvedEvent,
    assign_carrier_to_known,
    persist_resolution,
    queue_events,
    report_refused_webhook,
    resolve_document,
    store_unreadable_push,
    without_queued,
)
from haulier.contexts.tracking.ingest.contract import (
    EntrustedParcels,
    EntrustParcels,
    IngestCounts,
    IngestEpcis,
    IngestReceipt,
    IngestResult,
    IngestTimelines,
    NotEntrusted,
    OnError,
    SignedPush,
)
from haulier.contexts.tracking.ingest.queries import require_push_signature
from haulier.contexts.tracking.ingest.rules import parsed
from haulier.contexts.tracking.ingest.rules.carrier_pushes import PUSH_SIGNATURE_WRONG, IngestOutcome, native_of_push
from haulier.contexts.tracking.ingest.rules.epcis_events import NO_EVENTS, NOT_EPCIS, read_epcis, require_json_head
from haulier.contexts.tracking.ingest.rules.epcis_xml import MALFORMED_XML, XML_DECLARATION_REFUSED, read_xml
from haulier.contexts.tracking.ingest.rules.native_document import NOT_A_TIMELINE, read_native
from haulier.contexts.tracking.ingest.rules.parsed import (
    DOCUMENT_MALFORMED,
    DUPLICATE_KEY,
    NOT_UTF8,
    NUMBER_TOO_LONG,
    TOO_COMPLEX,
    TOO_DEEP,
    TOO_MANY_EVENTS,
    ParsedDocument,
    read_json,
)
from haulier.contexts.tracking.ingest.serializers import refusal_answer
from haulier.contexts.tracking.providers.queries import PROVIDER_KEY_NEEDED, require_provider_grant
from haulier.contexts.tracking.timelines.queries import late_event_ids
from haulier.kernel.call import Call
from haulier.kernel.http.preferences import APPLIED_HEADER, RESPOND_ASYNC, is_preferred
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import FieldError, OperationError, declare_error
from haulier.kernel.principal import ProviderGrant
from haulier.kernel.request_context import RequestContext

INGEST_REFUSED = declare_error("ingest_refused", 422)

BODY_LIMIT_BYTES = 10_485_760
PROVIDER_AUDIENCE = frozenset({Account.PROVIDER})
PUSH_HEADERS = {
    "on_error": "GS1-Capture-Error-Behaviour",
    "prefer": "Prefer",
    "hmac_signature": "X-Hmac-Signature",
    "rsa_signature": "X-ShipEngine-RSA-SHA256-Signature",
    "rsa_key_id": "X-ShipEngine-RSA-SHA256-Key-ID",
    "signed_at": "X-ShipEngine-Timestamp",
    "shippo_signature": "Shippo-Auth-Signature",
    "aftership_signature": "aftership-hmac-sha256",
}
UPS_KEY_HEADER = "credential"
"""Track Alert sends what its subscription calls `credential`, here a provider's key, in a header of that name."""
KEY_PARAMETER = "token"
"""Shippo and AfterShip send no header of the subscriber's choice: their address carries the key."""
RECEIPT_OUTCOMES = (IngestOutcome.CORRECTED, IngestOutcome.ACCEPTED, IngestOutcome.DUPLICATE)
"""The outcome of an event on several timelines is the first of these that it has on any."""
UNREADABLE_DOCUMENT_ERRORS = (
    DOCUMENT_MALFORMED,
    NOT_UTF8,
    TOO_DEEP,
    DUPLICATE_KEY,
    NUMBER_TOO_LONG,
    TOO_COMPLEX,
    TOO_MANY_EVENTS,
)


async def _authorize_provider(context: RequestContext, request: SignedPush) -> ProviderGrant:
    """Return the rights of the calling provider, counting the call against its limit.

    Runs before the document is parsed. Raises `PUSH_SIGNATURE_WRONG` if the push lacks the signature that the
    provider's record requires.
    """
    provider_grant = require_provider_grant(context.principal)
    limit = RateLimit(provider_grant.per_minute, 60, ("key",))
    await context.app.rate_limiter.consume(
        "ingest", (limit,), lambda _: context.principal.token_id, context.app.clock()
    )
    await require_push_signature(context, provider_grant, request)
    return provider_grant


async def read_native_document(context: RequestContext, request: IngestTimelines) -> ParsedDocument:
    """Parse a native document before the transaction, which must not wait for it."""
    source = parsed.default_source(await _authorize_provider(context, request), context.principal.name or "")
    try:
        return read_native(native_of_push(read_json(request.document)), source)
    except OperationError as error:
        await store_unreadable_push(context, request.document, error)
        raise


async def read_epcis_document(context: RequestContext, request: IngestEpcis) -> ParsedDocument:
    """Parse an EPCIS document before the transaction, which must not wait for it."""
    source = parsed.default_source(await _authorize_provider(context, request), context.principal.name or "")
    if request.content_type.endswith("xml"):
        return read_epcis(read_xml(request.document), source)
    document = read_json(request.document)
    require_json_head(document)
    return read_epcis(document, source)


@writes(
    "ingest_timelines",
    audience=PROVIDER_AUDIENCE,
    scopes={Scope.TRACKING_WRITE},
    interfaces=(
        Rest("POST", "/v1/otep/ingest", headers=PUSH_HEADERS, token_header=UPS_KEY_HEADER, token_query=KEY_PARAMETER),
    ),
    prepare=read_native_document,
    body_limit_bytes=BODY_LIMIT_BYTES,
    errors=(NOT_A_TIMELINE, INGEST_REFUSED, PROVIDER_KEY_NEEDED, PUSH_SIGNATURE_WRONG, *UNREADABLE_DOCUMENT_ERRORS),
)
async def ingest_timelines(call: Call, request: IngestTimelines) -> IngestResult:
    """Push tracking events as native timelines.

    At most 1,000 events per call. Needs a provider's key. Webhooks of UPS (Track Alert), ShipEngine, EasyPost, Shippo
    and AfterShip are accepted in their own formats. If the key has a signature scheme, a push without a valid signature
    is rejected.

    Each event is added to the timeline of its shipment at its place in time, and the response gives the outcome of
    each. A timeline with a `current_status` and no events reports a current status: one event is added for each change
    of it. An entry of `voided` voids an event.
    """
    return await _ingest_document(call, call.prepared, request, is_webhook=True)


@writes(
    "ingest_epcis",
    audience=PROVIDER_AUDIENCE,
    scopes={Scope.TRACKING_WRITE},
    interfaces=(Rest("POST", "/v1/otep/ingest/epcis", headers=PUSH_HEADERS),),
    prepare=read_epcis_document,
    body_limit_bytes=BODY_LIMIT_BYTES,
    errors=(
        NOT_EPCIS,
        NO_EVENTS,
        MALFORMED_XML,
        XML_DECLARATION_REFUSED,
        INGEST_REFUSED,
        PROVIDER_KEY_NEEDED,
        PUSH_SIGNATURE_WRONG,
        *UNREADABLE_DOCUMENT_ERRORS,
    ),
)
async def ingest_epcis(call: Call, request: IngestEpcis) -> IngestResult:
    """Push tracking events as an EPCIS document.

    EPCIS 2.0 in JSON, or 1.2 or 2.0 in XML; at most 1,000 events per call. Needs a provider's key. An event is added to
    the timeline of each single thing that it names. An error declaration voids the event with its `eventID`. If one
    event is rejected, nothing is added, unless `GS1-Capture-Error-Behaviour: proceed` is sent.
    """
    return await _ingest_document(call, call.prepared, request)


async def _ingest_document(
    call: Call, document: ParsedDocument, request: IngestTimelines | IngestEpcis, *, is_webhook: bool = False
) -> IngestResult:
    grant, provider = require_provider_grant(call.principal), call.principal.name or ""
    behaviour: OnError = "proceed" if (document.on_error or request.on_error) == "proceed" else "rollback"
    # Not with rollback: every event must be checked before any is written.
    queues = behaviour == "proceed" and is_preferred(request.prefer, RESPOND_ASYNC)
    queued = await queue_events(call, document, grant, provider) if queues else None
    resolution = await resolve_document(call, without_queued(document, queued), grant, provider)
    if resolution.refused and behaviour == "rollback":
        reasons = [reason for path in document.paths for reason in resolution.refused.get(path, ())]
        errors = (FieldError(reason.path, reason.message, reason.params) for reason in reasons)
        raise INGEST_REFUSED.for_fields(*errors, refused=len(resolution.refused), events=len(document.paths))
    if is_webhook and (resolution.refused or not document.paths):
        await report_refused_webhook(call, request.document, resolution.refused)
    have_ends = await persist_resolution(call, resolution)
    call.add_audit_subjects("provider_key", call.principal.token_id or 0)
    asked = [(entry.subject_match.id or 0, entry.event) for entry in resolution.entries]
    late = await late_event_ids(call.work, asked, have_ends)
    receipts = list(_ingest_receipts(call, document, resolution, late, queued))
    outcomes = Counter(receipt.outcome for receipt in receipts)
    counts = IngestCounts(**{outcome.value: outcomes[outcome] for outcome in IngestOutcome})
    taken = len(receipts) > counts.refused or not receipts
    if queued:
        call.headers[APPLIED_HEADER] = RESPOND_ASYNC
    push_id = queued.push_id if queued else UNSET
    return IngestResult(result=taken, on_error=behaviour, counts=counts, receipts=receipts, push_id=push_id)


def _ingest_receipts(
    call: Call,
    document: ParsedDocument,
    resolution: IngestResolution,
    late: Collection[tuple[int, str]],
    queued: QueuedEvents | None,
) -> Iterator[IngestReceipt]:
    """Yield a receipt for each event, in order. `late` are (subject id, event id)."""
    by_path: dict[str, list[ResolvedEvent]] = {}
    for entry in resolution.entries:
        by_path.setdefault(entry.path, []).append(entry)
    for path in document.paths:
        if queued and path in queued.paths:
            yield IngestReceipt(path=path, outcome=IngestOutcome.QUEUED)
            continue
        if path in resolution.refused:
            reasons = [refusal_answer(call, reason) for reason in resolution.refused[path]]
            yield IngestReceipt(path=path, outcome=IngestOutcome.REFUSED, reasons=reasons)
            continue
        entries = by_path[path]
        outcomes = {entry.outcome for entry in entries}
        yield IngestReceipt(
            path=path,
            outcome=next(outcome for outcome in RECEIPT_OUTCOMES if outcome in outcomes),
            tracking_numbers=[entry.subject_match.number for entry in entries],
            event_ids=[entry.event.event_id for entry in entries],
            late=any((entry.subject_match.id, entry.event.event_id) in late for entry in entries) or UNSET,
        )


@writes(
    "entrust_parcels",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/otep/trackings/entrust"), GraphQL("entrustParcels")),
)
async def entrust_parcels(call: Call, request: EntrustParcels) -> EntrustedParcels:
    """Assign parcels to a carrier.

    Also possible after other carriers. From then on only providers that represent one of their carriers may push events
    of them. Until a parcel of an order is assigned to a carrier, the business delivers it itself, and no provider can
    end its journey.
    """
    numbers = list(dict.fromkeys(request.tracking_numbers))
    known = await assign_carrier_to_known(call, numbers, request.carrier)
    call.add_audit_subjects("tracking_subject", *sorted(set(known.values())))
    message = call.translate("tracking_not_found")
    errors = [NotEntrusted(tracking_number=number, message=message) for number in numbers if number not in known]
    return EntrustedParcels(entrusted=len(known), errors=errors)
