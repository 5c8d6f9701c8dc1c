"""Operations on ship jobs."""

from haulier.contexts.shipping.ship_jobs.contract import (
    GetShipJob,
    ListShipJobs,
    ShipJobAnswer,
    ShipJobList,
    ShipJobStarted,
    ShipOrders,
    ShipTerms,
)
from haulier.contexts.shipping.ship_jobs.jobs import SHIP_JOB, ProcessShipJob
from haulier.contexts.shipping.ship_jobs.serializers import serialize_outcomes, serialize_ship_job
from haulier.contexts.shipping.ship_jobs.store import ShipJobRow, jobs
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

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
        total=total,
        page=request.page,
        per_page=request.per_page,
        ship_jobs=[serialize_ship_job(call, row) for row in rows],
    )


@reads(
    "get_ship_job",
    audience=OFFICE,
    scopes={Scope.LABELS_READ},
    interfaces=(
        Rest("GET", f"{SHIP_JOBS}/{{ship_job_id}}"),
        GraphQL("shipJob"),
        Mcp("get_ship_job", title="Get a ship job"),
    ),
    errors=(NOT_FOUND,),
)
async def get_ship_job(call: Call, request: GetShipJob) -> ShipJobAnswer:
    """Get a ship job with its outcomes."""
    row = await ShipJobRow.get(call.work, request.ship_job_id)
    if row is None:
        raise record_not_found(ship_job_id=request.ship_job_id)
    return ShipJobAnswer(
        ship_job=serialize_ship_job(call, row), outcomes=await serialize_outcomes(call, row, request.sort)
    )
