"""Statements of provider keys."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from sqlalchemy import Column, LargeBinary, String, Text, and_, bindparam, func, select, update

from haulier.contexts.tracking.providers.contract import PROVIDER_NAME_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import VOLATILE, Id, directory_table, notify_writes
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.principal import CALLERS_CHANNEL


class ProviderKeyRow(Record, table="provider_key", kind=directory_table, why="the key says who calls"):
    """A provider's key.

    Only the digest of a key is kept. `carriers` are the source names that the key may use; none means any.

    `set_up_by` and `set_up_with` name who answers for the key, a user and their API token; neither for a key of the
    business.
    """

    client_id: int
    name: Annotated[str, String(PROVIDER_NAME_MAX)]
    token_sha256: Annotated[bytes, Column("token_sha256", LargeBinary(32), nullable=False, unique=True)]
    source_type: Annotated[str, String(20)]
    carriers: list[str]
    per_minute: int
    issued_by: Reference | None
    set_up_by: Reference | None
    set_up_with: Reference | None
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None
    suspended_at: datetime | None
    suspended_reason: Annotated[str, String(20)] | None
    signature_scheme: Annotated[str, String(20)] | None
    sealed_signing_key: Annotated[str | None, Column("sealed_signing_key", Text, info=VOLATILE)]


provider_keys = ProviderKeyRow.table
notify_writes(provider_keys, CALLERS_CHANNEL, new_rows=False, silent_columns=("last_used_at",))
plain_columns(
    provider_keys,
    *("name", "token_sha256", "source_type", "carriers", "signature_scheme", "sealed_signing_key", "suspended_reason"),
)


_select_by_digest = select(provider_keys).where(
    provider_keys.c.token_sha256 == bindparam("digest"),
    provider_keys.c.revoked_at.is_(None),
    provider_keys.c.suspended_at.is_(None),
)
_select_page = (
    select(provider_keys).order_by(provider_keys.c.id.desc()).limit(bindparam("page_size")).offset(bindparam("skipped"))
)
_select_count = select(func.count()).select_from(provider_keys)
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
    """Return the working key with a digest, of any client, or None."""
    return await work.without_tenant_filter("the key says who calls").first(
        _select_by_digest, ProviderKeyRow, digest=digest
    )


async def page_provider_keys(work: UnitOfWork, *, limit: int, offset: int) -> tuple[list[ProviderKeyRow], int]:
    """Return a page of this client's keys, newest first, and the total."""
    rows = await work.all(_select_page, ProviderKeyRow, page_size=limit, skipped=offset)
    return rows, await work.value(_select_count)


async def mark_provider_key_revoked(work: UnitOfWork, key_id: int, at: datetime) -> int:
    """Revoke a key of this client. Returns 0 when it was revoked before, else 1."""
    return await work.run(_update_revoked, key=key_id, at=at)


async def list_clients_with_answered_keys(work: UnitOfWork) -> list[int]:
    """Return the ids of clients with a working key of a user or token."""
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
    """Assign a key to another user or token and reactivate it.

    Returns False for a revoked key.
    """
    return bool(await work.run(_update_confirmed, key=key_id, by=by, with_token=with_token))


async def touch_provider_keys(work: UnitOfWork, key_ids: Sequence[int], at: datetime) -> None:
    """Record the use of keys of any client."""
    await work.without_tenant_filter("keys of every client are noted at once").run(
        _update_last_used, ids=list(key_ids), at=at
    )


async def write_push_signature(work: UnitOfWork, key_id: int, scheme: str | None, sealed: str | None) -> None:
    """Store the signature scheme of a key and its sealed secret, or None for none."""
    await work.run(_update_signature, key=key_id, scheme=scheme, sealed=sealed)
