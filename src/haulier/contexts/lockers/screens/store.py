"""Tables of screens and courier codes, and their statements."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Index, Integer, LargeBinary, String, bindparam, func, select, update

from haulier.kernel.data.personal_data import RecordKind, plain_columns, retained
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import VOLATILE, Id, UTCDateTime, directory_table, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX

_NO_CLIENT_YET = "a screen shows who it is before its client is known"

screens = directory_table(
    "locker_screen",
    Column("site_id", Id, nullable=False),
    Column("name", String(NAME_MAX), nullable=False),
    Column("key_sha256", LargeBinary(32), nullable=False, unique=True, info=VOLATILE),
    Column("wrong_codes", Integer, nullable=False),
    Column("rests_until", UTCDateTime),
    Column("last_seen_at", UTCDateTime),
    Column("created_at", UTCDateTime, nullable=False),
    Column("ended_at", UTCDateTime),
    Index("ix_locker_screen_site", "client_id", "site_id"),
    why="a screen shows its key before anybody knows whose it is",
)
plain_columns(screens, "name", "key_sha256")

courier_codes = tenant_table(
    "locker_courier_code",
    Column("site_id", Id, nullable=False),
    Column("code_sha256", LargeBinary(32), nullable=False, info=VOLATILE),
    Column("made_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("expires_at", UTCDateTime, nullable=False),
    Index("uq_locker_courier_code", "client_id", "code_sha256", unique=True),
)
plain_columns(courier_codes, "code_sha256")
retained(RecordKind.LOCKER_PARCELS, courier_codes.c.expires_at, default_days=365, minimum_days=30)


class LockerScreenRow(Row):
    """A screen."""

    id: int
    client_id: int
    site_id: int
    name: str
    wrong_codes: int
    rests_until: datetime | None
    last_seen_at: datetime | None
    created_at: datetime
    ended_at: datetime | None


class CourierCodeRow(Row):
    """A courier's code."""

    id: int
    site_id: int
    made_by: int | None
    expires_at: datetime


_kept = select(*(column for column in screens.c if column.name != "key_sha256"))
_screen = _kept.where(screens.c.id == bindparam("screen"))
_screen_locked = _screen.with_for_update()
_by_key = _kept.where(screens.c.key_sha256 == bindparam("digest"))
_at_site = (screens.c.site_id == bindparam("site"), screens.c.ended_at.is_(None) | bindparam("all", type_=Boolean))
_list = _kept.where(*_at_site).order_by(screens.c.id.desc()).limit(bindparam("page_size")).offset(bindparam("skipped"))
_count = select(func.count()).select_from(screens).where(*_at_site)
_courier = select(
    courier_codes.c.id, courier_codes.c.site_id, courier_codes.c.made_by, courier_codes.c.expires_at
).where(courier_codes.c.code_sha256 == bindparam("digest"))


async def insert_screen(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Write a screen. Returns the id."""
    return await work.insert(screens, **values)


async def update_screen(work: UnitOfWork, screen_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a screen."""
    await work.run(update(screens).where(screens.c.id == bindparam("screen")).values(**values), screen=screen_id)


async def get_screen_row(work: UnitOfWork, screen_id: int, *, lock: bool = False) -> LockerScreenRow | None:
    """A screen of this client, or None."""
    return await work.first(_screen_locked if lock else _screen, LockerScreenRow, screen=screen_id)


async def find_screen_by_key(work: UnitOfWork, digest: bytes) -> LockerScreenRow | None:
    """Return the screen of a key, of any client, or None."""
    return await work.without_tenant_filter(_NO_CLIENT_YET).first(_by_key, LockerScreenRow, digest=digest)


async def list_screen_rows(
    work: UnitOfWork, site_id: int, *, ended: bool, limit: int, offset: int
) -> tuple[Sequence[LockerScreenRow], int]:
    """A page of the screens of a site, newest first, and how many there are."""
    wanted = {"site": site_id, "all": ended}
    rows = await work.all(_list, LockerScreenRow, **wanted, page_size=limit, skipped=offset)
    return rows, await work.value(_count, **wanted)


async def insert_courier_code(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Insert a courier code. Raises `UniqueConflict` for a code that was used before."""
    await work.insert(courier_codes, **values)


async def find_courier_code(work: UnitOfWork, digest: bytes) -> CourierCodeRow | None:
    """The courier's code of a digest, or None."""
    return await work.first(_courier, CourierCodeRow, digest=digest)
