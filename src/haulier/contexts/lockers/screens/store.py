"""Tables of screens and courier codes, and their statements."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from sqlalchemy import Boolean, Column, Index, LargeBinary, String, bindparam, func, select

from haulier.kernel.data.personal_data import RecordKind, plain_columns, retained
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.tables import VOLATILE, directory_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX

_NO_CLIENT_YET = "a screen shows who it is before its client is known"


class LockerScreenRow(
    Record,
    table="locker_screen",
    items=[Index("ix_locker_screen_site", "client_id", "site_id")],
    kind=directory_table,
    why="a screen sends its key before its business is known",
):
    """A screen."""

    client_id: int
    site_id: Reference
    name: Annotated[str, String(NAME_MAX)]
    key_sha256: Annotated[bytes, Column("key_sha256", LargeBinary(32), nullable=False, unique=True, info=VOLATILE)]
    wrong_codes: int
    rests_until: datetime | None
    last_seen_at: datetime | None
    created_at: datetime
    ended_at: datetime | None


screens = LockerScreenRow.table
plain_columns(screens, "name", "key_sha256")


class CourierCodeRow(
    Record,
    table="locker_courier_code",
    items=[Index("uq_locker_courier_code", "client_id", "code_sha256", unique=True)],
):
    """A courier's code."""

    site_id: Reference
    code_sha256: Annotated[bytes, Column("code_sha256", LargeBinary(32), nullable=False, info=VOLATILE)]
    made_by: Reference | None
    created_at: datetime
    expires_at: datetime


courier_codes = CourierCodeRow.table
plain_columns(courier_codes, "code_sha256")
retained(RecordKind.LOCKER_PARCELS, courier_codes.c.expires_at, default_days=365, minimum_days=30)


_at_site = (screens.c.site_id == bindparam("site"), screens.c.ended_at.is_(None) | bindparam("all", type_=Boolean))
_list = (
    select(screens)
    .where(*_at_site)
    .order_by(screens.c.id.desc())
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(screens).where(*_at_site)


async def find_screen_by_key(work: UnitOfWork, digest: bytes) -> LockerScreenRow | None:
    """Return the screen of a key, of any client, or None."""
    return await LockerScreenRow.find_by(work.without_tenant_filter(_NO_CLIENT_YET), key_sha256=digest)


async def list_screen_rows(
    work: UnitOfWork, site_id: int, *, ended: bool, limit: int, offset: int
) -> tuple[Sequence[LockerScreenRow], int]:
    """A page of the screens of a site, newest first, and how many there are."""
    wanted = {"site": site_id, "all": ended}
    rows = await work.all(_list, LockerScreenRow, **wanted, page_size=limit, skipped=offset)
    return rows, await work.value(_count, **wanted)
