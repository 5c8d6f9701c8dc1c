"""Queries for waiting lists."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import bindparam, func, select

from haulier.contexts.booking.reservations.rules import WaitingStatus
from haulier.contexts.booking.reservations.store.tables import WaitingEntryRow, booking_windows, waiting_entries
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

c = waiting_entries.c
LIVE = (WaitingStatus.WAITING.value, WaitingStatus.OFFERED.value)
_waits = c.status == WaitingStatus.WAITING.value
_live = select(waiting_entries).where(
    c.window_id == bindparam("window"), c.customer_id == bindparam("customer"), c.status.in_(LIVE)
)
_of_reservation = select(waiting_entries).where(
    c.reservation_id == bindparam("reservation"), c.status == WaitingStatus.OFFERED.value
)
_counts = (
    select(c.window_id, func.count().label("waiting")).where(in_param(c.window_id, "ids"), _waits).group_by(c.window_id)
)
_of_customer = select(func.count()).select_from(waiting_entries).where(c.customer_id == bindparam("customer"), _waits)
_next = (
    select(waiting_entries)
    .where(c.window_id == bindparam("window"), _waits)
    .order_by(c.id)
    .limit(bindparam("most"))
    .with_for_update()
)
_ahead = waiting_entries.alias("ahead")
_positions = (
    select(c.id, func.count(_ahead.c.id).label("position"))
    .select_from(waiting_entries)
    .join(
        _ahead,
        (_ahead.c.client_id == c.client_id)
        & (_ahead.c.window_id == c.window_id)
        & (_ahead.c.status == WaitingStatus.WAITING.value)
        & (_ahead.c.id <= c.id),
    )
    .where(in_param(c.id, "ids"), _waits)
    .group_by(c.id)
)
_waiting_of_window = select(waiting_entries).where(c.window_id == bindparam("window"), _waits).order_by(c.id)


async def get_live_entry(work: UnitOfWork, window_id: int, customer_id: int) -> WaitingEntryRow | None:
    """Return a customer's waiting or offered entry for a window, or None."""
    return await work.first(_live, WaitingEntryRow, window=window_id, customer=customer_id)


async def get_offered_entry(work: UnitOfWork, reservation_id: int) -> WaitingEntryRow | None:
    """Return the entry that a held place is offered to, or None."""
    return await work.first(_of_reservation, WaitingEntryRow, reservation=reservation_id)


async def count_waiting(work: UnitOfWork, window_ids: Collection[int]) -> dict[int, int]:
    """Return the number of waiting entries by window. Windows without any are absent."""
    rows = await work.all(_counts, ids=sorted(set(window_ids))) if window_ids else []
    return {row.window_id: row.waiting for row in rows}


async def count_waiting_of_customer(work: UnitOfWork, customer_id: int) -> int:
    """Return the number of windows that a customer waits for."""
    return await work.value(_of_customer, customer=customer_id)


async def lock_next_waiting(work: UnitOfWork, window_id: int, most: int) -> Sequence[WaitingEntryRow]:
    """Lock and return the longest waiting entries of a window."""
    return await work.all(_next, WaitingEntryRow, window=window_id, most=most)


async def get_waiting_positions(work: UnitOfWork, ids: Collection[int]) -> dict[int, int]:
    """Return the positions of entries in the queue of their window, from 1.

    Entries that no longer wait are absent.
    """
    return {row.id: row.position for row in await work.all(_positions, ids=sorted(set(ids)))} if ids else {}


async def list_waiting_of_window(work: UnitOfWork, window_id: int) -> Sequence[WaitingEntryRow]:
    """Return all waiting entries of a window in order."""
    return await work.all(_waiting_of_window, WaitingEntryRow, window=window_id)


async def list_awaited_windows(work: UnitOfWork, day: date, zone_id: int | None) -> list[int]:
    """Return the windows of a day with waiting entries, in one zone or all."""
    windows = booking_windows.c
    asked = select(windows.id).where(windows.day == day).order_by(windows.id)
    if zone_id is not None:
        asked = asked.where(windows.zone_id == zone_id)
    waited_for = select(c.window_id).where(_waits, c.client_id == windows.client_id)
    return [row.id for row in await work.all(asked.where(windows.id.in_(waited_for)))]


async def list_waiting_entries(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[WaitingEntryRow], int]:
    """Return a page of matching entries, oldest first, and their number.

    Filters are columns; None does not filter.
    """
    where = [c[name] == value for name, value in filters.items() if value is not None]
    found = select(waiting_entries).where(*where).order_by(c.id).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(waiting_entries).where(*where))
    return await work.all(found, WaitingEntryRow), total
