"""Every statement on those who wait for a place in a window."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import bindparam, func, select, update

from haulier.contexts.booking.reservations.rules import WaitingStatus
from haulier.contexts.booking.reservations.store.tables import WaitingEntryRow, booking_windows, waiting_entries
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

c = waiting_entries.c
LIVE = (WaitingStatus.WAITING.value, WaitingStatus.OFFERED.value)
_waits = c.status == WaitingStatus.WAITING.value
_by_id = select(waiting_entries).where(c.id == bindparam("id"))
_lock = _by_id.with_for_update()
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


async def insert_waiting_entry(work: UnitOfWork, **values: Any) -> int:
    """Write who waits. Returns the id. Raises `UniqueConflict` for a customer who waits for this window already."""
    return await work.insert(waiting_entries, **values)


async def update_waiting_entry(work: UnitOfWork, entry_id: int, **values: Any) -> None:
    """Change columns of an entry."""
    await work.run(update(waiting_entries).where(c.id == entry_id).values(**values))


async def get_waiting_entry(work: UnitOfWork, entry_id: int, *, lock: bool = False) -> WaitingEntryRow | None:
    """An entry, with `lock` until the transaction ends; or None."""
    return await work.first(_lock if lock else _by_id, WaitingEntryRow, id=entry_id)


async def get_live_entry(work: UnitOfWork, window_id: int, customer_id: int) -> WaitingEntryRow | None:
    """The entry of a customer who waits for a window or is offered a place in it, or None."""
    return await work.first(_live, WaitingEntryRow, window=window_id, customer=customer_id)


async def get_offered_entry(work: UnitOfWork, reservation_id: int) -> WaitingEntryRow | None:
    """The entry to which a held place is offered, or None."""
    return await work.first(_of_reservation, WaitingEntryRow, reservation=reservation_id)


async def count_waiting(work: UnitOfWork, window_ids: Collection[int]) -> dict[int, int]:
    """How many wait for a place in each of some windows. A window for which nobody waits is absent."""
    rows = await work.all(_counts, ids=sorted(set(window_ids))) if window_ids else []
    return {row.window_id: row.waiting for row in rows}


async def count_waiting_of_customer(work: UnitOfWork, customer_id: int) -> int:
    """For how many windows a customer waits."""
    return await work.value(_of_customer, customer=customer_id)


async def lock_next_waiting(work: UnitOfWork, window_id: int, most: int) -> Sequence[WaitingEntryRow]:
    """Those who wait longest for a place in a window, locked."""
    return await work.all(_next, WaitingEntryRow, window=window_id, most=most)


async def get_waiting_positions(work: UnitOfWork, ids: Collection[int]) -> dict[int, int]:
    """Where entries stand in the line of their window, from 1. Those that wait no more are absent."""
    return {row.id: row.position for row in await work.all(_positions, ids=sorted(set(ids)))} if ids else {}


async def list_waiting_of_window(work: UnitOfWork, window_id: int) -> Sequence[WaitingEntryRow]:
    """All who wait for a window, in their order."""
    return await work.all(_waiting_of_window, WaitingEntryRow, window=window_id)


async def list_awaited_windows(work: UnitOfWork, day: date, zone_id: int | None) -> list[int]:
    """The windows of a day, of one zone or all, for which somebody waits."""
    windows = booking_windows.c
    asked = select(windows.id).where(windows.day == day).order_by(windows.id)
    if zone_id is not None:
        asked = asked.where(windows.zone_id == zone_id)
    waited_for = select(c.window_id).where(_waits, c.client_id == windows.client_id)
    return [row.id for row in await work.all(asked.where(windows.id.in_(waited_for)))]


async def list_waiting_entries(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[WaitingEntryRow], int]:
    """A page of entries, oldest first, and how many match. Filters are columns; None does not filter."""
    where = [c[name] == value for name, value in filters.items() if value is not None]
    found = select(waiting_entries).where(*where).order_by(c.id).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(waiting_entries).where(*where))
    return await work.all(found, WaitingEntryRow), total
