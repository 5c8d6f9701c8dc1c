"""Tables and statements of accounts: tokens."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Text, and_, bindparam, cast, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from haulier.contexts.identity.accounts.rules import TokenFilter, TokenKind, TokenStateFilter
from haulier.contexts.identity.accounts.store.tables import clients, failures, members, tokens, users
from haulier.kernel.data.statements import Row, contains, contains_pattern, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.folded_text import has_words

_of = select(failures.c.what_sha256, failures.c.times, failures.c.last_at).where(
    in_param(failures.c.what_sha256, "digests")
)
_first = insert(failures).values(
    what_sha256=bindparam("digest", type_=failures.c.what_sha256.type),
    times=1,
    last_at=bindparam("at", type_=failures.c.last_at.type),
)
_more = _first.on_conflict_do_update(
    index_elements=["what_sha256"], set_={"times": failures.c.times + 1, "last_at": _first.excluded.last_at}
)
_old = delete(failures).where(failures.c.last_at < bindparam("before"))
_none = delete(failures).where(in_param(failures.c.what_sha256, "digests"))


async def get_failed_sign_ins(work: UnitOfWork, digests: Collection[str]) -> dict[str, tuple[int, datetime]]:
    """Return sign-in failures in a row and the last time, by digest."""
    return {row.what_sha256: (row.times, row.last_at) for row in await work.all(_of, digests=digests)}


async def count_failed_sign_ins(work: UnitOfWork, digests: Collection[str], at: datetime) -> None:
    """Count one more failure of each."""
    await work.run_many(_more, [{"digest": digest, "at": at} for digest in sorted(digests)])


async def reset_failed_sign_ins(work: UnitOfWork, digests: Collection[str]) -> None:
    """Delete the counts of digests."""
    await work.run(_none, digests=digests)


async def delete_failed_sign_ins_before(work: UnitOfWork, before: datetime) -> int:
    """Delete the counts whose last failure was before a time. Returns how many."""
    return await work.run(_old, before=before)


class AbsentUserRow(Row):
    """A user with the kind and end of a token, which are None without it."""

    id: int
    name: str
    account: str
    active: bool
    hidden_prices: list[str]
    granted: list[str] | None
    kind: str | None
    revoked_at: object


_absent_user = (
    select(
        users.c.id,
        users.c.name,
        users.c.account,
        users.c.active,
        users.c.hidden_prices,
        members.c.scopes.label("granted"),
        tokens.c.kind,
        tokens.c.revoked_at,
    )
    .outerjoin(members, members.c.user_id == users.c.id)
    .outerjoin(tokens, (tokens.c.id == bindparam("token")) & (tokens.c.user_id == users.c.id))
    .where(users.c.id == bindparam("user"))
)


async def get_absent_user(work: UnitOfWork, user_id: int, token_id: int | None) -> AbsentUserRow | None:
    """Return a user of this client, or None."""
    return await work.first(_absent_user, AbsentUserRow, user=user_id, token=token_id or 0)


class StandingUserRow(Row):
    """An active user. `granted` holds the scopes that an admin left to them."""

    id: int
    name: str
    account: str
    hidden_prices: list[str]
    granted: list[str] | None


class StandingTokenRow(Row):
    """A token that works."""

    id: int
    user_id: int
    scopes: list[str] | None
    expires_at: datetime


_standing_users = (
    select(users.c.id, users.c.name, users.c.account, users.c.hidden_prices, members.c.scopes.label("granted"))
    .outerjoin(members, members.c.user_id == users.c.id)
    .where(in_param(users.c.id, "ids"), users.c.active.is_(True))
)
_standing_tokens = select(tokens.c.id, tokens.c.user_id, tokens.c.scopes, tokens.c.expires_at).where(
    in_param(tokens.c.id, "ids"), tokens.c.revoked_at.is_(None), tokens.c.expires_at > bindparam("at")
)


async def list_standing_users(work: UnitOfWork, ids: Collection[int]) -> list[StandingUserRow]:
    """Return the active users of this client among some ids."""
    return await work.all(_standing_users, StandingUserRow, ids=list(ids))


async def list_standing_tokens(work: UnitOfWork, ids: Collection[int], at: datetime) -> list[StandingTokenRow]:
    """Return the working tokens of this client among some ids."""
    return await work.all(_standing_tokens, StandingTokenRow, ids=list(ids), at=at)


_now = bindparam("now", type_=tokens.c.expires_at.type)
_IN_STATE: dict[TokenStateFilter, ColumnElement[bool]] = {
    TokenStateFilter.ACTIVE: and_(tokens.c.revoked_at.is_(None), tokens.c.expires_at > _now),
    TokenStateFilter.EXPIRED: and_(tokens.c.revoked_at.is_(None), tokens.c.expires_at <= _now),
    TokenStateFilter.REVOKED: tokens.c.revoked_at.is_not(None),
}


class TokenListRow(Row):
    """A token in a list, with the name of its user."""

    id: int
    user_id: int
    user_name: str
    name: str | None
    scopes: list[str] | None
    parent_id: int | None
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    last_used_at: datetime | None


async def list_token_rows(
    work: UnitOfWork, token_filter: TokenFilter, now: datetime, *, limit: int, offset: int
) -> tuple[Sequence[TokenListRow], int]:
    """Return a page of tokens with user names, newest first, and the total."""
    conditions, params = _token_conditions(token_filter, now)
    listed = select(tokens, users.c.name.label("user_name")).join(users, users.c.id == tokens.c.user_id)
    listed = listed.where(*conditions).order_by(tokens.c.id.desc())
    rows = await work.all(
        listed.limit(bindparam("page_size")).offset(bindparam("skipped")),
        TokenListRow,
        **params,
        page_size=limit,
        skipped=offset,
    )
    return rows, await work.value(select(func.count()).select_from(tokens).where(*conditions), **params)


def _token_conditions(token_filter: TokenFilter, now: datetime) -> tuple[list[ColumnElement[bool]], dict[str, Any]]:
    conditions: list[ColumnElement[bool]] = [tokens.c.kind == bindparam("of_kind")]
    params: dict[str, Any] = {"of_kind": token_filter.kind.value}
    if token_filter.state in _IN_STATE:
        conditions.append(_IN_STATE[token_filter.state])
    if token_filter.state in {TokenStateFilter.ACTIVE, TokenStateFilter.EXPIRED}:
        params["now"] = now
    if token_filter.owner is not None:
        conditions.append(tokens.c.user_id == bindparam("owner"))
        params["owner"] = token_filter.owner
    if token_filter.text:
        conditions.append(has_words(token_filter.text, tokens.c.name))
    for index, scope in enumerate(sorted(token_filter.scopes)):
        conditions.append(contains(cast(tokens.c.scopes, Text), f"scope_{index}"))
        params[f"scope_{index}"] = contains_pattern(f'"{scope}"')
    return conditions, params


class TokenRow(Row):
    """A token and the account of its bearer."""

    id: int
    user_id: int
    kind: str
    name: str | None
    scopes: list[str] | None
    parent_id: int | None
    expires_at: datetime
    revoked_at: datetime | None
    account: str


class TokenBearerRow(Row):
    """A token, its bearer and their client. `granted` are the bearer's limited scopes."""

    token_id: int
    scopes: list[str] | None
    expires_at: datetime
    revoked_at: datetime | None
    last_used_at: datetime | None
    user_id: int
    user_name: str
    account: str
    active: bool
    hidden_prices: list[str]
    granted: list[str] | None
    business_id: int
    code: str
    time_zone: str
    currency: str
    country: str | None
    modules: list[str]
    features: list[str]
    settings: dict[str, Any]


