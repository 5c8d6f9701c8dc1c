"""A batch is begun: its rows are written, and the job that creates their orders is enqueued."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.orders.batches import store
from haulier.contexts.orders.batches.contract import OrderBatchStarted, OrderRow
from haulier.contexts.orders.batches.serializers import row_reference
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST
from haulier.kernel.operations.rows import MalformedRow
from haulier.kernel.operations.stored_errors import error_document

ORDER_BATCH_JOB = "orders.batch"


class ProcessOrderBatch(Struct, frozen=True):
    """The job of creating the orders of a batch."""

    batch_id: int


async def start_order_batch(call: Call, orders: Sequence[OrderRow]) -> OrderBatchStarted:
    """Write a batch, of which malformed rows are refused already, and have the others created in the background."""
    batch = {
        "total": len(orders),
        "created_by": call.actor,
        "account": call.principal.account.value,
        "created_at": call.now,
    }
    rows = [_new_batch_row(row) for row in orders]
    id = await store.insert_order_batch(call.work, batch, rows)
    await call.enqueue(ORDER_BATCH_JOB, ProcessOrderBatch(id))
    refused = sum(row["state"] == "refused" for row in rows)
    return OrderBatchStarted(async_id=id, total=len(rows), refused=refused)


def _new_batch_row(row: OrderRow) -> dict[str, Any]:
    """A row that waits for its turn; a malformed one is refused already, and only its reference is kept."""
    if not isinstance(row, MalformedRow):
        return {"request": row.model_dump(mode="json"), "state": "queued", "fault": None}
    fault = error_document(INVALID_REQUEST.for_fields(*row.field_errors))
    return {"request": {"order_ref": row_reference(row)}, "state": "refused", "fault": fault}
