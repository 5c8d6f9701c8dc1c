"""Operations on Uniorders."""

import asyncio
from base64 import b64encode

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT
from haulier.contexts.orders.public import ORDER_STEP_REFUSED, load_label_contents
from haulier.contexts.orders.quotes.rules import QUOTE_MISMATCH
from haulier.contexts.shipping.labels.actions.carrier_rates import Wanted, rate_service
from haulier.contexts.shipping.labels.actions.purchases import wait_for_purchase
from haulier.contexts.shipping.labels.actions.submissions import reconcile_void
from haulier.contexts.shipping.labels.contract import LabelDocument
from haulier.contexts.shipping.labels.operations.purchase import SHIPPERS
from haulier.contexts.shipping.labels.queries import call_of, get_visible_shipment, list_labels
from haulier.contexts.shipping.labels.rules import (
    LABEL_NOT_BOUGHT,
    SHIPMENT_STEP_REFUSED,
    SHIPPING_RATE_EXPIRED,
    SHIPPING_RATE_NOT_AVAILABLE,
    ShipmentState,
)
from haulier.contexts.shipping.labels.serializers import MEDIA_TYPES, label_document, printed_label
from haulier.contexts.shipping.uniorder import actions, store
from haulier.contexts.shipping.uniorder.actions import (
    CREATE,
    CREATE_UNIORDER_ERRORS,
    RATE,
    RowResult,
    StoredQuote,
    begin_job,
    fetch_carrier_rates,
    fetch_row_rates,
    make_rows,
    make_uniorder,
    rate_named_option,
    rate_named_options,
    save_rates,
    save_rows,
    wait_for_purchases,
)
from haulier.contexts.shipping.uniorder.contract import (
    CancelUniorder,
    CreatedUniorder,
    CreateUniorder,
    CreateUniorderBatch,
    CreateUniorderBatchAsync,
    GetUniorderJob,
    GetUniorderLabel,
    ListUniorderJobs,
    ListUniorders,
    PurchaseUniorderLabel,
    RateUniorder,
    RateUniorderBatch,
    RateUniorderBatchAsync,
    UniorderAnswer,
    UniorderBatchResult,
    UniorderDetail,
    UniorderJobAnswer,
    UniorderJobList,
    UniorderJobRef,
    UniorderJobStarted,
    UniorderLabels,
    UniorderList,
    UniorderParcelTracking,
    UniorderRateList,
    UniorderRef,
    UniorderTracking,
)
from haulier.contexts.shipping.uniorder.queries import carry, get_visible_job, get_visible_uniorder, list_conditions
from haulier.contexts.shipping.uniorder.rules import UNIORDER_HAS_NO_LABEL, UNIORDER_JOB_IS_OVER, UniorderStatus
from haulier.contexts.shipping.uniorder.serializers import (
    batch_result,
    count_without_label,
    job_progress,
    job_record,
    outcome_errors,
    row_outcomes,
    row_reference,
    status_of,
    stored_outcomes,
    tracking_numbers,
    uniorder_detail,
    uniorder_rates,
    uniorder_record,
    uniorder_records,
)
from haulier.contexts.tracking.public import list_visible_timelines
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Mcp, Representation, Representations, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, OperationError, record_not_found
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.batch_states import UNFINISHED
from haulier.kernel.values.pagination import MAX_COUNT, total_fields
from haulier.rendering.labels import LabelContent, render_label_pdf, render_label_zpl, render_labels_png


async def _detail(call: Call, row: store.UniorderRow) -> UniorderDetail:
    (order,) = await carry(call, [row])
    return uniorder_detail(call, order)


async def rate_choice(context: RequestContext, request: CreateUniorder) -> Wanted | None:
    """Return the current price of the named label."""
    return await rate_named_option(context.app, context.principal.business, request)


async def finish_label(context: RequestContext, request: object, answer: UniorderAnswer) -> UniorderAnswer:
    """Buy the claimed label and return the result."""
    client_id, order = context.principal.client_id, answer.order
    pending = order.status == UniorderStatus.LABEL_PURCHASE_PENDING and order.shipment_id is not None
    if client_id is None or order.shipment_id is None or not pending:
        return answer
    await wait_for_purchase(context.app, client_id, order.shipment_id)
    async with context.app.database.read(client_id) as work:
        row = await store.get_uniorder_row(work, order.id)
        if row is not None:
            answer.order = await _detail(call_of(context, work), row)
    return answer


