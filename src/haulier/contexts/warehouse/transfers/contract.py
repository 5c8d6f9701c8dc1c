"""Request and response models for transfers."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from haulier.contexts.warehouse.packages.contract import PackageNumber
from haulier.contexts.warehouse.transfers.rules import TransferAction, TransferState
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.operations.ids import UserId, WarehouseTransferId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

SCANNED_MAX, TRANSFER_PACKAGES_MAX = 200, 2_000

Scanned = Annotated[list[PackageNumber], Field(min_length=1, max_length=SCANNED_MAX)]


class TransferPackageState(StrEnum):
    """State of a package of a transfer."""

    OUT = "out"
    """Scanned out, and not in yet."""
    IN = "in"
    MISSING = "missing"
    """It was scanned out and did not come."""
    EXTRA = "extra"
    """It came, and had not been scanned out."""


class Discrepancy(StrEnum):
    """Kinds of discrepancies of packages."""

    MISSING = "missing"
    EXTRA = "extra"
    DAMAGED = "damaged"


class CreateTransfer(Request):
    """A new batch."""

    from_warehouse_id: RecordId
    """Source warehouse."""
    to_warehouse_id: RecordId
    """Destination warehouse."""
    reason: Reason | None = Field(default=None, examples=["Sorted to the wrong city"])
    """Reason for the transfer."""
    numbers: Annotated[list[PackageNumber], Field(max_length=SCANNED_MAX)] = []
    """First packages, as scanned."""


class TransferRef(Request):
    """Reference to a transfer."""

    transfer_id: WarehouseTransferId


class ListTransfers(PageRequest):
    """Filters for transfers."""

    status: TransferState | None = None
    """Filter by status."""
    from_warehouse_id: RecordId | None = None
    """Filter by source warehouse."""
    to_warehouse_id: RecordId | None = None
    """Filter by destination warehouse."""


class ListTransferPackages(PageRequest):
    """Filters for packages of a transfer."""

    transfer_id: WarehouseTransferId
    state: TransferPackageState | None = None
    """Filter by state."""
    damaged: bool | None = None
    """If true, only damaged ones; if false, only undamaged ones."""


class ScanPackages(Request):
    """Packages that were scanned."""

    transfer_id: WarehouseTransferId
    numbers: Scanned
    """Barcodes or numbers printed on the packages. Repeated scans change nothing."""


class RemovePackages(Request):
    """Packages that stay where they are."""

    transfer_id: WarehouseTransferId
    numbers: Scanned
    """Barcodes or numbers printed on the packages."""


class ReportDiscrepancy(Request):
    """A discrepancy of packages of a transfer."""

    transfer_id: WarehouseTransferId
    kind: Discrepancy
    """Kind of discrepancy."""
    numbers: Scanned
    """Barcodes or numbers printed on the packages."""
    reason: Reason | None = Field(default=None, examples=["Box is wet"])
    """More about it."""


class RollBackTransfer(Request):
    """A transfer that is undone."""

    transfer_id: WarehouseTransferId
    reason: Reason = Field(min_length=1, examples=["Wrong truck"])
    """Reason."""


class WarehouseTransfer(Answer):
    """A batch of packages that goes from one warehouse to another."""

    id: int
    from_warehouse_id: int
    to_warehouse_id: int
    status: TransferState
    reason: Annotated[str | None, doc("Purpose of the transfer.")]
    packages: Annotated[int, doc("Number of packages, including unexpected ones.")]
    out: Annotated[int, doc("Packages scanned out, but not accounted for.")]
    arrived: Annotated[int, doc("Packages scanned in, including unexpected ones.")]
    missing: Annotated[int, doc("Packages known to be missing.")]
    extra: Annotated[int, doc("Packages scanned in, but never scanned out.")]
    damaged: Annotated[int, doc("Damaged packages.")]
    created_at: datetime
    allowed_actions: Annotated[list[TransferAction], doc("Available actions.")]


class TransferStep(Answer):
    """A step that a transfer took."""

    step: TransferAction
    reason: str | None
    user_id: Annotated[UserId | None, doc("User who made the change.")]
    at: datetime


class TransferAnswer(Answer):
    """One transfer, and what was done with it, oldest first."""

    result: bool = True
    transfer: WarehouseTransfer
    steps: list[TransferStep]


class TransferList(PagedAnswer):
    """A page of transfers, newest first."""

    transfers: list[WarehouseTransfer]


class TransferredPackage(Answer):
    """A package of a transfer."""

    number: str
    state: TransferPackageState
    damaged: bool
    reason: Annotated[str | None, doc("Description of the problem.")]
    from_warehouse_id: Annotated[int | None, doc("Warehouse to which a rollback returns it; null if unknown.")]
    scanned_out_at: datetime | None
    scanned_in_at: datetime | None


class TransferPackageList(PagedAnswer):
    """A page of packages, in the order in which they were scanned."""

    packages: list[TransferredPackage]
