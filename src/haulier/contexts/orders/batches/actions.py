"""Creation of batches.

Writes the rows and enqueues the job that creates their orders.
"""

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
    """Create a batch and process its valid rows in the background.

    Malformed rows are refused immediately.
    """
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
    """Return the values of a row to process.

    A malformed row is stored as refused, with its reference only.
    """
    if not isinstance(row, MalformedRow):
        # Omitted fields stay unset: packages without a weight get that of the items.
        return {"request": row.model_dump(mode="json", exclude_unset=True), "state": "queued", "fault": None}
    fault = error_document(INVALID_REQUEST.for_fields(*row.field_errors))
    return {"request": {"order_ref": row_reference(row)}, "state": "refused", "fault": fault}
