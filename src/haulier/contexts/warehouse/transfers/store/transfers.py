"""Statements on transfers and their steps."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, String, bindparam, func, select, update

from haulier.contexts.warehouse.transfers.rules.lifecycle import TransferState
from haulier.contexts.warehouse.transfers.store.tables import TransferStepRow, WarehouseTransferRow, steps, transfers
from haulier.kernel.data.unit_of_work import UnitOfWork

_set_status = (
    update(transfers)
    .where(transfers.c.id == bindparam("transfer"))
    .values(status=bindparam("new_status", type_=String()))
)
_newest_draft = (
    select(transfers)
    .where(transfers.c.status == TransferState.DRAFT.value)
    .where(transfers.c.from_warehouse_id == bindparam("source"), transfers.c.to_warehouse_id == bindparam("target"))
    .order_by(transfers.c.id.desc())
    .limit(1)
)
_steps = select(steps).where(steps.c.transfer_id == bindparam("transfer")).order_by(steps.c.id)


async def set_transfer_status(work: UnitOfWork, transfer_id: int, status: str) -> None:
    """Write the state of a transfer."""
    await work.run(_set_status, transfer=transfer_id, new_status=status)


async def find_newest_draft(
    work: UnitOfWork, from_warehouse_id: int, to_warehouse_id: int
) -> WarehouseTransferRow | None:
    """The newest draft from one warehouse to another, or None."""
    return await work.first(_newest_draft, WarehouseTransferRow, source=from_warehouse_id, target=to_warehouse_id)


async def list_step_rows(work: UnitOfWork, transfer_id: int) -> Sequence[TransferStepRow]:
    """What was done with a transfer, the oldest first."""
    return await work.all(_steps, TransferStepRow, transfer=transfer_id)


async def list_transfer_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[WarehouseTransferRow], int]:
    """A page of transfers whose columns have these values, the newest first, and how many there are."""
    conditions: list[ColumnElement[bool]] = [transfers.c[name] == value for name, value in wanted.items()]
    page = select(transfers).where(*conditions).order_by(transfers.c.id.desc()).limit(limit).offset(offset)
    rows = await work.all(page, WarehouseTransferRow)
    return rows, await work.value(select(func.count()).select_from(transfers).where(*conditions))
