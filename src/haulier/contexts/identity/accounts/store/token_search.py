"""Pages of tokens, filtered by owner, state, name and scopes."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Text, and_, bindparam, cast, func, select

from haulier.contexts.identity.accounts.rules.tokens import TokenFilter, TokenStateFilter
from haulier.contexts.identity.accounts.store.tables import tokens, users
from haulier.kernel.data.statements import Row, contains, contains_pattern
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.folded_text import has_words

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
    """A page of this client's tokens with the names of their users, newest first, and how many match in all."""
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
