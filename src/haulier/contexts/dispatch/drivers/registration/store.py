"""The table of applications to drive."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, LargeBinary, String, bindparam, func, select, true, update

from haulier.contexts.dispatch.drivers.registration.contract import EMAIL_MAX
from haulier.contexts.dispatch.drivers.registration.rules import RegistrationStatus
from haulier.contexts.dispatch.fields import NAME_MAX, NOTE_MAX, REASON_MAX
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.work import Work

NOBODYS = "an applicant is nobody's yet; the code or the token says whose"

registrations = tenant_table(
    "driver_registration",
    Column("name", String(NAME_MAX), nullable=False),
    Column("email", String(EMAIL_MAX), nullable=False),
    Column("phone", String(50), nullable=False),
    Column("vehicle", String(120)),
    Column("note", String(NOTE_MAX)),
    Column("language", String(10)),
    Column("documents", Json, nullable=False),
    Column("token_sha256", LargeBinary(32), nullable=False, unique=True),
    Column("status", String(10), nullable=False),
    Column("reason", String(REASON_MAX)),
    Column("submitted_at", UTCDateTime, nullable=False),
    Column("decided_at", UTCDateTime),
    Column("decided_by", Id),
    Column("driver_id", Id),
    Column("user_id", Id),
    Index(None, "client_id", "status"),
)
"""Of the token that opens the status, only the digest is kept."""

_one = select(registrations).where(registrations.c.id == bindparam("registration"))
_behind = select(registrations).where(registrations.c.token_sha256 == bindparam("digest"))
_withdraw = (
    update(registrations)
    .where(
        registrations.c.token_sha256 == bindparam("digest"),
        registrations.c.status == RegistrationStatus.SUBMITTED.value,
    )
    .values(status=RegistrationStatus.WITHDRAWN.value, decided_at=bindparam("at"))
)
_lists = {
    status: (
        select(registrations)
        .where(where)
        .order_by(registrations.c.id.desc())
        .limit(bindparam("page_size"))
        .offset(bindparam("skipped")),
        select(func.count()).select_from(registrations).where(where),
    )
    for status, where in {
        None: true(),
        **{each: registrations.c.status == each.value for each in RegistrationStatus},
    }.items()
}


async def add(work: Work, client_id: int, **values: Any) -> int:
    """Write an application at a client. Returns its id."""
    return await work.unwalled(NOBODYS).insert(registrations, client_id=client_id, **values)


async def behind(work: Work, digest: bytes) -> Any:
    """The application at any client behind a token, or None."""
    return await work.unwalled(NOBODYS).first(_behind, digest=digest)


async def withdraw(work: Work, digest: bytes, at: datetime) -> bool:
    """End the application behind a token. Returns False when it had ended, or there is none."""
    return await work.unwalled(NOBODYS).run(_withdraw, digest=digest, at=at) == 1


async def one(work: Work, registration_id: int, *, lock: bool = False) -> Any:
    """An application at this client, or None."""
    return await work.first(_one.with_for_update() if lock else _one, registration=registration_id)


async def decide(work: Work, registration_id: int, **values: Any) -> None:
    """Write what was decided."""
    change = update(registrations).where(registrations.c.id == bindparam("registration")).values(**values)
    await work.run(change, registration=registration_id)


async def page(work: Work, status: RegistrationStatus | None, *, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """A page of this client's applications, newest first, and how many there are in all."""
    listed, counted = _lists[status]
    return await work.all(listed, page_size=limit, skipped=offset), await work.value(counted)
