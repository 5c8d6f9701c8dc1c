"""Locker parcels for other families."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from haulier.contexts.lockers.parcels import store
from haulier.contexts.lockers.parcels.store import LockerParcelRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def get_parcel(call: Call, parcel_id: int, *, lock: bool = False) -> LockerParcelRow:
    """A parcel of this client. Raises `NOT_FOUND`."""
    row = await store.get_parcel_row(call.work, parcel_id, lock=lock)
    if row is None:
        raise record_not_found(locker_parcel_id=parcel_id)
    return row


async def find_parcel_by_code(call: Call, site_id: int, digest: bytes) -> LockerParcelRow | None:
    """Return the parcel of a code at a site, or None."""
    return await store.find_parcel_by_code(call.work, site_id, digest)


async def list_parcels(
    call: Call,
    wanted: Mapping[str, Any],
    *,
    due_before: datetime | None = None,
    moved: tuple[datetime, datetime] | None = None,
    reminded: bool | None = None,
    limit: int,
    offset: int,
) -> tuple[Sequence[LockerParcelRow], int]:
    """List a page of parcels, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    return await store.list_parcel_rows(
        call.work, wanted, due_before=due_before, moved=moved, reminded=reminded, limit=limit, offset=offset
    )