_bearer = (
    select(
        tokens.c.id.label("token_id"),
        tokens.c.scopes,
        tokens.c.expires_at,
        tokens.c.revoked_at,
        tokens.c.last_used_at,
        users.c.id.label("user_id"),
        users.c.name.label("user_name"),
        users.c.account,
        users.c.active,
        users.c.hidden_prices,
        members.c.scopes.label("granted"),
        clients.c.id.label("business_id"),
        clients.c.code,
        clients.c.time_zone,
        clients.c.currency,
        clients.c.country,
        clients.c.modules,
        clients.c.features,
        clients.c.settings,
    )
    .join(users, users.c.id == tokens.c.user_id)
    .join(clients, clients.c.id == users.c.client_id)
    .outerjoin(members, members.c.user_id == users.c.id)
    .where(tokens.c.token_sha256 == bindparam("digest"))
)
_one = (
    select(tokens, users.c.account).join(users, users.c.id == tokens.c.user_id).where(tokens.c.id == bindparam("token"))
)
_one_locked = _one.with_for_update(of=tokens)
_revoke = update(tokens).where(tokens.c.revoked_at.is_(None)).values(revoked_at=bindparam("at"))
_revoke_many = _revoke.where(in_param(tokens.c.id, "ids"))
_revoke_sessions = _revoke.where(
    tokens.c.user_id == bindparam("owner"), tokens.c.kind == TokenKind.SESSION.value, tokens.c.id != bindparam("kept")
)
_shorten_many = (
    update(tokens)
    .where(in_param(tokens.c.id, "ids"), tokens.c.expires_at > bindparam("until"))
    .values(expires_at=bindparam("until"))
)
_unrevoked_of_user = select(tokens.c.id).where(tokens.c.user_id == bindparam("owner"), tokens.c.revoked_at.is_(None))
_unrevoked_children = select(tokens.c.id).where(in_param(tokens.c.parent_id, "ids"), tokens.c.revoked_at.is_(None))
_longer_children = _unrevoked_children.where(tokens.c.expires_at > bindparam("until"))
_ISSUED_FOR_TESTS = "a live token can issue tokens of the test business"
_touch = update(tokens).where(in_param(tokens.c.id, "ids")).values(last_used_at=bindparam("at"))