@writes(
    "uniorder_create",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", "/v1/uniorder"),
        GraphQL("uniorderCreate"),
        Mcp("uniorder_create", title="Create a Uniorder"),
    ),
    prepare=rate_choice,
    after_commit=finish_label,
    errors=CREATE_UNIORDER_ERRORS,
)
async def uniorder_create(call: Call, request: CreateUniorder) -> CreatedUniorder:
    """Create a Uniorder.

    Orders a local delivery or a carrier's label, by a quoted rate, or by a form and a service. A repeat with the same
    `order_ref`, or the same rate without one, returns the existing order. If the carrier sells no label, the order has
    the status LABEL_PURCHASE_FAILED, and `uniorder_purchase_label` buys it later.
    """
    made = await make_uniorder(call, request, call.prepared)
    return CreatedUniorder(order=await _detail(call, made.row), existing=made.existing)


@reads(
    "uniorder_get",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    interfaces=(
        Rest("GET", "/v1/uniorder/{orderId}"),
        GraphQL("uniorder"),
        Mcp("uniorder_get", title="Get a Uniorder"),
    ),
    errors=(NOT_FOUND,),
)
async def uniorder_get(call: Call, request: UniorderRef) -> UniorderAnswer:
    """Get a Uniorder.

    Returns its status, carrier, tracking numbers and price.
    """
    return UniorderAnswer(order=await _detail(call, await get_visible_uniorder(call, request.order_id)))


@reads(
    "list_uniorders",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    interfaces=(Rest("GET", "/v1/uniorder"), GraphQL("uniorders")),
)
async def list_uniorders(call: Call, request: ListUniorders) -> UniorderList:
    """List Uniorders, newest first."""
    rows, counted = await store.list_uniorder_rows(
        call.work, list_conditions(call, request), request.per_page, request.offset, MAX_COUNT + 1
    )
    return UniorderList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        orders=[uniorder_record(call, order) for order in await carry(call, rows)],
    )


async def rate_purchase(context: RequestContext, request: PurchaseUniorderLabel) -> Wanted | None:
    """Return the current price of the label if no rate is named."""
    async with context.app.database.read(context.principal.client_id) as work:
        wanted = await actions.rate_for_purchase(call_of(context, work), request)
    if wanted is None:
        return None
    return await rate_service(context.app, context.principal.business, *wanted)


@writes(
    "uniorder_purchase_label",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", "/v1/uniorder/{orderId}/purchase-label"),
        GraphQL("uniorderPurchaseLabel"),
        Mcp("uniorder_purchase_label", title="Buy the label of a Uniorder"),
    ),
    prepare=rate_purchase,
    after_commit=finish_label,
    errors=(
        NOT_FOUND,
        UNIORDER_HAS_NO_LABEL,
        SHIPMENT_STEP_REFUSED,
        QUOTE_MISMATCH,
        SHIPPING_RATE_EXPIRED,
        SHIPPING_RATE_NOT_AVAILABLE,
        CREDIT_INSUFFICIENT,
    ),
)
async def uniorder_purchase_label(call: Call, request: PurchaseUniorderLabel) -> UniorderAnswer:
    """Buy the missing label of a Uniorder.

    With the same service at its current price, with another service, or at another rate.
    """
    row = await actions.purchase_label(call, request, call.prepared)
    return UniorderAnswer(order=await _detail(call, row))


async def finish_cancel(context: RequestContext, request: object, answer: UniorderAnswer) -> UniorderAnswer:
    """Void the label with the carrier and return the result."""
    client_id, order = context.principal.client_id, answer.order
    if client_id is None or order.shipment_id is None or order.carrier_status != ShipmentState.VOID_PENDING:
        return answer
    await reconcile_void(context.app, client_id, order.shipment_id)
    async with context.app.database.read(client_id) as work:
        row = await store.get_uniorder_row(work, order.id)
        if row is not None:
            answer.order = await _detail(call_of(context, work), row)
    return answer


