"""Jobs that bill customers: invoice runs, and automatic invoices on billing days."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from haulier.contexts.billing.invoice_runs import store
from haulier.contexts.billing.invoice_runs.actions import bill_customer
from haulier.contexts.billing.invoice_runs.rules import INVOICE_RUN_JOB, SEND_RUN_JOB, RunInvoices
from haulier.contexts.billing.invoice_runs.store import RunHeader, invoice_runs
from haulier.contexts.billing.invoices.actions.new_invoices import IssuedBy, release_emails
from haulier.contexts.billing.invoices.queries import load_terms
from haulier.contexts.billing.invoices.rules import BILL_CUSTOMER_JOB, SEND_INVOICE_JOB, BillCustomer, SendInvoice
from haulier.contexts.documents.public import get_issued_file
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.row_imports import RowOutcome, process_rows
from haulier.kernel.values.batch_states import ImportRowState

SENT_AT_ONCE = 500


@job(INVOICE_RUN_JOB, RunInvoices, queue="batches")
async def run_invoices(run: JobRun, args: RunInvoices) -> None:
    """Bill each customer in a separate transaction.

    A repeated run continues where it stopped.
    """
    await process_rows(run, invoice_runs, args.invoice_run_id, _bill_rows, find_keys=_find_keys, at_once=1)


async def _find_keys(call: Call, header: RunHeader, rows: Sequence[dict[str, Any]]) -> list[set[str]]:
    return [set() for _ in rows]


async def _bill_rows(call: Call, header: RunHeader, rows: Sequence[dict[str, Any]]) -> list[RowOutcome]:
    return [await _bill_row(call, header, row["customer_id"]) for row in rows]


async def _bill_row(call: Call, header: RunHeader, customer_id: int) -> RowOutcome:
    run = IssuedBy(invoice_run_id=header.id, email_held=not header.send)
    try:
        async with call.savepoint():
            issued = await bill_customer(call, customer_id, header.until, run=run)
    except OperationError as error:
        return RowOutcome(ImportRowState.REFUSED, error=error)
    return RowOutcome(ImportRowState.CREATED if issued else ImportRowState.UPDATED)


@job(SEND_RUN_JOB, RunInvoices, queue="batches")
async def send_run(run: JobRun, args: RunInvoices) -> None:
    """Enqueue the email of each invoice that was not sent yet.

    An invoice whose document is still being signed is sent afterwards.
    """
    after, more = 0, True
    while more:
        async with run.call() as call:
            rows = await store.list_unsent(call.work, args.invoice_run_id, after=after, most=SENT_AT_ONCE)
            await release_emails(call, [row.id for row in rows])
            for row in rows:
                if row.document_id is not None and await get_issued_file(call, row.document_id) is None:
                    continue  # sent once its document is signed
                key = f"run:{args.invoice_run_id}:{row.id}:{run.job_id}"
                await call.enqueue(SEND_INVOICE_JOB, SendInvoice(invoice_id=row.id), idempotency_key=key)
        after, more = (rows[-1].id, len(rows) == SENT_AT_ONCE) if rows else (after, False)


@job(BILL_CUSTOMER_JOB, BillCustomer, max_attempts=4)
async def bill_on_billing_day(run: JobRun, args: BillCustomer) -> None:
    """Bill a customer up to the day before the due day.

    If there is nothing to bill, wait for the next period.
    """
    async with run.call() as call:
        terms = await load_terms(call, args.customer_id)
        due = terms.next_invoice_on
        if terms.period is None or due is None or due > call.today or not terms.automatic:
            return
        until = due - timedelta(days=1)
        await bill_customer(call, args.customer_id, until, currency=terms.credit_currency)
