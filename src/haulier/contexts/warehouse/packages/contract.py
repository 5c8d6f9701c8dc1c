"""Request and response models for packages."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.operations.ids import UserId, WarehouseTransferId
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH, MAX_PER_PAGE

PACKAGE_NUMBER_MAX = 64

PackageNumber = Annotated[
    str,
    Field(min_length=1, max_length=PACKAGE_NUMBER_MAX, pattern=r"^[\x21-\x7e]+$", examples=["HL0V9Q1ABCD2"]),
]
"""Tracking number, or another number that is unique in the business."""


class PackageMoveKind(StrEnum):
    """Why a package has another place."""

    ARRIVED = "arrived"
    """It was scanned in a warehouse."""
    SENT = "sent"
    """It left: with a transfer, or on a route."""
    ROLLED_BACK = "rolled_back"
    """Its transfer was undone."""


class ListPackages(Request):
    """Filters for packages."""

    warehouse_id: RecordId | None = None
    """Filter by warehouse."""
    transfer_id: WarehouseTransferId | None = None
    """Filter by transfer."""
    per_page: int = Field(default=50, ge=1, le=MAX_PER_PAGE)
    """Records per page."""
    cursor: str | None = Field(default=None, max_length=MAX_CURSOR_LENGTH, examples=["WzE3XQ"])
    """`next_cursor` of the previous page."""


class PackageRef(Request):
    """Reference to a package."""

    number: PackageNumber
    """Its number, in large or small letters."""


class WarehousePackage(Answer):
    """A package, and where it is."""

    number: str
    warehouse_id: Annotated[int | None, doc("Current warehouse; null in transit or if unknown.")]
    moved_at: Annotated[datetime | None, doc("Time of arrival there, or of departure.")]
    transfer_id: Annotated[WarehouseTransferId | None, doc("Transfer of the package.")]
    order_id: Annotated[int | None, doc("Order of the package.")]


class PackageMove(Answer):
    """A package went from one place to another. Never changed."""

    kind: PackageMoveKind
    from_warehouse_id: Annotated[
        int | None, doc("Warehouse that it left; null if it came from outside or was in transit.")
    ]
    to_warehouse_id: Annotated[int | None, doc("Warehouse that it reached; null in transit.")]
    transfer_id: Annotated[WarehouseTransferId | None, doc("Transfer of the move.")]
    reason: Annotated[str | None, doc("Reason in words.")]
    user_id: Annotated[UserId | None, doc("User who made the change.")]
    occurred_at: Annotated[datetime, doc("Time of the scan, by the scanner's clock.")]
    recorded_at: Annotated[datetime, doc("Time when the record was created.")]


class PackageAnswer(Answer):
    """A package and all its moves, oldest first."""

    result: bool = True
    package: WarehousePackage
    moves: list[PackageMove]


class PackageList(Answer):
    """A page of packages."""

    result: bool = True
    packages: list[WarehousePackage]
    next_cursor: Annotated[str | None, doc("Cursor of the next page, or null on the last page.")]
