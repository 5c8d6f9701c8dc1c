"""The tables of transfers, their packages and their steps."""

from datetime import datetime

from sqlalchemy import Boolean, Column, Index, Integer, String, UniqueConstraint

from haulier.contexts.warehouse.packages.contract import PACKAGE_NUMBER_MAX
from haulier.contexts.warehouse.transfers.contract import TransferPackageState
from haulier.contexts.warehouse.transfers.rules.lifecycle import TransferAction, TransferState
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import VOLATILE, Id, UTCDateTime, tenant_table
from haulier.kernel.operations.fields import REASON_MAX

transfers = tenant_table(
    "warehouse_transfer",
    Column("from_warehouse_id", Id, nullable=False),
    Column("to_warehouse_id", Id, nullable=False),
    Column("status", String(12), nullable=False),
    Column("reason", String(REASON_MAX)),
    Column("created_at", UTCDateTime, nullable=False),
    Index("ix_warehouse_transfer_status", "client_id", "status", "id"),
    Index("ix_warehouse_transfer_from", "client_id", "from_warehouse_id", "id"),
    Index("ix_warehouse_transfer_to", "client_id", "to_warehouse_id", "id"),
)
plain_columns(transfers, "status", "reason")

transfer_packages = tenant_table(
    "transfer_package",
    Column("transfer_id", Id, nullable=False),
    Column("warehouse_package_id", Id, nullable=False),
    Column("number", String(PACKAGE_NUMBER_MAX), nullable=False, info=VOLATILE),
    Column("state", String(8), nullable=False),
    Column("damaged", Boolean, nullable=False),
    Column("reason", String(REASON_MAX)),
    Column("from_warehouse_id", Id),
    Column("moves", Integer, nullable=False),
    Column("scanned_out_at", UTCDateTime),
    Column("scanned_in_at", UTCDateTime),
    UniqueConstraint("client_id", "transfer_id", "warehouse_package_id"),
)
"""`moves` is how many moves the package had after the last one that this transfer made."""
plain_columns(transfer_packages, "number", "state", "reason")

steps = tenant_table(
    "transfer_step",
    Column("transfer_id", Id, nullable=False),
    Column("step", String(12), nullable=False),
    Column("reason", String(REASON_MAX)),
    Column("user_id", Id),
    Column("at", UTCDateTime, nullable=False),
    Index("ix_transfer_step_transfer", "client_id", "transfer_id", "id"),
)
"""Written once and never changed."""
plain_columns(steps, "step", "reason")


class WarehouseTransferRow(Row):
    """A transfer."""

    id: int
    from_warehouse_id: int
    to_warehouse_id: int
    status: TransferState
    reason: str | None
    created_at: datetime


class TransferPackageRow(Row):
    """A package of a transfer."""

    id: int
    transfer_id: int
    warehouse_package_id: int
    number: str
    state: TransferPackageState
    damaged: bool
    reason: str | None
    from_warehouse_id: int | None
    moves: int
    scanned_out_at: datetime | None
    scanned_in_at: datetime | None


class TransferStepRow(Row):
    """A step of a transfer."""

    id: int
    transfer_id: int
    step: TransferAction
    reason: str | None
    user_id: int | None
    at: datetime
