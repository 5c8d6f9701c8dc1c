"""Invoice runs, as answers show them."""

from collections.abc import Mapping, Sequence

from haulier.contexts.billing.invoice_runs import store
from haulier.contexts.billing.invoice_runs.contract import (
    InvoiceRun,
    InvoiceRunCustomer,
    InvoiceRunSum,
    RunInvoiceRef,
)
from haulier.contexts.billing.invoice_runs.rules import OUTCOMES, InvoiceCycle, RunOutcome
from haulier.contexts.billing.invoice_runs.store import RunHeader, RunInvoiceRow, RunSumRow, invoice_runs
from haulier.contexts.identity.public import get_users_by_id
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.operations.stored_errors import render_stored_error
from haulier.kernel.row_imports import ImportRow, import_progress
from haulier.kernel.values.batch_states import ImportRowState


async def describe_runs(call: Call, headers: Sequence[RunHeader]) -> list[InvoiceRun]:
    """Return runs with their progress and sums. Two statements."""
    ids = [header.id for header in headers]
    counts = await invoice_runs.count_rows_by_state(call.work, ids)
    sums = await store.sum_runs(call.work, ids)
    return [
        _run(call, header, counts[header.id], [row for row in sums if row.invoice_run_id == header.id])
        for header in headers
    ]


def _run(call: Call, header: RunHeader, counts: Mapping[str, int], sums: Sequence[RunSumRow]) -> InvoiceRun:
    progress = import_progress(call, header, counts)
    return InvoiceRun(
        id=header.id,
        state=progress["state"],
        cycle=InvoiceCycle(header.cycle) if header.cycle else None,
        until=header.until,
        send=header.send,
        customers=header.rows,
        done=progress["done"],
        issued=progress["created"],
        nothing=progress["updated"],
        failed=progress["refused"],
        sums=[
            record(InvoiceRunSum, row, credit_currency=row.currency, net_minor=row.total_minor - row.tax_minor)
            for row in sums
        ],
        created_at=progress["created_at"],
        finished_at=progress["finished_at"],
    )


async def describe_customers(call: Call, run_id: int, rows: Sequence[ImportRow]) -> list[InvoiceRunCustomer]:
    """Return the outcomes of customers with their invoices. Two statements."""
    ids = [row.document["customer_id"] for row in rows]
    names = await get_users_by_id(call, ids) if ids else {}
    issued: dict[int, list[RunInvoiceRow]] = {}
    for invoice in await store.list_run_invoices(call.work, run_id, ids) if ids else ():
        issued.setdefault(invoice.customer_id, []).append(invoice)
    return [
        _customer(call, row, names[id].name if id in names else "", issued.get(id, ()))
        for row in rows
        for id in [row.document["customer_id"]]
    ]


def _customer(call: Call, row: ImportRow, name: str, issued: Sequence[RunInvoiceRow]) -> InvoiceRunCustomer:
    error = render_stored_error(row.fault, call.app.catalogues, call.language) if row.fault else None
    return InvoiceRunCustomer(
        customer_id=row.document["customer_id"],
        name=name,
        outcome=_outcome(row),
        invoices=[RunInvoiceRef(id=each.id, number=each.number) for each in issued],
        code=error and error.code,
        message=error and error.message,
    )


def _outcome(row: ImportRow) -> RunOutcome:
    return OUTCOMES[ImportRowState(row.state)]