@writes(
    "uniorder_cancel",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", "/v1/uniorder/{orderId}/cancel"),
        GraphQL("uniorderCancel"),
        Mcp("uniorder_cancel", title="Cancel a Uniorder"),
    ),
    after_commit=finish_cancel,
    errors=(NOT_FOUND, ORDER_STEP_REFUSED, SHIPMENT_STEP_REFUSED),
)
async def uniorder_cancel(call: Call, request: CancelUniorder) -> UniorderAnswer:
    """Cancel a Uniorder.

    Cancels the local order, or voids the label, whose price is refunded. A carrier that decides later is queried until
    it has decided; until then the order is unchanged.
    """
    row = await actions.cancel_uniorder(call, request.order_id, request.reason)
    return UniorderAnswer(order=await _detail(call, row))


LABEL_FORMS = Representations(
    tuple(Representation(media_type, form) for form, media_type in MEDIA_TYPES.items()),
    data_field="document",
    media_type_field="media_type",
)


@reads(
    "uniorder_label",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    interfaces=(
        Rest("GET", "/v1/uniorder/{orderId}/label", representations=LABEL_FORMS),
        GraphQL("uniorderLabel"),
        Mcp("uniorder_label", title="Get Uniorder labels"),
    ),
    errors=(NOT_FOUND, LABEL_NOT_BOUGHT),
)
async def uniorder_label(call: Call, request: GetUniorderLabel) -> UniorderLabels:
    """Get the labels of a Uniorder.

    Labels of local delivery have the requested format; carriers' labels are as printed.
    """
    row = await get_visible_uniorder(call, request.order_id)
    if row.local_order_id is not None:
        return await _local_labels(call, request, row.id, row.local_order_id)
    shipment = await get_visible_shipment(call, row.shipment_id or 0)
    labels = [label_document(label) for label in await list_labels(call, shipment, request.parcel)]
    return UniorderLabels(order_id=row.id, media_type=labels[0].media_type, document=labels[0].document, labels=labels)


async def _local_labels(call: Call, request: GetUniorderLabel, id: int, local_order_id: int) -> UniorderLabels:
    contents = await load_label_contents(call, [local_order_id])
    chosen = [each for each in contents if request.parcel in (None, each.piece)]
    if not chosen:
        raise record_not_found(parcel=request.parcel) if request.parcel else record_not_found(orderId=id)
    # In a thread: an order has up to 50 packages, and a picture takes ten milliseconds.
    document, labels = await asyncio.to_thread(_print, request.format, chosen)
    return UniorderLabels(
        order_id=id, media_type=MEDIA_TYPES[request.format], document=b64encode(document).decode(), labels=labels
    )


def _print(form: str, contents: list[LabelContent]) -> tuple[bytes, list[LabelDocument]]:
    labels = [printed_label(each.piece, each.tracking_number, form, _render(form, [each])) for each in contents]
    return _render(form, contents), labels


def _render(form: str, contents: list[LabelContent]) -> bytes:
    if form == "zpl":
        return b"\n".join(map(render_label_zpl, contents))
    return render_label_pdf(contents) if form == "pdf" else render_labels_png(contents)


@reads(
    "uniorder_tracking",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    interfaces=(
        Rest("GET", "/v1/uniorder/{orderId}/tracking"),
        GraphQL("uniorderTracking"),
        Mcp("uniorder_tracking", title="Track a Uniorder"),
    ),
    errors=(NOT_FOUND,),
)
async def uniorder_tracking(call: Call, request: UniorderRef) -> UniorderTracking:
    """Track the packages of a Uniorder.

    Returns the same timelines as other tracking operations, for any carrier.
    """
    (order,) = await carry(call, [await get_visible_uniorder(call, request.order_id)])
    numbers = tracking_numbers(order)
    timelines = await list_visible_timelines(call, numbers) if numbers else {}
    trackings = [
        UniorderParcelTracking(tracking_number=number, timeline=timelines[number])
        for number in numbers
        if number in timelines
    ]
    return UniorderTracking(order_id=order.row.id, status=status_of(order), trackings=trackings)


MAX_BATCH_BODY_BYTES = 20_000_000


async def quote_form(context: RequestContext, request: RateUniorder) -> StoredQuote:
    """Return the rates of a form, stored except in a dry run."""
    app, principal = context.app, context.principal
    rated = await fetch_carrier_rates(app, principal.business, request)
    begin = app.database.read if context.dry_run else app.database.write
    async with begin(principal.client_id) as work:
        return await save_rates(call_of(context, work), request, rated, keep=not context.dry_run)


