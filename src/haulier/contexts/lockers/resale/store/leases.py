"""Tables and statements of locker rentals: leases."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Date,
    Integer,
    Select,
    and_,
    bindparam,
    case,
    cast,
    exists,
    func,
    null,
    or_,
    select,
    update,
)

from haulier.contexts.lockers.resale.rules import LIVE
from haulier.contexts.lockers.resale.store.tables import (
    AllotmentRow,
    LeasedBoxRow,
    LeaseEntryRow,
    LeaseParcelsRow,
    LeaseSumRow,
    LeaseUsageRow,
    LetBoxesRow,
    LockerLeaseRow,
    LockerOfferRow,
    allotments,
    entries,
    leases,
    offers,
)
from haulier.contexts.lockers.sites.store import boxes, cabinets, parcels
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

_lives_in = and_(parcels.c.box_id == boxes.c.id, parcels.c.ended_at.is_(None))
_occupied = exists(select(parcels.c.id).where(_lives_in))
_allotment_free = (
    select(boxes.c.id)
    .where(
        boxes.c.site_id == bindparam("site"),
        boxes.c.size == bindparam("size"),
        boxes.c.usable.is_(True),
        boxes.c.lease_id.is_(None),
        ~_occupied,
    )
    .order_by(boxes.c.id)
    .limit(bindparam("most", type_=Integer))
    .with_for_update(skip_locked=True)
)
_filled = select(parcels.c.box_id.label("id")).where(in_param(parcels.c.box_id, "boxes"), parcels.c.ended_at.is_(None))
_give = update(boxes).where(in_param(boxes.c.id, "boxes")).values(lease_id=bindparam("lease", type_=Id))
_take_box = update(boxes).where(boxes.c.id == bindparam("box")).values(lease_id=null())
_take_all = update(boxes).where(boxes.c.lease_id == bindparam("lease")).values(lease_id=null())
_open = select(allotments).where(allotments.c.ended_at.is_(None))
_of_box = _open.where(allotments.c.box_id == bindparam("box"))
_of_lease = _open.where(allotments.c.lease_id == bindparam("lease")).order_by(allotments.c.id)
_end_all = (
    update(allotments)
    .where(allotments.c.lease_id == bindparam("lease"), allotments.c.ended_at.is_(None))
    .values(ended_at=bindparam("at", type_=UTCDateTime()))
)
_end_one = (
    update(allotments)
    .where(allotments.c.id == bindparam("allotment"))
    .values(ended_at=bindparam("at", type_=UTCDateTime()))
)
_note_out = (
    update(allotments)
    .where(allotments.c.id == bindparam("allotment"))
    .values(out_since=bindparam("since", type_=UTCDateTime()))
)
_shown = (
    select(
        allotments.c.box_id,
        cabinets.c.code.label("cabinet"),
        boxes.c.number.label("box"),
        boxes.c.size,
        boxes.c.low,
        boxes.c.state,
        allotments.c.since,
        allotments.c.out_since,
        parcels.c.id.label("parcel_id"),
    )
    .select_from(
        allotments.join(boxes, boxes.c.id == allotments.c.box_id)
        .join(cabinets, cabinets.c.id == boxes.c.cabinet_id)
        .outerjoin(parcels, _lives_in)
    )
    .where(allotments.c.lease_id == bindparam("lease"), allotments.c.ended_at.is_(None))
    .order_by(boxes.c.cabinet_id, boxes.c.number)
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_counted = select(func.count()).select_from(_open.where(allotments.c.lease_id == bindparam("lease")).subquery())
_reserved = (
    select(parcels.c.id)
    .where(parcels.c.lease_id == bindparam("lease"), parcels.c.ended_at.is_(None), parcels.c.deposited_at.is_(None))
    .order_by(parcels.c.id)
)


class _Numbered(Row):
    id: int


async def lock_free_boxes(work: UnitOfWork, site_id: int, size: str, most: int) -> list[int]:
    """Lock and return free compartments of exactly one size, skipping locked rows."""
    return [row.id for row in await work.all(_allotment_free, _Numbered, site=site_id, size=size, most=most)]


async def list_filled(work: UnitOfWork, box_ids: Collection[int]) -> set[int]:
    """Return the compartments that hold or await a parcel."""
    return {row.id for row in await work.all(_filled, _Numbered, boxes=list(box_ids))} if box_ids else set()


async def allot_boxes(work: UnitOfWork, lease_id: int, box_ids: Collection[int], now: datetime) -> None:
    """Allot locked compartments to a rental."""
    await work.run(_give, lease=lease_id, boxes=list(box_ids))
    await work.insert_many(allotments, [{"lease_id": lease_id, "box_id": id, "since": now} for id in box_ids])


async def release_box(work: UnitOfWork, allotment: AllotmentRow, now: datetime) -> None:
    """Release a compartment from its rental."""
    await work.run(_take_box, box=allotment.box_id)
    await work.run(_end_one, allotment=allotment.id, at=now)


async def release_boxes(work: UnitOfWork, lease_id: int, now: datetime) -> None:
    """Release all compartments of a rental."""
    await work.run(_take_all, lease=lease_id)
    await work.run(_end_all, lease=lease_id, at=now)


async def set_out_since(work: UnitOfWork, allotment_id: int, since: datetime | None) -> None:
    """Record the start or end of an outage of a rented compartment."""
    await work.run(_note_out, allotment=allotment_id, since=since)


async def find_allotment_of_box(work: UnitOfWork, box_id: int) -> AllotmentRow | None:
    """Return the allotment of a compartment, or None."""
    return await work.first(_of_box, AllotmentRow, box=box_id)


async def list_allotments(work: UnitOfWork, lease_id: int) -> Sequence[AllotmentRow]:
    """List the current compartments of a rental."""
    return await work.all(_of_lease, AllotmentRow, lease=lease_id)


async def list_box_rows(
    work: UnitOfWork, lease_id: int, *, limit: int, offset: int
) -> tuple[Sequence[LeasedBoxRow], int]:
    """List a page of the current compartments of a rental, with their count."""
    rows = await work.all(_shown, LeasedBoxRow, lease=lease_id, page_size=limit, skipped=offset)
    return rows, await work.value(_counted, lease=lease_id)


async def list_reserved_parcels(work: UnitOfWork, lease_id: int) -> list[int]:
    """List the parcels with a reserved but empty compartment of a rental."""
    return [row.id for row in await work.all(_reserved, _Numbered, lease=lease_id)]


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


_let = (
    select(leases.c.offer_id.label("id"), cast(func.sum(leases.c.boxes), BigInteger).label("boxes"))
    .where(in_param(leases.c.offer_id, "offers"), leases.c.status.in_([each.value for each in sorted(LIVE)]))
    .group_by(leases.c.offer_id)
)
_empty = and_(
    boxes.c.site_id == offers.c.site_id,
    boxes.c.size == offers.c.size,
    boxes.c.usable.is_(True),
    boxes.c.lease_id.is_(None),
)
_offer_free = (
    select(offers.c.id, func.count(boxes.c.id).cast(Integer).label("boxes"))
    .select_from(offers.join(boxes, _empty).outerjoin(parcels, _lives_in))
    .where(in_param(offers.c.id, "offers"), parcels.c.id.is_(None))
    .group_by(offers.c.id)
)


async def update_offer(work: UnitOfWork, offer_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of an offer."""
    if values:
        changed = update(offers).where(offers.c.id == bindparam("offer")).values(**values)
        await work.run(changed, offer=offer_id)


async def list_offer_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[LockerOfferRow], int]:
    """List a page of matching offers, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions: list[ColumnElement[bool]] = [offers.c[name] == value for name, value in wanted.items()]
    page = select(offers).where(*conditions).order_by(offers.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), LockerOfferRow)
    counted = select(offers.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))


async def count_rented_boxes(work: UnitOfWork, offer_ids: Collection[int]) -> dict[int, int]:
    """Count the rented or reserved compartments by offer."""
    if not offer_ids:
        return {}
    return {row.id: row.boxes for row in await work.all(_let, LetBoxesRow, offers=list(offer_ids))}


async def count_free_boxes(work: UnitOfWork, offer_ids: Collection[int]) -> dict[int, int]:
    """Count the free compartments at the sites of offers."""
    if not offer_ids:
        return {}
    return {row.id: row.boxes for row in await work.all(_offer_free, LetBoxesRow, offers=list(offer_ids))}
