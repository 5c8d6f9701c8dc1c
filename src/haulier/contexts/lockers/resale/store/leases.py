"""Statements on rentals and their payments."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Date,
    Integer,
    Select,
    bindparam,
    case,
    cast,
    exists,
    func,
    or_,
    select,
    update,
)

from haulier.contexts.lockers.resale.store.tables import (
    LeaseEntryRow,
    LeaseParcelsRow,
    LeaseSumRow,
    LeaseUsageRow,
    LockerLeaseRow,
    entries,
    leases,
    offers,
)
from haulier.contexts.lockers.sites.store.tables import parcels
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

_named = select(leases, offers.c.name.label("offer_name")).select_from(
    leases.join(offers, offers.c.id == leases.c.offer_id)
)
_by_id = _named.where(leases.c.id == bindparam("lease"))
_lock = select(leases.c.id).where(leases.c.id == bindparam("lease")).with_for_update()
_charges = (
    select(entries, leases.c.offer_id, leases.c.customer_id)
    .select_from(entries.join(leases, leases.c.id == entries.c.lease_id))
    .where(entries.c.lease_id == bindparam("lease"), entries.c.amount_minor >= 0)
    .order_by(entries.c.id.desc())
)
_booked = select(entries, leases.c.offer_id, leases.c.customer_id).select_from(
    entries.join(leases, leases.c.id == entries.c.lease_id)
)
_used = exists(select(parcels.c.id).where(parcels.c.lease_id == bindparam("lease")))
_days = (
    entries.c.booked_on >= bindparam("first", type_=Date),
    entries.c.booked_on <= bindparam("last", type_=Date),
)
_sums = (
    select(
        entries.c.lease_id,
        cast(func.sum(case((entries.c.amount_minor > 0, entries.c.amount_minor), else_=0)), BigInteger).label(
            "paid_minor"
        ),
        cast(func.sum(case((entries.c.amount_minor < 0, -entries.c.amount_minor), else_=0)), BigInteger).label(
            "refunded_minor"
        ),
    )
    .where(in_param(entries.c.lease_id, "leases"), *_days)
    .group_by(entries.c.lease_id)
)
_put_in = parcels.c.deposited_at.between(
    bindparam("since", type_=UTCDateTime()), bindparam("until", type_=UTCDateTime())
)
_parcels = (
    select(
        parcels.c.lease_id,
        func.sum(case((_put_in, 1), else_=0)).cast(Integer).label("parcels"),
        func.sum(case((parcels.c.ended_at.is_(None) & parcels.c.deposited_at.is_not(None), 1), else_=0))
        .cast(Integer)
        .label("in_boxes"),
    )
    .where(in_param(parcels.c.lease_id, "leases"))
    .group_by(parcels.c.lease_id)
)


class _Locked(Row):
    id: int


async def insert_lease(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Insert a rental. Returns its id."""
    return await work.insert(leases, **values)


async def update_lease(work: UnitOfWork, lease_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a lease."""
    changed = update(leases).where(leases.c.id == bindparam("lease")).values(**values)
    await work.run(changed, lease=lease_id)


async def get_lease_row(work: UnitOfWork, lease_id: int, *, lock: bool = False) -> LockerLeaseRow | None:
    """Return a rental of this client, or None."""
    if lock and await work.first(_lock, _Locked, lease=lease_id) is None:
        return None
    return await work.first(_by_id, LockerLeaseRow, lease=lease_id)


async def list_lease_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[LockerLeaseRow], int]:
    """List a page of matching rentals, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions: list[ColumnElement[bool]] = [leases.c[name] == value for name, value in wanted.items()]
    page = _named.where(*conditions).order_by(leases.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), LockerLeaseRow)
    return rows, await _count(work, select(leases.c.id).where(*conditions))


async def was_used(work: UnitOfWork, lease_id: int) -> bool:
    """Return True if a compartment of a rental was ever reserved for a parcel."""
    return bool(await work.value(select(_used), lease=lease_id))


async def insert_entry(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Insert a payment or refund. Returns its id."""
    return await work.insert(entries, **values)


async def update_entry(work: UnitOfWork, entry_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of an entry."""
    await work.run(update(entries).where(entries.c.id == bindparam("entry")).values(**values), entry=entry_id)


async def list_charges(work: UnitOfWork, lease_id: int) -> Sequence[LeaseEntryRow]:
    """List the payments of a rental, latest first."""
    return await work.all(_charges, LeaseEntryRow, lease=lease_id)


async def list_entry_rows(
    work: UnitOfWork,
    wanted: Mapping[str, Any],
    days: tuple[date | None, date | None],
    *,
    limit: int,
    offset: int,
) -> tuple[Sequence[LeaseEntryRow], int]:
    """List a page of payments and refunds, newest first, with their count.

    Counting stops one above `MAX_COUNT`. `wanted` are values of the columns of rentals or entries; `days` are the first
    and the last day.
    """
    conditions: list[ColumnElement[bool]] = [
        (leases if name in ("offer_id", "customer_id") else entries).c[name] == value for name, value in wanted.items()
    ]
    if days[0] is not None:
        conditions.append(entries.c.booked_on >= bindparam("first", days[0], Date))
    if days[1] is not None:
        conditions.append(entries.c.booked_on <= bindparam("last", days[1], Date))
    page = _booked.where(*conditions).order_by(entries.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), LeaseEntryRow)
    numbered = select(entries.c.id).select_from(entries.join(leases, leases.c.id == entries.c.lease_id))
    return rows, await _count(work, numbered.where(*conditions))


async def list_leases_with_boxes(
    work: UnitOfWork, wanted: Mapping[str, Any], since: datetime, until: datetime, *, limit: int, offset: int
) -> tuple[Sequence[LeaseUsageRow], int]:
    """List a page of paid rentals with compartments in a period, with their count."""
    conditions: list[ColumnElement[bool]] = [leases.c[name] == value for name, value in wanted.items()]
    conditions += [
        leases.c.paid_at < bindparam("until", until, UTCDateTime()),
        or_(leases.c.ended_at.is_(None), leases.c.ended_at >= bindparam("since", since, UTCDateTime())),
    ]
    page = _named.where(*conditions).order_by(leases.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), LeaseUsageRow)
    return rows, await _count(work, select(leases.c.id).where(*conditions))


async def sum_entries(
    work: UnitOfWork, lease_ids: Collection[int], first: date, last: date
) -> Mapping[int, LeaseSumRow]:
    """Sum the payments and refunds of rentals in a period."""
    if not lease_ids:
        return {}
    rows = await work.all(_sums, LeaseSumRow, leases=list(lease_ids), first=first, last=last)
    return {row.lease_id: row for row in rows}


async def count_parcels(
    work: UnitOfWork, lease_ids: Collection[int], since: datetime, until: datetime
) -> Mapping[int, LeaseParcelsRow]:
    """Count the parcels deposited in a period and the parcels inside now, by rental."""
    if not lease_ids:
        return {}
    rows = await work.all(_parcels, LeaseParcelsRow, leases=list(lease_ids), since=since, until=until)
    return {row.lease_id: row for row in rows}


async def _count(work: UnitOfWork, numbered: Select[Any]) -> int:
    return await work.value(select(func.count()).select_from(numbered.limit(MAX_COUNT + 1).subquery()))
