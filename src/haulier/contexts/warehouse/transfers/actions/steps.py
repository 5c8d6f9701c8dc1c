"""A transfer is begun, and takes its steps."""

from haulier.contexts.warehouse.transfers.errors import WAREHOUSE_CLOSED
from haulier.contexts.warehouse.transfers.queries import get_transfer_row
from haulier.contexts.warehouse.transfers.rules.lifecycle import TRANSFER_LIFE, TransferAction, TransferState
from haulier.contexts.warehouse.transfers.store import transfers as store
from haulier.contexts.warehouse.transfers.store.tables import TransferStepRow, WarehouseTransferRow
from haulier.contexts.warehouse.warehouses.queries import get_warehouse_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found


async def begin_transfer(
    call: Call, from_warehouse_id: int, to_warehouse_id: int, reason: str | None
) -> WarehouseTransferRow:
    """Begin a batch without packages. Raises `NOT_FOUND`, `INVALID_REQUEST` and `WAREHOUSE_CLOSED`."""
    warehouses = await get_warehouse_rows(call, {from_warehouse_id, to_warehouse_id})
    if from_warehouse_id not in warehouses:
        raise record_not_found(from_warehouse_id=from_warehouse_id)
    if to_warehouse_id not in warehouses:
        raise record_not_found(to_warehouse_id=to_warehouse_id)
    if from_warehouse_id == to_warehouse_id:
        raise INVALID_REQUEST.for_fields(FieldError("to_warehouse_id", "field.same_warehouse"))
    if warehouses[to_warehouse_id].closed:
        raise WAREHOUSE_CLOSED(code=warehouses[to_warehouse_id].code)
    id = await WarehouseTransferRow.insert(
        call.work,
        from_warehouse_id=from_warehouse_id,
        to_warehouse_id=to_warehouse_id,
        status=TransferState.DRAFT,
        reason=reason,
        created_at=call.now,
    )
    await _write_step(call, id, TransferAction.CREATE, reason)
    return await get_transfer_row(call, id)


def require_action(row: WarehouseTransferRow, action: TransferAction) -> TransferState:
    """The state that an action leads to. Raises `TRANSFER_STEP_REFUSED`."""
    return TRANSFER_LIFE.next_status_or_raise(action, TransferState(row.status))


async def take_step(call: Call, row: WarehouseTransferRow, action: TransferAction, reason: str | None = None) -> None:
    """Let a transfer that is locked take a step, and write it down. Raises `TRANSFER_STEP_REFUSED`."""
    await store.set_transfer_status(call.work, row.id, require_action(row, action))
    await _write_step(call, row.id, action, reason)


async def _write_step(call: Call, transfer_id: int, action: TransferAction, reason: str | None) -> None:
    call.add_audit_subjects("warehouse_transfer", transfer_id)
    await TransferStepRow.insert(
        call.work, transfer_id=transfer_id, step=action, reason=reason, user_id=call.actor, at=call.now
    )