@reads(
    "uniorder_rate",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    interfaces=(
        Rest("POST", "/v1/uniorder/rate"),
        GraphQL("uniorderRate"),
        Mcp("uniorder_rate", title="Rate a Uniorder"),
    ),
    prepare=quote_form,
    errors=(NOT_FOUND,),
)
async def uniorder_rate(call: Call, request: RateUniorder) -> UniorderRateList:
    """Rate a Uniorder.

    Quotes local delivery, and with `quote_labels` every label carrier. Rates have ids and hold until they expire. A
    carrier that is slow or cannot carry the shipment is named in `messages`. If prices of local delivery or of labels
    are hidden, those rates come last, by name, and the others keep their prices.
    """
    kept: StoredQuote = call.prepared
    rates = uniorder_rates(call, kept.id, kept.quoted, kept.asked_at)
    return UniorderRateList(
        quote_id=rates.quote_id, expires_at=rates.expires_at, rates=rates.rates, messages=rates.messages
    )


async def quote_forms(context: RequestContext, request: RateUniorderBatch) -> list[RowResult]:
    """Return the rates of many forms, stored except in a dry run."""
    app, principal = context.app, context.principal
    said = await fetch_row_rates(app, principal.business, request.shipments)
    begin = app.database.read if context.dry_run else app.database.write
    async with begin(principal.client_id) as work:
        return await save_rows(call_of(context, work), request.shipments, said, keep=not context.dry_run)


@reads(
    "uniorder_rate_batch",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    body_limit_bytes=MAX_BATCH_BODY_BYTES,
    interfaces=(
        Rest("POST", "/v1/uniorder/rate/batch"),
        GraphQL("uniorderRateBatch"),
        Mcp("uniorder_rate_batch", title="Rate many Uniorders"),
    ),
    prepare=quote_forms,
)
async def uniorder_rate_batch(call: Call, request: RateUniorderBatch) -> UniorderBatchResult:
    """Rate up to 20 Uniorders.

    Each form is rated as by `uniorder_rate`. A rejected one does not stop the others.
    """
    results: list[RowResult] = call.prepared
    return batch_result(await row_outcomes(call, request.shipments, results))


async def rate_choices(context: RequestContext, request: CreateUniorderBatch) -> list[Wanted | OperationError | None]:
    """Return the current prices of the named labels."""
    return await rate_named_options(context.app, context.principal.business, request.orders)


async def finish_labels(context: RequestContext, request: object, answer: UniorderBatchResult) -> UniorderBatchResult:
    """Buy the claimed labels and return the results."""
    client_id = context.principal.client_id
    made = [outcome for outcome in answer.outcomes if outcome.order]
    pending = [
        outcome.order.shipment_id
        for outcome in made
        if outcome.order and outcome.order.status == UniorderStatus.LABEL_PURCHASE_PENDING and outcome.order.shipment_id
    ]
    if client_id is None or not pending:
        return answer
    await wait_for_purchases(context.app, client_id, pending)
    async with context.app.database.read(client_id) as work:
        ids = [outcome.order.id for outcome in made if outcome.order]
        records = await uniorder_records(call_of(context, work), ids)
    for outcome in made:
        if outcome.order:
            outcome.order = records.get(outcome.order.id, outcome.order)
    answer.without_label = count_without_label(answer.outcomes)
    return answer


@writes(
    "uniorder_create_batch",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    body_limit_bytes=MAX_BATCH_BODY_BYTES,
    interfaces=(
        Rest("POST", "/v1/uniorder/batch"),
        GraphQL("uniorderCreateBatch"),
        Mcp("uniorder_create_batch", title="Create many Uniorders"),
    ),
    prepare=rate_choices,
    after_commit=finish_labels,
)
async def uniorder_create_batch(call: Call, request: CreateUniorderBatch) -> UniorderBatchResult:
    """Create up to 20 Uniorders.

    Each order is created as by `uniorder_create`. A rejected one does not stop the others.
    """
    results = await make_rows(call, request.orders, call.prepared)
    return batch_result(await row_outcomes(call, request.orders, results))


