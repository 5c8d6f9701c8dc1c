"""The tables of packages: where each one is, and the moves that brought it there."""

from datetime import datetime

from sqlalchemy import Column, Index, Integer, String, UniqueConstraint

from haulier.contexts.warehouse.packages.contract import PACKAGE_NUMBER_MAX, PackageMoveKind
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import VOLATILE, Id, UTCDateTime, tenant_table
from haulier.kernel.operations.fields import REASON_MAX

packages = tenant_table(
    "warehouse_package",
    Column("number", String(PACKAGE_NUMBER_MAX), nullable=False, info=VOLATILE),
    Column("warehouse_id", Id),
    Column("transfer_id", Id),
    Column("order_id", Id),
    Column("package_id", Id),
    Column("moves", Integer, nullable=False),
    Column("moved_at", UTCDateTime),
    UniqueConstraint("client_id", "number"),
    Index("ix_warehouse_package_warehouse", "client_id", "warehouse_id", "id"),
    Index("ix_warehouse_package_transfer", "client_id", "transfer_id", "id"),
)
"""A package has one place, and one transfer at most holds it: both are columns of its one row. `moves` counts its moves, so
that a transfer can tell whether a package went on since."""
plain_columns(packages, "number")

moves = tenant_table(
    "package_move",
    Column("warehouse_package_id", Id, nullable=False),
    Column("kind", String(12), nullable=False),
    Column("from_warehouse_id", Id),
    Column("to_warehouse_id", Id),
    Column("transfer_id", Id),
    Column("reason", String(REASON_MAX)),
    Column("user_id", Id),
    Column("occurred_at", UTCDateTime, nullable=False),
    Column("recorded_at", UTCDateTime, nullable=False),
    Index("ix_package_move_package", "client_id", "warehouse_package_id", "id"),
)
"""Written once and never changed."""
plain_columns(moves, "kind", "reason")


class WarehousePackageRow(Row):
    """A package, and where it is."""

    id: int
    number: str
    warehouse_id: int | None
    transfer_id: int | None
    order_id: int | None
    package_id: int | None
    moves: int
    moved_at: datetime | None


class PackageMoveRow(Row):
    """A move of a package."""

    id: int
    warehouse_package_id: int
    kind: PackageMoveKind
    from_warehouse_id: int | None
    to_warehouse_id: int | None
    transfer_id: int | None
    reason: str | None
    user_id: int | None
    occurred_at: datetime
    recorded_at: datetime
