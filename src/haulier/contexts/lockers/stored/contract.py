"""What is asked of locker storage, and what it answers."""

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
    """Which stored items; one must match all that is given."""

    # Why so few words: every agent that only reads is shown this tool, and pays for them.
    locker_parcel_id: RecordId | None = None
    """One item."""
    site_id: RecordId | None = None
    """At one site."""
    status: StatusOfParcel | None = None
    """In this state."""
    order_id: RecordId | None = None
    """Of an order."""
    customer_id: RecordId | None = None
    """Of a customer."""
    expiring_hours: int | None = Field(default=None, ge=1, le=24 * 60)
    """Only those due within so many hours."""


class LockerAccess(Answer):
    """A time that a door was opened for an item, or was to be."""

    at: datetime
    purpose: Annotated[str | None, doc("Why: deposit, collect, retrieve or inspect.", "collect")]
    outcome: Annotated[str, doc("queued, sent, acknowledged, done, failed or expired.", "done")]


class LockerStorageItem(Priced):
    """An item that is or was stored in a locker."""

    locker_parcel_id: int
    site_id: int
    cabinet: Annotated[str, doc("What is written on the cabinet.", "A")]
    box: Annotated[int, doc("The box's number in the cabinet.")]
    status: Annotated[str, doc("reserved, deposited, collected, expired, removed or cancelled.", "deposited")]
    status_code: Annotated[str | None, doc("The same in OTEP; null for a reservation that was given up.")]
    order_id: int | None
    customer_id: int | None
    reference: str | None
    since: Annotated[datetime | None, doc("When it was put in; null while the box is only reserved.")]
    until: Annotated[datetime, doc("Until when it can be taken out, or the box is kept.")]
    left_at: datetime | None
    access_history: list[LockerAccess]
    fee_due: Annotated[
        int | UnsetType, price(STORAGE, "What its storage costs until now and is not paid, in minor units.")
    ] = UNSET


class LockerStorageList(PagedAnswer):
    """A page of stored items, newest first."""

    items: list[LockerStorageItem]