async def get_token_bearer(work: UnitOfWork, digest: bytes) -> TokenBearerRow | None:
    """Return a token with its bearer and their client, or None. One statement."""
    return await work.without_tenant_filter("the token says who calls").first(_bearer, TokenBearerRow, digest=digest)


async def insert_token(work: UnitOfWork, **values: Any) -> int:
    """Write a token. Returns its id."""
    return await work.insert(tokens, **values)


async def get_token(work: UnitOfWork, token_id: int, *, lock: bool = False) -> TokenRow | None:
    """Return a token of this client and the account of its bearer, or None."""
    return await work.first(_one_locked if lock else _one, TokenRow, token=token_id)


async def revoke_tokens(work: UnitOfWork, token_ids: Collection[int], at: datetime) -> int:
    """Revoke tokens and all that they issued. Return the number of newly revoked ones."""
    revoked = await work.run(_revoke_many, ids=token_ids, at=at)
    everywhere = work.without_tenant_filter(_ISSUED_FOR_TESTS)
    while children := [row.id for row in await everywhere.all(_unrevoked_children, ids=token_ids)]:
        await everywhere.run(_revoke_many, ids=children, at=at)
        token_ids = children
    return revoked


async def shorten_tokens(work: UnitOfWork, token_ids: Collection[int], until: datetime) -> None:
    """End tokens, and all that they issued, no later than at a time."""
    await work.run(_shorten_many, ids=token_ids, until=until)
    everywhere = work.without_tenant_filter(_ISSUED_FOR_TESTS)
    while token_ids := [row.id for row in await everywhere.all(_longer_children, ids=token_ids, until=until)]:
        await everywhere.run(_shorten_many, ids=token_ids, until=until)


async def revoke_user_sessions(work: UnitOfWork, user_id: int, at: datetime, *, keep: int | None = None) -> int:
    """Revoke every session of a user, except one. Returns how many."""
    return await work.run(_revoke_sessions, owner=user_id, kept=keep or 0, at=at)


async def revoke_user_tokens(work: UnitOfWork, user_id: int, at: datetime) -> int:
    """Revoke all sessions and tokens of a user. Return their number.

    All that they issued is revoked as well.
    """
    return await revoke_tokens(work, [row.id for row in await work.all(_unrevoked_of_user, owner=user_id)], at)


async def set_tokens_last_used(work: UnitOfWork, token_ids: Sequence[int], at: datetime) -> None:
    """Set when tokens of any client were last used."""
    await work.without_tenant_filter("tokens of every client are written at once").run(_touch, ids=token_ids, at=at)
