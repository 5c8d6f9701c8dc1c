"""The tables of transfers, their packages and their steps."""

from datetime import datetime
from typing import Annotated

from sqlalchemy import Column, Index, String, UniqueConstraint

from haulier.contexts.warehouse.packages.contract import PACKAGE_NUMBER_MAX
from haulier.contexts.warehouse.transfers.contract import TransferPackageState
from haulier.contexts.warehouse.transfers.rules.lifecycle import TransferAction, TransferState
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.tables import VOLATILE
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

    `moves` is how many moves the package had after the last one that this transfer made.
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
