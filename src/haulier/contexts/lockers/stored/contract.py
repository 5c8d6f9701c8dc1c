"""Request and response models for locker storage."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.lockers.parcels.contract import StatusOfParcel
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

STORAGE = PriceFamily.STORAGE_SERVICES


class ListLockerStorage(PageRequest):
    """Filters for stored items. Items must match all of them."""

    # Short descriptions: every read-only agent loads this tool and pays per token.
    locker_parcel_id: RecordId | None = None
    """One item."""
    site_id: RecordId | None = None
    """Filter by site."""
    status: StatusOfParcel | None = None
    """Filter by status."""
    order_id: RecordId | None = None
    """ID of the order."""
    customer_id: RecordId | None = None
    """Filter by customer."""
    expiring_hours: int | None = Field(default=None, ge=1, le=24 * 60)
    """Only items due within this many hours."""


class LockerAccess(Answer):
    """An opening of a door for an item, done or requested."""

    at: datetime
    purpose: Annotated[str | None, doc("Purpose: deposit, collect, retrieve or inspect.", "collect")]
    outcome: Annotated[str, doc("queued, sent, acknowledged, done, failed or expired.", "done")]


class LockerStorageItem(Priced):
    """An item that is or was stored in a locker."""

    locker_parcel_id: int
    site_id: int
    cabinet: Annotated[str, doc("Code on the locker.", "A")]
    box: Annotated[int, doc("Number of the compartment in the locker.")]
    status: Annotated[str, doc("reserved, deposited, collected, expired, removed or cancelled.", "deposited")]
    status_code: Annotated[str | None, doc("OTEP status code. Null for a cancelled reservation.")]
    order_id: int | None
    customer_id: int | None
    reference: str | None
    since: Annotated[datetime | None, doc("Time of the deposit. Null while the compartment is only reserved.")]
    until: Annotated[datetime, doc("Time until which the item can be collected, or the compartment is reserved.")]
    left_at: datetime | None
    access_history: list[LockerAccess]
    fee_due_minor: Annotated[int | UnsetType, price(STORAGE, "Unpaid storage fee to date, in minor units.")] = UNSET


class LockerStorageList(PagedAnswer):
    """A page of stored items, newest first."""

    items: list[LockerStorageItem]
