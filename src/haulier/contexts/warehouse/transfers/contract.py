"""What goes in and out of transfers."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from haulier.contexts.warehouse.packages.contract import PackageNumber
from haulier.contexts.warehouse.transfers.rules import TransferAction, TransferState
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.operations.ids import UserId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

SCANNED_MAX, TRANSFER_PACKAGES_MAX = 200, 2_000

Scanned = Annotated[list[PackageNumber], Field(min_length=1, max_length=SCANNED_MAX)]


class TransferPackageState(StrEnum):
    """What became of a package of a transfer."""

    OUT = "out"
    """Scanned out, and not in yet."""
    IN = "in"
    MISSING = "missing"
    """It was scanned out and did not come."""
    EXTRA = "extra"
    """It came, and had not been scanned out."""


class Discrepancy(StrEnum):
    """What is wrong with packages of a transfer."""

    MISSING = "missing"
    EXTRA = "extra"
    DAMAGED = "damaged"


class CreateTransfer(Request):
    """A new batch."""

    from_warehouse_id: RecordId
    """Where the packages are."""
    to_warehouse_id: RecordId
    """Where they should be."""
    reason: Reason | None = Field(default=None, examples=["Sorted to the wrong city"])
    """Why they go there."""
    numbers: Annotated[list[PackageNumber], Field(max_length=SCANNED_MAX)] = []
    """The first packages, as scanned."""


class TransferRef(Request):
    """Which transfer."""

    transfer_id: RecordId


class ListTransfers(PageRequest):
    """Which transfers."""

    status: TransferState | None = None
    """Only those in this state."""
    from_warehouse_id: RecordId | None = None
    """Only those that leave this warehouse."""
    to_warehouse_id: RecordId | None = None
    """Only those that go to this warehouse."""


class ListTransferPackages(PageRequest):
    """Which packages of a transfer."""

    transfer_id: RecordId
    state: TransferPackageState | None = None
    """Only those of which this became."""
    damaged: bool | None = None
    """Only those that came damaged, or only those that did not."""


class ScanPackages(Request):
    """Packages that were scanned."""

    transfer_id: RecordId
    numbers: Scanned
    """What is printed on them. One that was scanned before changes nothing."""


class RemovePackages(Request):
    """Packages that stay where they are."""

    transfer_id: RecordId
    numbers: Scanned
    """What is printed on them."""


class ReportDiscrepancy(Request):
    """What is wrong with packages of a transfer."""

    transfer_id: RecordId
    kind: Discrepancy
    """What is wrong."""
    numbers: Scanned
    """What is printed on the packages."""
    reason: Reason | None = Field(default=None, examples=["Box is wet"])
    """More about it."""


class RollBackTransfer(Request):
    """A transfer that is undone."""

    transfer_id: RecordId
    reason: Reason = Field(min_length=1, examples=["Wrong truck"])
    """Why."""


class WarehouseTransfer(Answer):
    """A batch of packages that goes from one warehouse to another."""

    id: int
    from_warehouse_id: int
    to_warehouse_id: int
    status: TransferState
    reason: Annotated[str | None, doc("Why the packages go there.")]
    packages: Annotated[int, doc("Packages of the batch, those that were extra among them.")]
    out: Annotated[int, doc("Of these, scanned out and not accounted for.")]
    arrived: Annotated[int, doc("Of these, scanned in, those that were extra among them.")]
    missing: Annotated[int, doc("Of these, known to be missing.")]
    extra: Annotated[int, doc("Of these, scanned in without having been scanned out.")]
    damaged: Annotated[int, doc("Of these, damaged.")]
    created_at: datetime
    allowed_actions: Annotated[list[TransferAction], doc("What can be done with it now.")]


class TransferStep(Answer):
    """A step that a transfer took."""

    step: TransferAction
    reason: str | None
    user_id: Annotated[UserId | None, doc("Who did it.")]
    at: datetime


class TransferAnswer(Answer):
    """One transfer, and what was done with it, the oldest first."""

    result: bool = True
    transfer: WarehouseTransfer
    steps: list[TransferStep]


class TransferList(PagedAnswer):
    """A page of transfers, the newest first."""

    transfers: list[WarehouseTransfer]


class TransferredPackage(Answer):
    """A package of a transfer."""

    number: str
    state: TransferPackageState
    damaged: bool
    reason: Annotated[str | None, doc("What is wrong with it, in words.")]
    from_warehouse_id: Annotated[int | None, doc("Where a rollback puts it; null where nobody knew where it was.")]
    scanned_out_at: datetime | None
    scanned_in_at: datetime | None


class TransferPackageList(PagedAnswer):
    """A page of packages, in the order in which they were scanned."""

    packages: list[TransferredPackage]
