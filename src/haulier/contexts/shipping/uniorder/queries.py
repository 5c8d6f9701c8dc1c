"""Orders that a caller may see, with what carries them out."""

from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy import ColumnElement

from haulier.contexts.orders.public import OrderedDelivery, get_ordered_deliveries
from haulier.contexts.shipping.labels.queries import ShipmentWithNumbers, get_shipments
from haulier.contexts.shipping.uniorder import store
from haulier.contexts.shipping.uniorder.contract import ListUniorders
from haulier.contexts.shipping.uniorder.store import uniorders
from haulier.kernel.call import Call
from haulier.kernel.data.notified_cache import ClientCache
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.errors import record_not_found


class KnownUniorderClients(ClientCache[bool]):
    """Cache of the clients with Uniorders: every order step needs it."""

    channel = store.UNIORDERS_CHANNEL

    async def read(self, work: UnitOfWork) -> bool:
        """Return True if the client has Uniorders."""
        return await store.has_uniorders(work)


class CarriedUniorder(Struct, frozen=True):
    """An order with its local order or shipment; neither if it was erased."""

    row: store.UniorderRow
    delivery: OrderedDelivery | None
    shipment: ShipmentWithNumbers | None


async def get_visible_uniorder(call: Call, order_id: int) -> store.UniorderRow:
    """Return a visible order. Raises `NOT_FOUND`, also for other customers' orders."""
    row = await store.get_uniorder_row(call.work, order_id)
    if row is None or not _can_see(call, row):
        raise record_not_found(orderId=order_id)
    return row


def _can_see(call: Call, row: store.UniorderRow) -> bool:
    return call.principal.account is not Account.CUSTOMER or row.customer_id == call.actor


async def carry(call: Call, rows: Sequence[store.UniorderRow]) -> list[CarriedUniorder]:
    """Return orders with their local orders and shipments, in at most five statements."""
    deliveries = await get_ordered_deliveries(call, [row.local_order_id for row in rows if row.local_order_id])
    shipments = await get_shipments(call.work, [row.shipment_id for row in rows if row.shipment_id])
    return [
        CarriedUniorder(row, deliveries.get(row.local_order_id or 0), shipments.get(row.shipment_id or 0))
        for row in rows
    ]


def list_conditions(call: Call, request: ListUniorders) -> list[ColumnElement[bool]]:
    """Return the conditions of a list, within what the caller can see."""
    customer = call.actor if call.principal.account is Account.CUSTOMER else request.customer_id
    equal = {
        "status": request.status,
        "kind": request.kind,
        "order_ref": request.order_ref,
        "carrier": request.carrier,
        "customer_id": customer,
    }
    found = [uniorders.c[name] == value for name, value in equal.items() if value is not None]
    if request.created_from:
        found.append(uniorders.c.created_at >= request.created_from)
    if request.created_to:
        found.append(uniorders.c.created_at < request.created_to)
    if request.ship_from:
        found.append(uniorders.c.ship_date >= request.ship_from)
    if request.ship_to:
        found.append(uniorders.c.ship_date <= request.ship_to)
    return found


async def get_visible_job(call: Call, job_id: int, *, lock: bool = False) -> store.UniorderJobRow:
    """Return a job, visible to its creator and staff. Raises `NOT_FOUND`."""
    job = await store.get_job_row(call.work, job_id, lock=lock)
    if job is None or not (call.principal.account in OFFICE or job.created_by == call.actor):
        raise record_not_found(jobId=job_id)
    return job
