"""The SQL of provider keys."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Integer, LargeBinary, String, bindparam, func, select, update

from haulier.contexts.tracking.providers.contract import NAME_MAX
from haulier.kernel.data.statement import among
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.work import Work

keys = tenant_table(
    "provider_key",
    Column("name", String(NAME_MAX), nullable=False),
    Column("token_sha256", LargeBinary(32), nullable=False, unique=True),
    Column("source_type", String(20), nullable=False),
    Column("carriers", Json, nullable=False),
    Column("per_minute", Integer, nullable=False),
    Column("issued_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("last_used_at", UTCDateTime),
    Column("revoked_at", UTCDateTime),
)
"""Only the digest of a key is kept. `carriers` are the names in which its bearer may speak; none means any."""

_behind = select(keys).where(keys.c.token_sha256 == bindparam("digest"), keys.c.revoked_at.is_(None))
_list = select(keys).order_by(keys.c.id.desc()).limit(bindparam("page_size")).offset(bindparam("skipped"))
_count = select(func.count()).select_from(keys)
_one = select(keys.c.id, keys.c.revoked_at).where(keys.c.id == bindparam("key"))
_revoke = (
    update(keys).where(keys.c.id == bindparam("key"), keys.c.revoked_at.is_(None)).values(revoked_at=bindparam("at"))
)
_touch = update(keys).where(among(keys.c.id, "ids")).values(last_used_at=bindparam("at"))


async def behind(work: Work, digest: bytes) -> Any:
    """The key with a digest, of whichever client; None for one that is unknown or revoked."""
    return await work.unwalled("the key says who calls").first(_behind, digest=digest)


async def add(work: Work, **values: Any) -> int:
    """Write a key. Returns its id."""
    return await work.insert(keys, **values)


async def page(work: Work, *, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """A page of this client's keys, newest first, revoked ones too, and how many there are in all."""
    return await work.all(_list, page_size=limit, skipped=offset), await work.value(_count)


async def one(work: Work, key_id: int) -> Any:
    """A key of this client, or None."""
    return await work.first(_one, key=key_id)


async def revoke(work: Work, key_id: int, at: datetime) -> int:
    """Revoke a key of this client. Returns 0 when it was revoked before, else 1."""
    return await work.run(_revoke, key=key_id, at=at)


async def touch(work: Work, key_ids: Sequence[int], at: datetime) -> None:
    """Note that keys of any client were in use."""
    await work.unwalled("keys of every client are noted at once").run(_touch, ids=list(key_ids), at=at)
