"""The SQL of provider keys."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Integer, LargeBinary, String, Text, bindparam, func, select, update

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
    Column("created_at", UTCDateTime, nullable=False),
    Column("last_used_at", UTCDateTime),
    Column("revoked_at", UTCDateTime),
    Column("signature_scheme", String(20)),
    Column("sealed_signing_key", Text, info=VOLATILE),
    why="the key says who calls",
)
"""Only the digest of a key is kept. `carriers` are the source names that the key may use; none means any."""
announce_writes(provider_keys, CALLERS_CHANNEL, new_rows=False, silent_columns=("last_used_at",))
plain_columns(
    provider_keys, "name", "token_sha256", "source_type", "carriers", "signature_scheme", "sealed_signing_key"
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


_select_by_digest = select(provider_keys).where(
    provider_keys.c.token_sha256 == bindparam("digest"), provider_keys.c.revoked_at.is_(None)
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
_update_last_used = (
    update(provider_keys).where(in_param(provider_keys.c.id, "ids")).values(last_used_at=bindparam("at"))
)


async def find_provider_key_by_digest(work: UnitOfWork, digest: bytes) -> ProviderKeyRow | None:
    """The key with a digest, of any client; None for one that is unknown or revoked."""
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


async def touch_provider_keys(work: UnitOfWork, key_ids: Sequence[int], at: datetime) -> None:
    """Note that keys of any client were in use."""
    await work.without_tenant_filter("keys of every client are noted at once").run(
        _update_last_used, ids=list(key_ids), at=at
    )


async def write_push_signature(work: UnitOfWork, key_id: int, scheme: str | None, sealed: str | None) -> None:
    """Write how pushes with a key of this client are signed, and the sealed secret to check it by; None for not at all."""
    await work.run(_update_signature, key=key_id, scheme=scheme, sealed=sealed)
