"""Transfers as other families read them."""

from collections.abc import Collection

from haulier.contexts.warehouse.transfers import store
from haulier.contexts.warehouse.transfers.store import WarehouseTransferRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def lock_transfer(call: Call, transfer_id: int) -> WarehouseTransferRow:
    """Lock and return a transfer of this client. Raises `NOT_FOUND`."""
    return _found(await WarehouseTransferRow.lock(call.work, transfer_id), transfer_id)


async def get_transfer_row(call: Call, transfer_id: int) -> WarehouseTransferRow:
    """Return a transfer of this client. Raises `NOT_FOUND`."""
    return _found(await WarehouseTransferRow.get(call.work, transfer_id), transfer_id)


async def find_draft(call: Call, from_warehouse_id: int, to_warehouse_id: int) -> WarehouseTransferRow | None:
    """Return the newest draft that goes from one warehouse to another, or None."""
    return await store.find_newest_draft(call.work, from_warehouse_id, to_warehouse_id)


def _found(row: WarehouseTransferRow | None, transfer_id: int) -> WarehouseTransferRow:
    if row is None:
        raise record_not_found(transfer_id=transfer_id)
    return row


async def lock_transfers(call: Call, ids: Collection[int]) -> dict[int, WarehouseTransferRow]:
    """Return transfers by id, locked until the transaction ends."""
    return await WarehouseTransferRow.lock_many(call.work, ids)
