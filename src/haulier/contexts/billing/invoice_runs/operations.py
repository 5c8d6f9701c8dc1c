"""Operations on invoice runs."""

from collections.abc import Collection

from haulier.contexts.billing.invoice_runs.contract import (
    InvoiceRunAnswer,
    InvoiceRunCustomers,
    InvoiceRunList,
    InvoiceRunPreview,
    InvoiceRunRef,
    ListInvoiceRunCustomers,
    ListInvoiceRuns,
    PreviewInvoiceRun,
    PreviewSum,
    StartInvoiceRun,
)
from haulier.contexts.billing.invoice_runs.queries import end_of_run, preview_invoices, sum_customers
from haulier.contexts.billing.invoice_runs.rules import (
    INVOICE_RUN_JOB,
    INVOICE_RUN_NOT_OVER,
    INVOICE_RUN_OVER,
    RUN_KIND,
    SEND_RUN_JOB,
    STATES,
    CustomerSum,
    RunInvoices,
)
from haulier.contexts.billing.invoice_runs.serializers import describe_customers, describe_runs
from haulier.contexts.billing.invoice_runs.store import RunHeader, invoice_runs
from haulier.contexts.billing.invoices.rules import NOTHING_TO_INVOICE
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.values.batch_states import UNFINISHED

RUNS_PATH = "/v1/billing/invoice-runs"
RUN_PATH = f"{RUNS_PATH}/{{invoice_run_id}}"
READ, WRITE = {Scope.ANALYTICS_READ}, {Scope.BILLING_WRITE}
OVER = frozenset({"done", "partly_done", "failed", "cancelled"})


@reads(
    "preview_invoice_run",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("GET", "/v1/billing/invoice-run-preview"), GraphQL("invoiceRunPreview")),
)
async def preview_invoice_run(call: Call, request: PreviewInvoiceRun) -> InvoiceRunPreview:
    """Preview an invoice run.

    Lists the customers with charges to invoice: lines, taxes, totals and warnings. Nothing is issued.
    """
    until = end_of_run(call, request.cycle, request.until)
    sums = await sum_customers(call, until, request.cycle, _named(request.customer_ids))
    page = sums[request.offset : request.offset + request.per_page]
    return InvoiceRunPreview(
        total=len(sums),
        page=request.page,
        per_page=request.per_page,
        until=until,
        sums=[_sum(currency, sums) for currency in sorted({each.currency for each in sums})],
        customers=await preview_invoices(call, page, until),
    )


def _sum(currency: str, sums: Collection[CustomerSum]) -> PreviewSum:
    found = [each for each in sums if each.currency == currency]
    return PreviewSum(
        credit_currency=currency,
        customers=len(found),
        lines=sum(each.lines for each in found),
        total_minor=sum(each.total_minor for each in found),
    )


def _named(customer_ids: Collection[int] | None) -> Collection[int] | None:
    return None if customer_ids is None else frozenset(customer_ids)


@writes(
    "start_invoice_run",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    errors=(NOTHING_TO_INVOICE,),
    interfaces=(Rest("POST", RUNS_PATH, status=201), GraphQL("startInvoiceRun")),
)
async def start_invoice_run(call: Call, request: StartInvoiceRun) -> InvoiceRunAnswer:
    """Start an invoice run.

    Issues the invoices of all customers with charges in the background, one customer at a time. Delivered orders that
    wait for an invoice run are charged first. A second run for the same period issues nothing twice.
    """
    until = end_of_run(call, request.cycle, request.until)
    sums = await sum_customers(call, until, request.cycle, _named(request.customer_ids))
    customers = list(dict.fromkeys(each.customer_id for each in sums))
    if not customers:
        raise NOTHING_TO_INVOICE()
    header = {
        "kind": RUN_KIND,
        "check_only": False,
        "encoding": None,
        "created_by": call.actor,
        "created_at": call.now,
        "cycle": request.cycle and request.cycle.value,
        "until": until,
        "send": request.send,
    }
    run_id = await invoice_runs.insert_import(call.work, header, [{"customer_id": id} for id in customers])
    await call.enqueue(INVOICE_RUN_JOB, RunInvoices(run_id))
    call.add_audit_subjects("invoice_run", run_id)
    return await _answer(call, run_id)


@reads(
    "list_invoice_runs",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("GET", RUNS_PATH), GraphQL("invoiceRuns")),
)
async def list_invoice_runs(call: Call, request: ListInvoiceRuns) -> InvoiceRunList:
    """List invoice runs, newest first."""
    headers, total = await invoice_runs.list_import_headers(
        call.work, None, limit=request.per_page, offset=request.offset
    )
    return InvoiceRunList(
        total=total, page=request.page, per_page=request.per_page, invoice_runs=await describe_runs(call, headers)
    )


