"""The tables of packages: where each one is, and the moves that brought it there."""

from datetime import datetime
from typing import Annotated

from sqlalchemy import Column, Index, String, UniqueConstraint

from haulier.contexts.warehouse.packages.contract import PACKAGE_NUMBER_MAX, PackageMoveKind
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.tables import VOLATILE
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
