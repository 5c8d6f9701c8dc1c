"""Tokens as lists: by whose they are, how they stand, what they are called and what they may do."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Text, and_, bindparam, cast, func, select

from haulier.contexts.access.accounts.rules.tokens import TokensWanted
from haulier.contexts.access.accounts.store.tables import tokens, users
from haulier.kernel.data.statement import holds, pattern
from haulier.kernel.data.work import Work

_now = bindparam("now", type_=tokens.c.expires_at.type)
_STANDS: dict[TokensWanted, ColumnElement[bool]] = {
    TokensWanted.ACTIVE: and_(tokens.c.revoked_at.is_(None), tokens.c.expires_at > _now),
    TokensWanted.EXPIRED: and_(tokens.c.revoked_at.is_(None), tokens.c.expires_at <= _now),
    TokensWanted.REVOKED: tokens.c.revoked_at.is_not(None),
}


class Wanted(Struct, frozen=True, kw_only=True):
    """Which tokens of one kind: of one user or of all, standing how, with what in their names, holding which scopes."""

    kind: str
    owner: int | None
    state: TokensWanted
    text: str | None = None
    scopes: Collection[str] = ()


async def page(work: Work, wanted: Wanted, now: datetime, *, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """A page of this client's tokens with the names of their users, newest first, and how many match in all."""
    conditions, params = _conditions(wanted, now)
    listed = select(tokens, users.c.name.label("user_name")).join(users, users.c.id == tokens.c.user_id)
    listed = listed.where(*conditions).order_by(tokens.c.id.desc())
    rows = await work.all(
        listed.limit(bindparam("page_size")).offset(bindparam("skipped")), **params, page_size=limit, skipped=offset
    )
    return rows, await work.value(select(func.count()).select_from(tokens).where(*conditions), **params)


def _conditions(wanted: Wanted, now: datetime) -> tuple[list[ColumnElement[bool]], dict[str, Any]]:
    found: list[ColumnElement[bool]] = [tokens.c.kind == bindparam("of_kind")]
    params: dict[str, Any] = {"of_kind": wanted.kind}
    if wanted.state in _STANDS:
        found.append(_STANDS[wanted.state])
    if wanted.state in {TokensWanted.ACTIVE, TokensWanted.EXPIRED}:
        params["now"] = now
    if wanted.owner is not None:
        found.append(tokens.c.user_id == bindparam("owner"))
        params["owner"] = wanted.owner
    if wanted.text:
        found.append(holds(func.lower(tokens.c.name), "like"))
        params["like"] = pattern(wanted.text.lower())
    for at, scope in enumerate(sorted(wanted.scopes)):
        found.append(holds(cast(tokens.c.scopes, Text), f"scope_{at}"))
        params[f"scope_{at}"] = pattern(f'"{scope}"')
    return found, params
