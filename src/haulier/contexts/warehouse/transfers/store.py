"""Tables and statements of transfers."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Index,
    String,
    UniqueConstraint,
    bindparam,
    case,
    delete,
    func,
    select,
    update,
)

from haulier.contexts.warehouse.packages.contract import PACKAGE_NUMBER_MAX
from haulier.contexts.warehouse.transfers.contract import TransferPackageState
from haulier.contexts.warehouse.transfers.rules import TransferAction, TransferState
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import VOLATILE
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX


class WarehouseTransferRow(
    Record,
    table="warehouse_transfer",
    items=[
        Index("ix_warehouse_transfer_status", "client_id", "status", "id"),
        Index("ix_warehouse_transfer_from", "client_id", "from_warehouse_id", "id"),
        Index("ix_warehouse_transfer_to", "client_id", "to_warehouse_id", "id"),
    ],
):
    """A transfer."""

    from_warehouse_id: Reference
    to_warehouse_id: Reference
    status: Annotated[TransferState, String(12)]
    reason: Annotated[str, String(REASON_MAX)] | None
    created_at: datetime


transfers = WarehouseTransferRow.table
plain_columns(transfers, "status", "reason")


class TransferPackageRow(
    Record, table="transfer_package", items=[UniqueConstraint("client_id", "transfer_id", "warehouse_package_id")]
):
    """A package of a transfer.

    `moves` is the number of moves of the package after the last one by this transfer.
    """

    transfer_id: Reference
    warehouse_package_id: Reference
    number: Annotated[str, Column("number", String(PACKAGE_NUMBER_MAX), nullable=False, info=VOLATILE)]
    state: Annotated[TransferPackageState, String(8)]
    damaged: bool
    reason: Annotated[str, String(REASON_MAX)] | None
    from_warehouse_id: Reference | None
    moves: int
    scanned_out_at: datetime | None
    scanned_in_at: datetime | None


transfer_packages = TransferPackageRow.table
plain_columns(transfer_packages, "number", "state", "reason")


class TransferStepRow(
    Record, table="transfer_step", items=[Index("ix_transfer_step_transfer", "client_id", "transfer_id", "id")]
):
    """A step of a transfer.

    Written once and never changed.
    """

    transfer_id: Reference
    step: Annotated[TransferAction, String(12)]
    reason: Annotated[str, String(REASON_MAX)] | None
    user_id: Reference | None
    at: datetime


steps = TransferStepRow.table
plain_columns(steps, "step", "reason")


_table = transfer_packages
_all = select(_table).where(_table.c.transfer_id == bindparam("transfer")).order_by(_table.c.id)
_of_packages = _all.where(in_param(_table.c.warehouse_package_id, "packages"))
_delete = delete(_table).where(in_param(_table.c.id, "ids"))
_counts = (
    select(
        _table.c.transfer_id,
        _table.c.state,
        func.count().label("packages"),
        func.sum(case((_table.c.damaged, 1), else_=0)).label("damaged"),
    )
    .where(in_param(_table.c.transfer_id, "transfers"))
    .group_by(_table.c.transfer_id, _table.c.state)
)
_set_state = (
    update(_table)
    .where(_table.c.id == bindparam("row"))
    .values(
        state=bindparam("new_state", type_=String()),
        moves=bindparam("new_moves", type_=_table.c.moves.type),
        scanned_in_at=bindparam("scanned_at", type_=_table.c.scanned_in_at.type),
    )
)
_set_sent = update(_table).where(_table.c.transfer_id == bindparam("transfer")).values(moves=_table.c.moves + 1)
_set_wrong = (
    update(_table)
    .where(in_param(_table.c.id, "ids"))
    .values(
        damaged=_table.c.damaged | bindparam("is_damaged", type_=Boolean()),
        reason=bindparam("words", type_=_table.c.reason.type),
    )
)
_set_missing = update(_table).where(in_param(_table.c.id, "ids")).values(state="missing")


class StateCountRow(Row):
    """Number of packages of a transfer by state, and the damaged among them."""

    transfer_id: int
    state: str
    packages: int
    damaged: int


async def insert_transfer_packages(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write packages of transfers."""
    await work.insert_many(_table, rows)


