"""Tokens as lists: by whose they are, how they stand, what they are called and what they may do."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Text, and_, bindparam, cast, func, select

from haulier.contexts.identity.accounts.rules.tokens import TokenStateFilter
from haulier.contexts.identity.accounts.store.tables import tokens, users
from haulier.kernel.data.statements import contains, contains_pattern
from haulier.kernel.data.unit_of_work import UnitOfWork

_now = bindparam("now", type_=tokens.c.expires_at.type)
_STANDS: dict[TokenStateFilter, ColumnElement[bool]] = {
    TokenStateFilter.ACTIVE: and_(tokens.c.revoked_at.is_(None), tokens.c.expires_at > _now),
    TokenStateFilter.EXPIRED: and_(tokens.c.revoked_at.is_(None), tokens.c.expires_at <= _now),
    TokenStateFilter.REVOKED: tokens.c.revoked_at.is_not(None),
}


class TokenFilter(Struct, frozen=True, kw_only=True):
    """Which tokens of one kind: of one user or of all, standing how, with what in their names, holding which scopes."""

    kind: str
    owner: int | None
    state: TokenStateFilter
    text: str | None = None
    scopes: Collection[str] = ()


async def list_token_rows(
    work: UnitOfWork, wanted: TokenFilter, now: datetime, *, limit: int, offset: int
) -> tuple[Sequence[Any], int]:
    """A page of this client's tokens with the names of their users, newest first, and how many match in all."""
    conditions, params = _token_conditions(wanted, now)
    listed = select(tokens, users.c.name.label("user_name")).join(users, users.c.id == tokens.c.user_id)
    listed = listed.where(*conditions).order_by(tokens.c.id.desc())
    rows = await work.all(
        listed.limit(bindparam("page_size")).offset(bindparam("skipped")), **params, page_size=limit, skipped=offset
    )
    return rows, await work.value(select(func.count()).select_from(tokens).where(*conditions), **params)


def _token_conditions(wanted: TokenFilter, now: datetime) -> tuple[list[ColumnElement[bool]], dict[str, Any]]:
    found: list[ColumnElement[bool]] = [tokens.c.kind == bindparam("of_kind")]
    params: dict[str, Any] = {"of_kind": wanted.kind}
    if wanted.state in _STANDS:
        found.append(_STANDS[wanted.state])
    if wanted.state in {TokenStateFilter.ACTIVE, TokenStateFilter.EXPIRED}:
        params["now"] = now
    if wanted.owner is not None:
        found.append(tokens.c.user_id == bindparam("owner"))
        params["owner"] = wanted.owner
    if wanted.text:
        found.append(contains(func.lower(tokens.c.name), "like"))
        params["like"] = contains_pattern(wanted.text.lower())
    for at, scope in enumerate(sorted(wanted.scopes)):
        found.append(contains(cast(tokens.c.scopes, Text), f"scope_{at}"))
        params[f"scope_{at}"] = contains_pattern(f'"{scope}"')
    return found, params
