"""Challenges that prove a phone, and registrations that follow."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, Integer, LargeBinary, String, bindparam, delete, func, or_, select, update

from haulier.contexts.customer_apps.apps.store import apps
from haulier.contexts.customer_apps.identities.rules import ISSUER_MAX, PHONE_MAX, SUBJECT_MAX
from haulier.contexts.identity.fields import EMAIL_MAX, NAME_MAX
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, directory_table
from haulier.kernel.data.unit_of_work import UnitOfWork

challenges = directory_table(
    "phone_challenge",
    Column("handle", String(60), nullable=False, unique=True),
    Column("app_id", Id, nullable=False),
    Column("phone", String(PHONE_MAX), nullable=False),
    Column("device_id", String(191)),
    Column("address_sha256", LargeBinary(32)),
    Column("code_hash", String(255)),
    Column("attempts", Integer, nullable=False),
    Column("created_at", UTCDateTime, nullable=False, index=True),
    Column("expires_at", UTCDateTime, nullable=False),
    Column("closed_at", UTCDateTime),
    Index("ix_phone_challenge_phone", "phone", "created_at"),
    why="the handle says which challenge is answered; limits count the messages of all clients",
)
"""Of a code only a slow hash is kept, and that only once it was sent."""
personal_data(challenges, RecordKind.SIGN_INS, by={"phone": PersonKey.PHONE}, secret=frozenset({"code_hash"}))
retained(RecordKind.SIGN_INS, challenges.c.expires_at, default_days=90)

registrations = directory_table(
    "app_registration",
    Column("app_id", Id, nullable=False),
    Column("phone", String(PHONE_MAX), nullable=False),
    Column("token_sha256", LargeBinary(32), nullable=False, unique=True),
    Column("step", String(20), nullable=False),
    Column("language", String(10), nullable=False),
    Column("name", String(NAME_MAX)),
    Column("email", String(EMAIL_MAX)),
    Column("password_hash", String(255)),
    Column("issuer", String(ISSUER_MAX)),
    Column("subject", String(SUBJECT_MAX)),
    Column("user_id", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("expires_at", UTCDateTime, nullable=False),
    Column("completed_at", UTCDateTime),
    Column("decided_at", UTCDateTime),
    Column("decided_by", Id),
    Column("reason", String(255)),
    Index("ix_app_registration_step", "client_id", "step"),
    why="the token says who registers",
)
personal_data(
    registrations,
    RecordKind.USERS,
    by={"user_id": PersonKey.USER, "phone": PersonKey.PHONE, "email": PersonKey.EMAIL},
    secret=frozenset({"password_hash"}),
)


class RecentChallengeRow(Row):
    """When a code was asked for, and by whom."""

    created_at: datetime
    phone: str
    device_id: str | None
    address_sha256: bytes | None


class ChallengeToSendRow(Row):
    """A challenge whose code can still be sent."""

    phone: str
    handle: str


class OpenChallengeRow(Row):
    """A challenge that waits for its code."""

    id: int
    code_hash: str | None
    phone: str
    attempts: int


class StartedRegistrationRow(Row):
    """A registration as its token finds it."""

    id: int
    phone: str
    step: str
    expires_at: datetime


class RegistrationRow(StartedRegistrationRow):
    """A registration with its app."""

    client_id: int
    language: str
    name: str | None
    email: str | None
    password_hash: str | None
    issuer: str | None
    subject: str | None
    app_code: str
    app_name: str


_recent = select(
    challenges.c.created_at, challenges.c.phone, challenges.c.device_id, challenges.c.address_sha256
).where(
    challenges.c.created_at > bindparam("since"),
    or_(
        challenges.c.phone == bindparam("number"),
        challenges.c.device_id == bindparam("device"),
        challenges.c.address_sha256 == bindparam("place"),
    ),
)
_delete_old = delete(challenges).where(challenges.c.created_at < bindparam("before"))
_close_earlier = (
    update(challenges)
    .where(
        challenges.c.client_id == bindparam("client"),
        challenges.c.app_id == bindparam("app"),
        challenges.c.phone == bindparam("number"),
        challenges.c.closed_at.is_(None),
    )
    .values(closed_at=bindparam("at"))
)
_open = (challenges.c.closed_at.is_(None), challenges.c.expires_at > bindparam("now"))
_to_send = select(challenges.c.phone, challenges.c.handle).where(challenges.c.id == bindparam("challenge"), *_open)
_keep_code = (
    update(challenges).where(challenges.c.id == bindparam("challenge"), *_open).values(code_hash=bindparam("hash"))
)
_challenge = (
    select(challenges.c.id, challenges.c.code_hash, challenges.c.phone, challenges.c.attempts)
    .where(
        challenges.c.handle == bindparam("named"),
        challenges.c.client_id == bindparam("client"),
        challenges.c.app_id == bindparam("app"),
        *_open,
    )
    .with_for_update()
)
_count_guess = (
    update(challenges).where(challenges.c.id == bindparam("challenge")).values(attempts=challenges.c.attempts + 1)
)
_close = (
    update(challenges)
    .where(challenges.c.id == bindparam("challenge"), challenges.c.closed_at.is_(None))
    .values(closed_at=bindparam("at"))
)
_started = select(registrations).where(
    registrations.c.token_sha256 == bindparam("digest"),
    registrations.c.client_id == bindparam("client"),
    registrations.c.app_id == bindparam("app"),
)
_started_locked = _started.with_for_update()
_shown = select(registrations, apps.c.code.label("app_code"), apps.c.name.label("app_name")).join_from(
    registrations, apps, apps.c.id == registrations.c.app_id
)
_one = _shown.where(registrations.c.id == bindparam("registration"))
_locked = _one.with_for_update(of=registrations)
_page = (
    _shown.where(registrations.c.step == bindparam("at_step"))
    .order_by(registrations.c.id.desc())
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(registrations).where(registrations.c.step == bindparam("at_step"))
_TENANCY_REASON = "used before sign-in"


async def list_recent_challenges(
    work: UnitOfWork, *, since: datetime, phone: str, device: str | None, address: bytes | None
) -> Sequence[RecentChallengeRow]:
    """Return recent code requests with the same phone, device or address.

    At any client.
    """
    wide = work.without_tenant_filter("the limits of text messages count the messages of all clients")
    return await wide.all(_recent, RecentChallengeRow, since=since, number=phone, device=device, place=address)


async def insert_challenge(work: UnitOfWork, **values: Any) -> int:
    """Insert a challenge, close the phone's earlier ones, and return its id."""
    wide = work.without_tenant_filter(_TENANCY_REASON)
    where = {"client": values["client_id"], "app": values["app_id"], "number": values["phone"]}
    await wide.run(_close_earlier, **where, at=values["created_at"])
    return await wide.insert(challenges, **values, attempts=0)


