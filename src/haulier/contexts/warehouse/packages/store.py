"""Tables and statements of packages."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Column, Index, String, UniqueConstraint, bindparam, select, update

from haulier.contexts.warehouse.packages.contract import PACKAGE_NUMBER_MAX, PackageMoveKind
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import VOLATILE
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX


class WarehousePackageRow(
    Record,
    table="warehouse_package",
    items=[
        UniqueConstraint("client_id", "number"),
        Index("ix_warehouse_package_warehouse", "client_id", "warehouse_id", "id"),
        Index("ix_warehouse_package_transfer", "client_id", "transfer_id", "id"),
    ],
):
    """A package, and where it is.

    A package has one place, and one transfer at most holds it: both are columns of its one row. `moves` counts its
    moves, so that a transfer can tell whether a package went on since.
    """

    number: Annotated[str, Column("number", String(PACKAGE_NUMBER_MAX), nullable=False, info=VOLATILE)]
    warehouse_id: Reference | None
    transfer_id: Reference | None
    order_id: Reference | None
    package_id: Reference | None
    moves: int
    moved_at: datetime | None


packages = WarehousePackageRow.table
plain_columns(packages, "number")


class PackageMoveRow(
    Record, table="package_move", items=[Index("ix_package_move_package", "client_id", "warehouse_package_id", "id")]
):
    """A move of a package.

    Written once and never changed.
    """

    warehouse_package_id: Reference
    kind: Annotated[PackageMoveKind, String(12)]
    from_warehouse_id: Reference | None
    to_warehouse_id: Reference | None
    transfer_id: Reference | None
    reason: Annotated[str, String(REASON_MAX)] | None
    user_id: Reference | None
    occurred_at: datetime
    recorded_at: datetime


moves = PackageMoveRow.table
plain_columns(moves, "kind", "reason")


_by_numbers = select(packages).where(in_param(packages.c.number, "numbers"))
_locked_by_numbers = _by_numbers.order_by(packages.c.id).with_for_update()
_set_place = (
    update(packages)
    .where(packages.c.id == bindparam("package"))
    .values(
        warehouse_id=bindparam("place", type_=packages.c.warehouse_id.type),
        transfer_id=bindparam("holder", type_=packages.c.transfer_id.type),
        moved_at=bindparam("moved", type_=packages.c.moved_at.type),
        moves=packages.c.moves + 1,
    )
)
_set_holder = (
    update(packages)
    .where(in_param(packages.c.id, "ids"))
    .values(transfer_id=bindparam("holder", type_=packages.c.transfer_id.type))
)
_moves = select(moves).where(moves.c.warehouse_package_id == bindparam("package")).order_by(moves.c.id)


async def insert_packages(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write packages; those whose number is there already are left as they are."""
    await work.insert_new(packages, rows, returning=("id",))


async def find_package_rows(work: UnitOfWork, numbers: Collection[str]) -> dict[str, WarehousePackageRow]:
    """Return packages of this client by number."""
    if not numbers:
        return {}
    return {row.number: row for row in await work.all(_by_numbers, WarehousePackageRow, numbers=list(numbers))}


async def lock_package_rows(work: UnitOfWork, numbers: Collection[str]) -> dict[str, WarehousePackageRow]:
    """Return packages of this client by number, locked until the transaction ends."""
    if not numbers:
        return {}
    return {row.number: row for row in await work.all(_locked_by_numbers, WarehousePackageRow, numbers=list(numbers))}


async def set_places(work: UnitOfWork, places: Sequence[Mapping[str, Any]]) -> None:
    """Give packages other places, in one exchange, and count the moves."""
    await work.run_many(_set_place, places)


async def set_holder(work: UnitOfWork, ids: Collection[int], transfer_id: int | None) -> None:
    """Let a transfer hold packages, or none."""
    if ids:
        await work.run(_set_holder, ids=list(ids), holder=transfer_id)


async def list_move_rows(work: UnitOfWork, package_id: int) -> Sequence[PackageMoveRow]:
    """Return the moves of a package, oldest first."""
    return await work.all(_moves, PackageMoveRow, package=package_id)


async def list_package_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, after: int, limit: int
) -> Sequence[WarehousePackageRow]:
    """Return packages matching column values after one, by first scan."""
    page = select(packages).where(*(packages.c[name] == value for name, value in wanted.items()), packages.c.id > after)
    return await work.all(page.order_by(packages.c.id).limit(limit), WarehousePackageRow)
