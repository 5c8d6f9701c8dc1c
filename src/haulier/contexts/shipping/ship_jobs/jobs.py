"""Background jobs that ship orders."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.shipping.labels.actions.purchases import wait_for_purchase
from haulier.contexts.shipping.order_shipments.actions import rate_order_to_ship, ship
from haulier.contexts.shipping.order_shipments.contract import ShipOrder
from haulier.contexts.shipping.ship_jobs.store import ShipJobRow
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import CONFLICT, OperationError
from haulier.kernel.operations.stored_errors import error_document
from haulier.kernel.principal import Principal
from haulier.kernel.request_context import RequestContext

SHIP_JOB = "shipping.ship_orders"


class ProcessShipJob(Struct, frozen=True):
    """Job arguments: orders to ship."""

    ship_job_id: int


@job(SHIP_JOB, ProcessShipJob, queue="batches")
async def ship_orders_of_job(run: JobRun, args: ProcessShipJob) -> None:
    """Ship each order in a separate transaction, as the user who sent the job.

    The outcome is stored with the claimed label, so running it again ships no order twice.
    """
    while True:
        async with run.call() as call:
            found = await ShipJobRow.get(call.work, args.ship_job_id)
            if found is None or found.finished_at is not None:
                return
            if len(found.outcomes) == len(found.order_ids):
                await ShipJobRow.update(call.work, found.id, {"finished_at": call.now})
                return
            context = RequestContext(app=run.app, principal=await _sender(call, found))
        await _ship_next(run, context, found)


async def _ship_next(run: JobRun, context: RequestContext, found: ShipJobRow) -> None:
    """Ship the next order and store its outcome."""
    number = len(found.outcomes)
    order_id = found.order_ids[number]
    request = ShipOrder.model_validate({**found.terms, "order_id": order_id})
    try:
        rated = await rate_order_to_ship(context, request)
    except OperationError as error:
        await _store(run, found.id, number, _refusal(order_id, error))
        return
    shipment_id = None
    async with run.call() as call:
        locked = await ShipJobRow.lock(call.work, found.id)
        if locked is None or len(locked.outcomes) != number:
            return
        try:
            async with call.savepoint():
                shipped = await ship(replace(call, principal=context.principal), request, rated)
        except OperationError as error:
            outcome = _refusal(order_id, error)
        except UniqueConflict:
            outcome = _refusal(order_id, CONFLICT())
        else:
            shipment_id = shipped.row.id
            outcome = {
                "order_id": order_id, "state": "shipped", "shipment_id": shipment_id, "choice": shipped.choice
            }  # fmt: skip
        await ShipJobRow.update(call.work, found.id, {"outcomes": [*locked.outcomes, outcome]})
    if shipment_id is not None and run.client_id is not None:
        await wait_for_purchase(run.app, run.client_id, shipment_id)


async def _store(run: JobRun, job_id: int, number: int, outcome: dict[str, Any]) -> None:
    async with run.call() as call:
        locked = await ShipJobRow.lock(call.work, job_id)
        if locked is not None and len(locked.outcomes) == number:
            await ShipJobRow.update(call.work, job_id, {"outcomes": [*locked.outcomes, outcome]})


def _refusal(order_id: int, error: OperationError) -> dict[str, Any]:
    return {"order_id": order_id, "state": "refused", "fault": error_document(error)}


async def _sender(call: Call, found: ShipJobRow) -> Principal:
    people = await get_users_by_id(call, [found.created_by]) if found.created_by else {}
    name = people[found.created_by].name if found.created_by in people else None
    own = call.principal
    return Principal(
        Account(found.account), user_id=found.created_by, name=name, business=own.business, scopes=own.scopes
    )