async def delete_old_challenges(work: UnitOfWork, before: datetime) -> None:
    """Delete the challenges of all clients from before a time."""
    await work.without_tenant_filter("old challenges of every client are deleted").run(_delete_old, before=before)


async def find_challenge_to_send(work: UnitOfWork, challenge_id: int, now: datetime) -> ChallengeToSendRow | None:
    """Return the phone and handle of a challenge of this client.

    None if it is closed or too late.
    """
    return await work.first(_to_send, ChallengeToSendRow, challenge=challenge_id, now=now)


async def set_challenge_code(work: UnitOfWork, challenge_id: int, code_hash: str, now: datetime) -> None:
    """Keep the hash of the code that is about to be sent, instead of the one before."""
    await work.run(_keep_code, challenge=challenge_id, hash=code_hash, now=now)


async def get_open_challenge(
    work: UnitOfWork, handle: str, client_id: int, app_id: int, now: datetime
) -> OpenChallengeRow | None:
    """A challenge that may still be answered, locked, or None."""
    return await work.without_tenant_filter(_TENANCY_REASON).first(
        _challenge, OpenChallengeRow, named=handle, client=client_id, app=app_id, now=now
    )


async def count_code_guess(work: UnitOfWork, challenge_id: int) -> None:
    """Count a guess at a code."""
    await work.without_tenant_filter(_TENANCY_REASON).run(_count_guess, challenge=challenge_id)


async def close_challenge(work: UnitOfWork, challenge_id: int, at: datetime) -> bool:
    """Close a challenge. False when it was closed before."""
    return bool(await work.without_tenant_filter(_TENANCY_REASON).run(_close, challenge=challenge_id, at=at))


async def insert_app_registration(work: UnitOfWork, **values: Any) -> int:
    """Write a registration. Returns its id."""
    return await work.without_tenant_filter(_TENANCY_REASON).insert(registrations, **values)


async def get_app_registration_by_token(
    work: UnitOfWork, digest: bytes, client_id: int, app_id: int, *, lock: bool = False
) -> StartedRegistrationRow | None:
    """The registration that a token continues, or None."""
    statement = _started_locked if lock else _started
    return await work.without_tenant_filter(_TENANCY_REASON).first(
        statement, StartedRegistrationRow, digest=digest, client=client_id, app=app_id
    )


async def update_app_registration(work: UnitOfWork, registration_id: int, **values: Any) -> None:
    """Change columns of a registration."""
    this = update(registrations).where(registrations.c.id == bindparam("registration")).values(**values)
    await work.without_tenant_filter(_TENANCY_REASON).run(this, registration=registration_id)


async def get_app_registration(work: UnitOfWork, registration_id: int, *, lock: bool = False) -> RegistrationRow | None:
    """A registration at this client, or None."""
    return await work.first(_locked if lock else _one, RegistrationRow, registration=registration_id)


async def list_app_registration_rows(
    work: UnitOfWork, step: str, *, limit: int, offset: int
) -> tuple[Sequence[RegistrationRow], int]:
    """Return a page of this client's registrations at a step, newest first.

    And their number.
    """
    rows = await work.all(_page, RegistrationRow, at_step=step, page_size=limit, skipped=offset)
    return rows, await work.value(_count, at_step=step)
