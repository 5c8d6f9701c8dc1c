"""Many orders in one call, now or in a job that goes on where a server stops."""

from haulier.contexts.shipping.labels.actions.wanted import Wanted
from haulier.contexts.shipping.labels.operations.rates import SHIPPERS
from haulier.contexts.shipping.labels.queries import call_of
from haulier.contexts.shipping.uniorder.actions.batches import await_purchases, make_rows, rate_named_ways
from haulier.contexts.shipping.uniorder.actions.jobs import CREATE, RATE, begin_job
from haulier.contexts.shipping.uniorder.contract.batches import (
    CreateUniorderBatch,
    CreateUniorderBatchAsync,
    GetUniorderJob,
    ListUniorderJobs,
    RateUniorderBatchAsync,
    UniorderBatchResult,
    UniorderJobAnswer,
    UniorderJobList,
    UniorderJobRef,
    UniorderJobStarted,
)
from haulier.contexts.shipping.uniorder.operations.rates import MAX_BATCH_BODY_BYTES
from haulier.contexts.shipping.uniorder.queries import get_visible_job
from haulier.contexts.shipping.uniorder.rules.states import UNIORDER_JOB_IS_OVER, UniorderStatus
from haulier.contexts.shipping.uniorder.serializers.jobs import job_progress, job_record
from haulier.contexts.shipping.uniorder.serializers.outcomes import (
    batch_result,
    count_without_label,
    outcome_errors,
    row_outcomes,
    row_reference,
    stored_outcomes,
    uniorder_records,
)
from haulier.contexts.shipping.uniorder.store import jobs as store
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, OperationError
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.batch_states import UNFINISHED
from haulier.kernel.values.pagination import total_fields


async def rate_choices(context: RequestContext, request: CreateUniorderBatch) -> list[Wanted | OperationError | None]:
    """What the named labels cost now."""
    return await rate_named_ways(context.app, context.principal.business, request.orders)


async def finish_labels(context: RequestContext, request: object, answer: UniorderBatchResult) -> UniorderBatchResult:
    """Ask the carriers for the labels that were claimed, and answer with what came of them."""
    client_id = context.principal.client_id
    made = [outcome for outcome in answer.outcomes if outcome.order]
    pending = [
        outcome.order.shipment_id
        for outcome in made
        if outcome.order and outcome.order.status == UniorderStatus.LABEL_PURCHASE_PENDING and outcome.order.shipment_id
    ]
    if client_id is None or not pending:
        return answer
    await await_purchases(context.app, client_id, pending)
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
    doors=(
        Rest("POST", "/v1/uniorder/batch"),
        GraphQL("uniorderCreateBatch"),
        Mcp("uniorder_create_batch", title="Order many deliveries or labels"),
    ),
    prepare=rate_choices,
    conclude=finish_labels,
)
async def uniorder_create_batch(call: Call, request: CreateUniorderBatch) -> UniorderBatchResult:
    """Create up to 20 orders in one call, each as `uniorder_create` does. One that is refused does not stop the others."""
    results = await make_rows(call, request.orders, call.prepared)
    return batch_result(await row_outcomes(call, request.orders, results))


@writes(
    "uniorder_rate_batch_async",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    risk=Risk.LOW,
    body_limit_bytes=MAX_BATCH_BODY_BYTES,
    doors=(
        Rest("POST", "/v1/uniorder/rate/batch-async"),
        GraphQL("uniorderRateBatchAsync"),
        Mcp("uniorder_rate_batch_async", title="Rate many orders later"),
    ),
)
async def uniorder_rate_batch_async(call: Call, request: RateUniorderBatchAsync) -> UniorderJobStarted:
    """Rate up to 500 forms in a job. The answer names it at once; `uniorder_job` reads how far it is and what came of each."""
    begun = await begin_job(call, RATE, request.shipments, [row_reference(row) for row in request.shipments])
    return UniorderJobStarted(job_id=begun.id, total=len(request.shipments), refused=begun.refused)


@writes(
    "uniorder_create_batch_async",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    body_limit_bytes=MAX_BATCH_BODY_BYTES,
    doors=(
        Rest("POST", "/v1/uniorder/batch-async"),
        GraphQL("uniorderCreateBatchAsync"),
        Mcp("uniorder_create_batch_async", title="Order many deliveries or labels later"),
    ),
)
async def uniorder_create_batch_async(call: Call, request: CreateUniorderBatchAsync) -> UniorderJobStarted:
    """Create up to 500 orders in a job. The answer names it at once; a server that stops loses nothing and repeats nothing."""
    begun = await begin_job(call, CREATE, request.orders, [row_reference(row) for row in request.orders])
    return UniorderJobStarted(job_id=begun.id, total=len(request.orders), refused=begun.refused)


@reads(
    "uniorder_job",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    doors=(
        Rest("GET", "/v1/uniorder/jobs/{jobId}"),
        GraphQL("uniorderJob"),
        Mcp("uniorder_job", title="Read a job of orders"),
    ),
    errors=(NOT_FOUND,),
)
async def uniorder_job(call: Call, request: GetUniorderJob) -> UniorderJobAnswer:
    """Read how far a job is, and a page of what came of each of its forms: rates, or the order as it is now."""
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
    doors=(Rest("GET", "/v1/uniorder/jobs"), GraphQL("uniorderJobs")),
)
async def list_uniorder_jobs(call: Call, request: ListUniorderJobs) -> UniorderJobList:
    """List jobs that rate or create many orders, newest first, with how far each is. The office sees all, others their own."""
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
    doors=(Rest("POST", "/v1/uniorder/jobs/{jobId}/cancel"), GraphQL("cancelUniorderJob")),
    errors=(NOT_FOUND, UNIORDER_JOB_IS_OVER),
    allowed_where={"state": UNFINISHED},
)
async def cancel_uniorder_job(call: Call, request: UniorderJobRef) -> Done:
    """Cancel what a job has not done yet; what it has rated or ordered stays."""
    job = await get_visible_job(call, request.job_id, lock=True)
    if job.finished_at:
        raise UNIORDER_JOB_IS_OVER()
    await store.cancel_job(call.work, job.id, call.now)
    call.add_audit_subjects("uniorder_job", job.id)
    return Done(message=call.translate("uniorder_job_cancelled"))
