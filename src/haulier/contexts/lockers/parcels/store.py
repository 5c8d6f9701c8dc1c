"""Statements on parcels in lockers."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, func, or_, select, update

from haulier.contexts.lockers.sites.store import boxes, cabinets, parcels, sites
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT


class LockerParcelRow(Row):
    """A locker parcel with its compartment."""

    id: int
    site_id: int
    box_id: int
    kind: str
    status: str
    customer_id: int | None
    order_id: int | None
    lease_id: int | None
    reference: str | None
    recipient_name: str | None
    recipient_email: str | None
    recipient_phone: str | None
    language: str | None
    code_made_at: datetime | None
    reminded_at: datetime | None
    until: datetime
    keep_days: int
    end_reason: str | None
    home: dict[str, Any] | None
    fee_minor: int | None
    fee_charged: bool | None
    reserved_at: datetime
    deposited_at: datetime | None
    ended_at: datetime | None
    has_code: bool
    cabinet: str
    box: int
    cabinet_id: int
    device_id: int | None
    storage_free_days: int | None
    storage_day_minor: int | None


class CodedParcelRow(Row):
    """A parcel with a valid code."""

    id: int
    site_id: int
    kind: str
    status: str
    until: datetime
    code_sha256: bytes
    box: int


_KEPT = [column for column in parcels.c if column.name not in ("client_id", "code_sha256", "code_nonce")]
_placed = select(
    *_KEPT,
    parcels.c.code_sha256.is_not(None).label("has_code"),
    cabinets.c.code.label("cabinet"),
    boxes.c.number.label("box"),
    cabinets.c.id.label("cabinet_id"),
    cabinets.c.device_id,
    sites.c.storage_free_days,
    sites.c.storage_day_minor,
).select_from(
    parcels.join(boxes, boxes.c.id == parcels.c.box_id)
    .join(cabinets, cabinets.c.id == boxes.c.cabinet_id)
    .join(sites, sites.c.id == parcels.c.site_id)
)
_one = _placed.where(parcels.c.id == bindparam("parcel"))
_lock = select(parcels.c.id).where(parcels.c.id == bindparam("parcel")).with_for_update()
_by_code = _placed.where(
    parcels.c.site_id == bindparam("site"),
    parcels.c.ended_at.is_(None),
    parcels.c.code_sha256 == bindparam("digest"),
)


_coded = (
    _placed.add_columns(parcels.c.code_sha256)
    .where(
        cabinets.c.device_id == bindparam("device"), parcels.c.ended_at.is_(None), parcels.c.code_sha256.is_not(None)
    )
    .order_by(boxes.c.number)
)


class ParcelCodeRow(Row):
    """Stored data of a parcel's code."""

    code_sha256: bytes | None
    code_nonce: bytes | None


_code = select(parcels.c.code_sha256, parcels.c.code_nonce).where(parcels.c.id == bindparam("parcel"))


class _Numbered(Row):
    id: int


async def insert_parcel(work: UnitOfWork, values: Mapping[str, Any]) -> int | None:
    """Insert a parcel. Returns its id, or None if the compartment is taken."""
    rows = await work.insert_new(parcels, [values], returning=("id",))
    return rows[0].id if rows else None


async def get_code_row(work: UnitOfWork, parcel_id: int) -> ParcelCodeRow | None:
    """Return what is stored of a parcel's code, or None."""
    return await work.first(_code, ParcelCodeRow, parcel=parcel_id)


async def update_parcel(work: UnitOfWork, parcel_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a parcel.

    Raises `UniqueConflict` for a code of another parcel at the site.
    """
    changed = update(parcels).where(parcels.c.id == bindparam("parcel")).values(**values)
    await work.run(changed, parcel=parcel_id)


async def get_parcel_row(work: UnitOfWork, parcel_id: int, *, lock: bool = False) -> LockerParcelRow | None:
    """A parcel of this client, or None."""
    if lock and await work.first(_lock, _Numbered, parcel=parcel_id) is None:
        return None
    return await work.first(_one, LockerParcelRow, parcel=parcel_id)


async def find_parcel_by_code(work: UnitOfWork, site_id: int, digest: bytes) -> LockerParcelRow | None:
    """Return the parcel of a code at a site, or None."""
    return await work.first(_by_code, LockerParcelRow, site=site_id, digest=digest)


async def list_coded_parcels(work: UnitOfWork, device_id: int) -> Sequence[CodedParcelRow]:
    """List the parcels with a code in the locker of a device, by compartment."""
    return await work.all(_coded, CodedParcelRow, device=device_id)


async def list_parcel_rows(
    work: UnitOfWork,
    wanted: Mapping[str, Any],
    *,
    due_before: datetime | None = None,
    moved: tuple[datetime, datetime] | None = None,
    reminded: bool | None = None,
    limit: int,
    offset: int,
) -> tuple[Sequence[LockerParcelRow], int]:
    """List a page of matching parcels, newest first, with their count.

    Counting stops one above `MAX_COUNT`. A value of None selects parcels without one. With `due_before`, only parcels
    with a compartment whose period ends before then. With `moved`, only parcels deposited or taken out in that span.
    """
    conditions: list[ColumnElement[bool]] = [parcels.c[name] == value for name, value in wanted.items()]
    if reminded is not None:
        conditions.append(parcels.c.reminded_at.is_not(None) if reminded else parcels.c.reminded_at.is_(None))
    if due_before is not None:
        conditions += [parcels.c.ended_at.is_(None), parcels.c.until <= bindparam("due", due_before, UTCDateTime)]
    if moved is not None:
        since, until = (bindparam(name, at, UTCDateTime) for name, at in zip(("since", "before"), moved, strict=True))
        put_in = and_(parcels.c.deposited_at >= since, parcels.c.deposited_at < until)
        taken_out = and_(parcels.c.ended_at >= since, parcels.c.ended_at < until, parcels.c.deposited_at.is_not(None))
        conditions.append(or_(put_in, taken_out))
    page = _placed.where(*conditions).order_by(parcels.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), LockerParcelRow)
    counted = select(parcels.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))
