"""Operations on ship jobs."""

from typing import Any

from haulier.contexts.shipping.ship_jobs.contract import (
    ListShipJobs,
    ShipJob,
    ShipJobAnswer,
    ShipJobList,
    ShipJobRef,
    ShipJobStarted,
    ShipOrders,
    ShipOutcome,
    ShipTerms,
)
from haulier.contexts.shipping.ship_jobs.jobs import SHIP_JOB, ProcessShipJob
from haulier.contexts.shipping.ship_jobs.store import ShipJobRow, jobs
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.stored_errors import render_stored_error
from haulier.kernel.values.batch_states import batch_state

SHIP_JOBS = "/v1/order-ship-jobs"


@writes(
    "ship_orders",
    audience=OFFICE,
    scopes={Scope.LABELS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", "/v1/orders/ship"),
        GraphQL("shipOrders"),
        Mcp("ship_orders", title="Ship many orders with carriers"),
    ),
)
async def ship_orders(call: Call, request: ShipOrders) -> ShipJobStarted:
    """Ship up to 500 orders in the background.

    Each order is shipped as by `ship_order`. A refused order does not affect the others. Read progress and outcomes
    with `get_ship_job`.
    """
    order_ids = list(dict.fromkeys(request.order_ids))
    terms = request.model_dump(mode="json", include=set(ShipTerms.model_fields), exclude_unset=True)
    job_id = await ShipJobRow.insert(
        call.work,
        order_ids=order_ids,
        terms=terms,
        outcomes=[],
        created_by=call.actor,
        account=call.principal.account.value,
        created_at=call.now,
        finished_at=None,
    )
    call.add_audit_subjects("order_ship_job", job_id)
    await call.enqueue(SHIP_JOB, ProcessShipJob(job_id))
    return ShipJobStarted(ship_job_id=job_id, total=len(order_ids))


@reads(
    "list_ship_jobs",
    audience=OFFICE,
    scopes={Scope.LABELS_READ},
    interfaces=(Rest("GET", SHIP_JOBS), GraphQL("shipJobs")),
)
async def list_ship_jobs(call: Call, request: ListShipJobs) -> ShipJobList:
    """List ship jobs, newest first."""
    rows, total = await ShipJobRow.list_page(
        call.work, order_by=[jobs.c.id.desc()], limit=request.per_page, offset=request.offset
    )
    return ShipJobList(
        total=total, page=request.page, per_page=request.per_page, ship_jobs=[_ship_job(call, row) for row in rows]
    )


@reads(
    "get_ship_job",
    audience=OFFICE,
    scopes={Scope.LABELS_READ},
    interfaces=(
        Rest("GET", f"{SHIP_JOBS}/{{ship_job_id}}"),
        GraphQL("shipJob"),
        Mcp("get_ship_job", title="Read a ship job"),
    ),
    errors=(NOT_FOUND,),
)
async def get_ship_job(call: Call, request: ShipJobRef) -> ShipJobAnswer:
    """Get a ship job with its outcomes."""
    row = await ShipJobRow.get(call.work, request.ship_job_id)
    if row is None:
        raise record_not_found(ship_job_id=request.ship_job_id)
    waiting = row.order_ids[len(row.outcomes) :]
    return ShipJobAnswer(
        ship_job=_ship_job(call, row),
        outcomes=[
            *(_outcome(call, each) for each in row.outcomes),
            *(ShipOutcome(order_id=order_id, state="queued") for order_id in waiting),
        ],
    )


def _ship_job(call: Call, row: ShipJobRow) -> ShipJob:
    refused = sum(each["state"] == "refused" for each in row.outcomes)
    total, done = len(row.order_ids), len(row.outcomes)
    return ShipJob(
        id=row.id,
        state=batch_state(total, done, refused, row.finished_at, None),
        total=total,
        done=done,
        shipped=done - refused,
        refused=refused,
        created_at=call.local_time(row.created_at),
        finished_at=call.local_time(row.finished_at),
    )


def _outcome(call: Call, document: dict[str, Any]) -> ShipOutcome:
    fault = document.get("fault")
    error = render_stored_error(fault, call.app.catalogues, call.language) if fault else None
    return ShipOutcome(
        order_id=document["order_id"],
        state=document["state"],
        shipment_id=document.get("shipment_id"),
        choice=document.get("choice"),
        code=error and error.code,
        message=error and error.message,
    )