async def delete_transfer_packages(work: UnitOfWork, ids: Collection[int]) -> None:
    """Remove packages from transfers."""
    if ids:
        await work.run(_delete, ids=list(ids))


async def list_all_package_rows(work: UnitOfWork, transfer_id: int) -> Sequence[TransferPackageRow]:
    """Return every package of a transfer, in the order in which they were scanned."""
    return await work.all(_all, TransferPackageRow, transfer=transfer_id)


async def find_transfer_packages(
    work: UnitOfWork, transfer_id: int, package_ids: Collection[int]
) -> dict[int, TransferPackageRow]:
    """Return packages of a transfer, by package id."""
    if not package_ids:
        return {}
    rows = await work.all(_of_packages, TransferPackageRow, transfer=transfer_id, packages=list(package_ids))
    return {row.warehouse_package_id: row for row in rows}


async def count_transfer_packages(work: UnitOfWork, transfer_ids: Collection[int]) -> Sequence[StateCountRow]:
    """Return the number of packages of transfers by state."""
    if not transfer_ids:
        return []
    return await work.all(_counts, StateCountRow, transfers=list(transfer_ids))


async def set_package_states(work: UnitOfWork, states: Sequence[Mapping[str, Any]]) -> None:
    """Set the states of packages in one exchange."""
    await work.run_many(_set_state, states)


async def count_moves_of_all(work: UnitOfWork, transfer_id: int) -> None:
    """Increment the move count of every package of a transfer."""
    await work.run(_set_sent, transfer=transfer_id)


async def set_packages_wrong(work: UnitOfWork, ids: Collection[int], *, damaged: bool, reason: str | None) -> None:
    """Record damage and remarks of packages; damaged packages stay damaged."""
    if ids:
        await work.run(_set_wrong, ids=list(ids), is_damaged=damaged, words=reason)


async def set_packages_missing(work: UnitOfWork, ids: Collection[int]) -> None:
    """Mark packages as missing."""
    if ids:
        await work.run(_set_missing, ids=list(ids))


async def list_transfer_package_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[TransferPackageRow], int]:
    """Return a page of packages matching column values, in scan order, and the total."""
    conditions: list[ColumnElement[bool]] = [_table.c[name] == value for name, value in wanted.items()]
    page = select(_table).where(*conditions).order_by(_table.c.id).limit(limit).offset(offset)
    rows = await work.all(page, TransferPackageRow)
    return rows, await work.value(select(func.count()).select_from(_table).where(*conditions))


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
    """Set the state of a transfer."""
    await work.run(_set_status, transfer=transfer_id, new_status=status)


async def find_newest_draft(
    work: UnitOfWork, from_warehouse_id: int, to_warehouse_id: int
) -> WarehouseTransferRow | None:
    """Return the newest draft from one warehouse to another, or None."""
    return await work.first(_newest_draft, WarehouseTransferRow, source=from_warehouse_id, target=to_warehouse_id)


async def list_step_rows(work: UnitOfWork, transfer_id: int) -> Sequence[TransferStepRow]:
    """Return the steps of a transfer, oldest first."""
    return await work.all(_steps, TransferStepRow, transfer=transfer_id)


async def list_transfer_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[WarehouseTransferRow], int]:
    """Return a page of transfers matching column values, newest first, and the total."""
    conditions: list[ColumnElement[bool]] = [transfers.c[name] == value for name, value in wanted.items()]
    page = select(transfers).where(*conditions).order_by(transfers.c.id.desc()).limit(limit).offset(offset)
    rows = await work.all(page, WarehouseTransferRow)
    return rows, await work.value(select(func.count()).select_from(transfers).where(*conditions))
