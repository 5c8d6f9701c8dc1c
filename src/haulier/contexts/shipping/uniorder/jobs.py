"""Batch jobs, and order statuses from their carriers."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from msgspec.structs import replace

from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.orders.events import OrderStatusChanged
from haulier.contexts.orders.public import OrderStatus
from haulier.contexts.shipping.events import (
    LabelBought,
    LabelPurchaseFailed,
    LabelVoided,
    ShipmentMoved,
    UniorderJobFinished,
)
from haulier.contexts.shipping.labels.rules import ShipmentState
from haulier.contexts.shipping.uniorder import store
from haulier.contexts.shipping.uniorder.actions import (
    RATE,
    UNIORDER_JOB,
    ProcessUniorders,
    RowResult,
    fetch_row_rates,
    make_rows,
    rate_named_options,
    save_rows,
    wait_for_purchases,
)
from haulier.contexts.shipping.uniorder.contract import CreateUniorder, RateUniorder
from haulier.contexts.shipping.uniorder.queries import KnownUniorderClients
from haulier.contexts.shipping.uniorder.rules import STATUS_OF_ORDER, STATUS_OF_SHIPMENT, UniorderStatus
from haulier.contexts.shipping.uniorder.store import set_status_by
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.stored_errors import error_document
from haulier.kernel.principal import Business, Principal

AT_ONCE = 20
"""Forms per transaction, requested concurrently: a crashed worker loses one batch at most."""


@job(UNIORDER_JOB, ProcessUniorders, queue="batches")
async def process_uniorders(run: JobRun, args: ProcessUniorders) -> None:
    """Rate or create a batch as the user who sent it. Safe to repeat."""
    first = 0
    while True:
        async with run.call() as call:
            found = await store.get_job_row(call.work, args.job_id, lock=True)
            if found is None or found.finished_at:
                return
            rows = await _next_rows(call, found, first)
            if not rows:
                await _finish(call, found)
                return
            business = call.business
        first = rows[-1].number + 1
        await _process(run, found, rows, business)


async def _next_rows(call: Call, found: store.UniorderJobRow, first: int) -> list[store.JobItemRow]:
    """Return the next pending forms."""
    while first < found.total:
        page = await store.list_rows_page(call.work, found.id, first, AT_ONCE)
        if rows := [row for row in page if row.state == "queued"]:
            return rows
        first += AT_ONCE
    return []


async def _finish(call: Call, found: store.UniorderJobRow) -> None:
    await store.finish_job(call.work, found.id, call.now)
    count = (await store.count_rows_by_state(call.work, [found.id]))[found.id]
    await call.publish(
        UniorderJobFinished(job_id=found.id, purpose=found.purpose, total=found.total, failed=count.get("refused", 0))
    )


async def _process(
    run: JobRun, found: store.UniorderJobRow, rows: Sequence[store.JobItemRow], business: Business
) -> None:
    """Request rates for forms, store the results, and buy claimed labels."""
    write = await _fetch_carrier_rates(run, found.purpose, rows, business)
    async with run.call() as call:
        locked = await store.get_job_row(call.work, found.id, lock=True)
        if locked is None or locked.finished_at or not await _still_wait(call, found.id, rows):
            return
        sender = replace(call, principal=await _sender(call, found))
        results = await write(sender)
        settled = [_result_values(row, result) for row, result in zip(rows, results, strict=True)]
        await store.update_row_results(call.work, settled)
    pending = [result.order.shipment_id for result in results if result.order and _is_pending(result)]
    await wait_for_purchases(run.app, business.id, [id for id in pending if id is not None])


async def _fetch_carrier_rates(
    run: JobRun, purpose: str, rows: Sequence[store.JobItemRow], business: Business
) -> Callable[[Call], Awaitable[list[RowResult]]]:
    """Request rates for forms. Return the function that stores the results."""
    if purpose == RATE:
        forms = [RateUniorder.model_validate(row.request) for row in rows]
        said = await fetch_row_rates(run.app, business, forms)
        return lambda sender: save_rows(sender, forms, said)
    orders = [CreateUniorder.model_validate(row.request) for row in rows]
    wanted = await rate_named_options(run.app, business, orders)
    return lambda sender: make_rows(sender, orders, wanted)


async def _still_wait(call: Call, job_id: int, rows: Sequence[store.JobItemRow]) -> bool:
    """Return True if no other worker has processed the rows meanwhile."""
    first, last = rows[0].number, rows[-1].number
    now = {row.id: row.state for row in await store.list_rows_page(call.work, job_id, first, last - first + 1)}
    return all(now.get(row.id) == "queued" for row in rows)


def _is_pending(result: RowResult) -> bool:
    return result.order is not None and result.order.status == UniorderStatus.LABEL_PURCHASE_PENDING


def _result_values(row: store.JobItemRow, result: RowResult) -> dict[str, Any]:
    return {
        "row": row.id,
        "new_state": result.state,
        "new_uniorder": result.order.id if result.order else None,
        "new_quote": result.rates.id if result.rates else None,
        "new_fault": error_document(result.error) if result.error else None,
    }


async def _sender(call: Call, found: store.UniorderJobRow) -> Principal:
    people = await get_users_by_id(call, [found.created_by]) if found.created_by else {}
    name = people[found.created_by].name if found.created_by in people else None
    own = call.principal
    return Principal(
        Account(found.account), user_id=found.created_by, name=name, business=own.business, scopes=own.scopes
    )


@before_commit(OrderStatusChanged, LabelBought, LabelPurchaseFailed, LabelVoided, ShipmentMoved)
async def sync_uniorders_with_carriers(call: Call, events: Sequence[DomainEvent]) -> None:
    """Update order statuses from their local orders and shipments, in one transaction.

    Clients without Uniorders cause no statements. Done here so that lists by status match `uniorder_get`.
    """
    last: dict[tuple[str, int], UniorderStatus] = {}
    for event in events:
        if found := _status_after(event):
            column, id, status = found
            last[column, id] = status
    if not last or not await call.adapter(KnownUniorderClients).of(call.work):
        return
    together: defaultdict[tuple[str, UniorderStatus], list[int]] = defaultdict(list)
    for (column, id), status in last.items():
        together[column, status].append(id)
    for (column, status), ids in together.items():
        await set_status_by(call.work, column, ids, status.value, call.now)


def _status_after(event: DomainEvent) -> tuple[str, int, UniorderStatus] | None:
    if isinstance(event, OrderStatusChanged):
        return "local_order_id", event.order_id, STATUS_OF_ORDER[OrderStatus[event.status]]
    if isinstance(event, LabelBought):
        return "shipment_id", event.shipment_id, UniorderStatus.CREATED
    if isinstance(event, LabelPurchaseFailed):
        return "shipment_id", event.shipment_id, UniorderStatus.LABEL_PURCHASE_FAILED
    if isinstance(event, LabelVoided):
        return "shipment_id", event.shipment_id, UniorderStatus.CANCELLED
    if isinstance(event, ShipmentMoved):
        return "shipment_id", event.shipment_id, STATUS_OF_SHIPMENT[ShipmentState(event.state)]
    return None