@writes(
    "uniorder_rate_batch_async",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    risk=Risk.LOW,
    body_limit_bytes=MAX_BATCH_BODY_BYTES,
    interfaces=(
        Rest("POST", "/v1/uniorder/rate/batch-async"),
        GraphQL("uniorderRateBatchAsync"),
        Mcp("uniorder_rate_batch_async", title="Rate many Uniorders in the background"),
    ),
)
async def uniorder_rate_batch_async(call: Call, request: RateUniorderBatchAsync) -> UniorderJobStarted:
    """Start a job that rates many Uniorders.

    Up to 500 forms. Returns the job at once; `uniorder_job` returns its progress and results.
    """
    begun = await begin_job(call, RATE, request.shipments, [row_reference(row) for row in request.shipments])
    return UniorderJobStarted(job_id=begun.id, total=len(request.shipments), refused=begun.refused)


@writes(
    "uniorder_create_batch_async",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    body_limit_bytes=MAX_BATCH_BODY_BYTES,
    interfaces=(
        Rest("POST", "/v1/uniorder/batch-async"),
        GraphQL("uniorderCreateBatchAsync"),
        Mcp("uniorder_create_batch_async", title="Create many Uniorders in the background"),
    ),
)
async def uniorder_create_batch_async(call: Call, request: CreateUniorderBatchAsync) -> UniorderJobStarted:
    """Start a job that creates many Uniorders.

    Up to 500 orders. Returns the job at once. A server restart loses nothing and repeats nothing.
    """
    begun = await begin_job(call, CREATE, request.orders, [row_reference(row) for row in request.orders])
    return UniorderJobStarted(job_id=begun.id, total=len(request.orders), refused=begun.refused)


@reads(
    "uniorder_job",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    interfaces=(
        Rest("GET", "/v1/uniorder/jobs/{jobId}"),
        GraphQL("uniorderJob"),
        Mcp("uniorder_job", title="Get a Uniorder job"),
    ),
    errors=(NOT_FOUND,),
)
async def uniorder_job(call: Call, request: GetUniorderJob) -> UniorderJobAnswer:
    """Get a Uniorder job with its results.

    Returns its progress, and a page of results: rates, or the current orders.
    """
    job = await get_visible_job(call, request.job_id)
    counts = (await store.count_rows_by_state(call.work, [job.id]))[job.id]
    rows = await store.list_rows_page(call.work, job.id, request.offset, request.per_page)
    outcomes = await stored_outcomes(call, rows)
    return UniorderJobAnswer(
        page=request.page,
        per_page=request.per_page,
        job_id=job.id,
        **job_progress(call, job, counts),
        outcomes=outcomes,
        errors=outcome_errors(outcomes),
    )


@reads(
    "list_uniorder_jobs",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    interfaces=(Rest("GET", "/v1/uniorder/jobs"), GraphQL("uniorderJobs")),
)
async def list_uniorder_jobs(call: Call, request: ListUniorderJobs) -> UniorderJobList:
    """List Uniorder jobs, newest first.

    Includes their progress. Staff see all jobs, others their own.
    """
    wanted = request.model_dump(include={"purpose"}, exclude_none=True)
    if call.principal.account not in OFFICE:
        wanted["created_by"] = call.actor
    jobs, counted = await store.list_job_rows(
        call.work, wanted, finished=request.finished, limit=request.per_page, offset=request.offset
    )
    counts = await store.count_rows_by_state(call.work, [job.id for job in jobs])
    return UniorderJobList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        jobs=[job_record(call, job, counts[job.id]) for job in jobs],
    )


@writes(
    "cancel_uniorder_job",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/uniorder/jobs/{jobId}/cancel"), GraphQL("cancelUniorderJob")),
    errors=(NOT_FOUND, UNIORDER_JOB_IS_OVER),
    available_when={"state": UNFINISHED},
)
async def cancel_uniorder_job(call: Call, request: UniorderJobRef) -> Done:
    """Cancel the remaining rows of a Uniorder job.

    Rates and orders that exist are kept.
    """
    job = await get_visible_job(call, request.job_id, lock=True)
    if job.finished_at:
        raise UNIORDER_JOB_IS_OVER()
    await store.cancel_job(call.work, job.id, call.now)
    call.add_audit_subjects("uniorder_job", job.id)
    return Done(message=call.translate("uniorder_job_cancelled"))
