"""The SQL of provider keys."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Integer, LargeBinary, String, Text, and_, bindparam, func, select, update

from haulier.contexts.tracking.providers.contract import PROVIDER_NAME_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import VOLATILE, Id, Json, UTCDateTime, announce_writes, directory_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.principal import CALLERS_CHANNEL

provider_keys = directory_table(
    "provider_key",
    Column("name", String(PROVIDER_NAME_MAX), nullable=False),
    Column("token_sha256", LargeBinary(32), nullable=False, unique=True),
    Column("source_type", String(20), nullable=False),
    Column("carriers", Json, nullable=False),
    Column("per_minute", Integer, nullable=False),
    Column("issued_by", Id),
    Column("set_up_by", Id),
    Column("set_up_with", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("last_used_at", UTCDateTime),
    Column("revoked_at", UTCDateTime),
    Column("suspended_at", UTCDateTime),
    Column("suspended_reason", String(20)),
    Column("signature_scheme", String(20)),
    Column("sealed_signing_key", Text, info=VOLATILE),
    why="the key says who calls",
)
"""Only the digest of a key is kept. `carriers` are the source names that the key may use; none means any.

`set_up_by` and `set_up_with` name who answers for the key, a user and their API token; neither for a key of the business."""
announce_writes(provider_keys, CALLERS_CHANNEL, new_rows=False, silent_columns=("last_used_at",))
plain_columns(
    provider_keys,
    *("name", "token_sha256", "source_type", "carriers", "signature_scheme", "sealed_signing_key", "suspended_reason"),
)


class ProviderKeyRow(Row):
    """A provider's key."""

    id: int
    client_id: int
    name: str
    source_type: str
    carriers: list[str]
    per_minute: int
    last_used_at: datetime | None
    signature_scheme: str | None
    sealed_signing_key: str | None
    set_up_by: int | None
    set_up_with: int | None
    suspended_at: datetime | None
    suspended_reason: str | None


_select_by_digest = select(provider_keys).where(
    provider_keys.c.token_sha256 == bindparam("digest"),
    provider_keys.c.revoked_at.is_(None),
    provider_keys.c.suspended_at.is_(None),
)
_select_page = (
    select(provider_keys).order_by(provider_keys.c.id.desc()).limit(bindparam("page_size")).offset(bindparam("skipped"))
)
_select_count = select(func.count()).select_from(provider_keys)
_select_by_id = select(provider_keys).where(provider_keys.c.id == bindparam("key"))
_update_revoked = (
    update(provider_keys)
    .where(provider_keys.c.id == bindparam("key"), provider_keys.c.revoked_at.is_(None))
    .values(revoked_at=bindparam("at"))
)
_update_signature = (
    update(provider_keys)
    .where(provider_keys.c.id == bindparam("key"))
    .values(signature_scheme=bindparam("scheme"), sealed_signing_key=bindparam("sealed"))
)
_is_live = and_(provider_keys.c.revoked_at.is_(None), provider_keys.c.suspended_at.is_(None))
_select_answered_for = (
    select(provider_keys).where(_is_live, provider_keys.c.set_up_by.is_not(None)).order_by(provider_keys.c.id)
)
_select_answering_clients = (
    select(provider_keys.c.client_id).where(_is_live, provider_keys.c.set_up_by.is_not(None)).distinct()
)
_update_suspended = (
    update(provider_keys)
    .where(
        provider_keys.c.id == bindparam("key"),
        _is_live,
        provider_keys.c.set_up_by == bindparam("by"),
        provider_keys.c.set_up_with.is_not_distinct_from(bindparam("with_token", type_=Id)),
    )
    .values(suspended_at=bindparam("at"), suspended_reason=bindparam("reason"))
)
_update_confirmed = (
    update(provider_keys)
    .where(provider_keys.c.id == bindparam("key"), provider_keys.c.revoked_at.is_(None))
    .values(set_up_by=bindparam("by"), set_up_with=bindparam("with_token"), suspended_at=None, suspended_reason=None)
)
_update_last_used = (
    update(provider_keys).where(in_param(provider_keys.c.id, "ids")).values(last_used_at=bindparam("at"))
)


async def find_provider_key_by_digest(work: UnitOfWork, digest: bytes) -> ProviderKeyRow | None:
    """The key with a digest, of any client; None for one that is unknown, revoked or suspended."""
    return await work.without_tenant_filter("the key says who calls").first(
        _select_by_digest, ProviderKeyRow, digest=digest
    )


async def insert_provider_key(work: UnitOfWork, **values: Any) -> int:
    """Write a key. Returns its id."""
    return await work.insert(provider_keys, **values)


async def page_provider_keys(work: UnitOfWork, *, limit: int, offset: int) -> tuple[list[ProviderKeyRow], int]:
    """A page of this client's keys, newest first, revoked ones too, and how many there are in all."""
    rows = await work.all(_select_page, ProviderKeyRow, page_size=limit, skipped=offset)
    return rows, await work.value(_select_count)


async def get_provider_key(work: UnitOfWork, key_id: int) -> ProviderKeyRow | None:
    """A key of this client."""
    return await work.first(_select_by_id, ProviderKeyRow, key=key_id)


async def mark_provider_key_revoked(work: UnitOfWork, key_id: int, at: datetime) -> int:
    """Revoke a key of this client. Returns 0 when it was revoked before, else 1."""
    return await work.run(_update_revoked, key=key_id, at=at)


async def list_clients_with_answered_keys(work: UnitOfWork) -> list[int]:
    """Return the ids of all clients with a working key that a user or token answers for."""
    wide = work.without_tenant_filter("keys of every client are checked in turn")
    return [row.client_id for row in await wide.all(_select_answering_clients)]


async def list_answered_keys(work: UnitOfWork) -> list[ProviderKeyRow]:
    """Return the working keys of this client that a user or token answers for."""
    return await work.all(_select_answered_for, ProviderKeyRow)


async def mark_provider_key_suspended(work: UnitOfWork, key: ProviderKeyRow, at: datetime, reason: str) -> bool:
    """Suspend a key. Return False if it was revoked, suspended or confirmed meanwhile."""
    return bool(
        await work.run(
            _update_suspended, key=key.id, by=key.set_up_by, with_token=key.set_up_with, at=at, reason=reason
        )
    )


async def mark_provider_key_confirmed(work: UnitOfWork, key_id: int, by: int | None, with_token: int | None) -> bool:
    """Name another user or token that answers for a key, and let it work. Return False for a revoked key."""
    return bool(await work.run(_update_confirmed, key=key_id, by=by, with_token=with_token))


async def touch_provider_keys(work: UnitOfWork, key_ids: Sequence[int], at: datetime) -> None:
    """Note that keys of any client were in use."""
    await work.without_tenant_filter("keys of every client are noted at once").run(
        _update_last_used, ids=list(key_ids), at=at
    )


async def write_push_signature(work: UnitOfWork, key_id: int, scheme: str | None, sealed: str | None) -> None:
    """Write how pushes with a key of this client are signed, and the sealed secret to check it by; None for not at all."""
    await work.run(_update_signature, key=key_id, scheme=scheme, sealed=sealed)