@reads(
    "get_invoice_run",
    audience=OFFICE,
    scopes=READ,
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", RUN_PATH), GraphQL("invoiceRun")),
)
async def get_invoice_run(call: Call, request: InvoiceRunRef) -> InvoiceRunAnswer:
    """Get an invoice run.

    Returns its progress and sums. `list_invoices` lists its invoices by `invoice_run_id`.
    """
    return await _answer(call, request.invoice_run_id)


@reads(
    "list_invoice_run_customers",
    audience=OFFICE,
    scopes=READ,
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", f"{RUN_PATH}/customers"), GraphQL("invoiceRunCustomers")),
)
async def list_invoice_run_customers(call: Call, request: ListInvoiceRunCustomers) -> InvoiceRunCustomers:
    """List the customers of an invoice run.

    Each has its outcome, invoices or error.
    """
    header = await _require(call, request.invoice_run_id)
    counts = (await invoice_runs.count_rows_by_state(call.work, [header.id]))[header.id]
    state = STATES[request.outcome].value if request.outcome else None
    rows = await invoice_runs.list_import_rows(
        call.work, header.id, state, limit=request.per_page, offset=request.offset
    )
    return InvoiceRunCustomers(
        total=counts.get(state, 0) if state else header.rows,
        page=request.page,
        per_page=request.per_page,
        customers=await describe_customers(call, header.id, rows),
    )


@writes(
    "cancel_invoice_run",
    available_when={"state": UNFINISHED},
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, INVOICE_RUN_OVER),
    interfaces=(Rest("POST", f"{RUN_PATH}/cancel"), GraphQL("cancelInvoiceRun")),
)
async def cancel_invoice_run(call: Call, request: InvoiceRunRef) -> InvoiceRunAnswer:
    """Cancel an invoice run.

    Customers who are not billed yet stay unbilled. Issued invoices are kept. Repeating the call changes nothing.
    """
    header = await _require(call, request.invoice_run_id, lock=True)
    if header.cancelled_at is None:
        if header.finished_at is not None:
            raise INVOICE_RUN_OVER(invoice_run_id=header.id)
        await invoice_runs.cancel_import(call.work, header.id, call.now)
    call.add_audit_subjects("invoice_run", header.id)
    return await _answer(call, header.id)


@writes(
    "retry_invoice_run",
    available_when={"state": OVER - {"cancelled"}},
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    errors=(NOT_FOUND, INVOICE_RUN_NOT_OVER),
    interfaces=(Rest("POST", f"{RUN_PATH}/retry"), GraphQL("retryInvoiceRun")),
)
async def retry_invoice_run(call: Call, request: InvoiceRunRef) -> InvoiceRunAnswer:
    """Retry the failed customers of an invoice run.

    Customers with invoices are not billed again.
    """
    header = await _require(call, request.invoice_run_id, lock=True)
    if header.finished_at is None or header.cancelled_at is not None:
        raise INVOICE_RUN_NOT_OVER(invoice_run_id=header.id)
    if await invoice_runs.retry_import(call.work, header.id):
        await call.enqueue(INVOICE_RUN_JOB, RunInvoices(header.id))
    call.add_audit_subjects("invoice_run", header.id)
    return await _answer(call, header.id)


@writes(
    "send_invoice_run",
    available_when={"state": OVER},
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, INVOICE_RUN_NOT_OVER),
    interfaces=(Rest("POST", f"{RUN_PATH}/send"), GraphQL("sendInvoiceRun")),
)
async def send_invoice_run(call: Call, request: InvoiceRunRef) -> InvoiceRunAnswer:
    """Send the invoices of a run by email.

    Invoices that were already sent are skipped.
    """
    header = await _require(call, request.invoice_run_id, lock=True)
    if header.finished_at is None:
        raise INVOICE_RUN_NOT_OVER(invoice_run_id=header.id)
    await call.enqueue(SEND_RUN_JOB, RunInvoices(header.id))
    call.add_audit_subjects("invoice_run", header.id)
    return await _answer(call, header.id)


async def _require(call: Call, run_id: int, *, lock: bool = False) -> RunHeader:
    header = await invoice_runs.get_import_header(call.work, run_id, lock=lock)
    if header is None:
        raise record_not_found(invoice_run_id=run_id)
    return header


async def _answer(call: Call, run_id: int) -> InvoiceRunAnswer:
    return InvoiceRunAnswer(invoice_run=(await describe_runs(call, [await _require(call, run_id)]))[0])
