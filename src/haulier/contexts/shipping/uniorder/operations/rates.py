"""What it costs to send something, by every way at once."""

from haulier.contexts.shipping.labels.operations.rates import SHIPPERS
from haulier.contexts.shipping.labels.queries import call_of
from haulier.contexts.shipping.uniorder.actions.batches import RowResult, ask_for_rows, keep_rows
from haulier.contexts.shipping.uniorder.actions.quotes import KeptForm, ask_carriers, keep_rates
from haulier.contexts.shipping.uniorder.contract.batches import RateUniorderBatch, UniorderBatchResult
from haulier.contexts.shipping.uniorder.contract.rates import RateUniorder, UniorderRateList
from haulier.contexts.shipping.uniorder.serializers.outcomes import batch_result, row_outcomes
from haulier.contexts.shipping.uniorder.serializers.rates import uniorder_rates
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.request_context import RequestContext

MAX_BATCH_BODY_BYTES = 20_000_000


async def quote_form(context: RequestContext, request: RateUniorder) -> KeptForm:
    """The rates of a form, kept; in a rehearsal they are not."""
    app, principal = context.app, context.principal
    rated = await ask_carriers(app, principal.business, request)
    begin = app.database.read if context.dry_run else app.database.write
    async with begin(principal.client_id) as work:
        return await keep_rates(call_of(context, work), request, rated, keep=not context.dry_run)


@reads(
    "uniorder_rate",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    doors=(
        Rest("POST", "/v1/uniorder/rate"),
        GraphQL("uniorderRate"),
        Mcp("uniorder_rate", title="Rate an order by every way"),
    ),
    prepare=quote_form,
    errors=(NOT_FOUND,),
)
async def uniorder_rate(call: Call, request: RateUniorder) -> UniorderRateList:
    """Quote local delivery, and with `quote_labels` every label carrier too.

    Rates have ids and hold until they expire. A carrier that is slow or cannot carry it is named in `messages`. Where prices of
    local delivery or of labels are hidden, those rates come last and by name, and the others keep their prices.
    """
    kept: KeptForm = call.prepared
    rates = uniorder_rates(call, kept.id, kept.quoted, kept.asked_at)
    return UniorderRateList(
        quote_id=rates.quote_id, expires_at=rates.expires_at, rates=rates.rates, messages=rates.messages
    )


async def quote_forms(context: RequestContext, request: RateUniorderBatch) -> list[RowResult]:
    """The rates of many forms, kept; in a rehearsal they are not."""
    app, principal = context.app, context.principal
    said = await ask_for_rows(app, principal.business, request.shipments)
    begin = app.database.read if context.dry_run else app.database.write
    async with begin(principal.client_id) as work:
        return await keep_rows(call_of(context, work), request.shipments, said, keep=not context.dry_run)


@reads(
    "uniorder_rate_batch",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    body_limit_bytes=MAX_BATCH_BODY_BYTES,
    doors=(
        Rest("POST", "/v1/uniorder/rate/batch"),
        GraphQL("uniorderRateBatch"),
        Mcp("uniorder_rate_batch", title="Rate many orders"),
    ),
    prepare=quote_forms,
)
async def uniorder_rate_batch(call: Call, request: RateUniorderBatch) -> UniorderBatchResult:
    """Rate up to 20 forms in one call, each as `uniorder_rate` does. One that is refused does not stop the others."""
    results: list[RowResult] = call.prepared
    return batch_result(await row_outcomes(call, request.shipments, results))
