"""The rights of a user without a call of theirs, and the state of the token they once used."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import bindparam, select

from haulier.contexts.identity.accounts.store.tables import members, tokens, users
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class AbsentUserRow(Row):
    """A user, with the kind and the end of a token of theirs; both are None without it."""

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
    """A user of this client, or None."""
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
    """The active users of this client among some ids."""
    return await work.all(_standing_users, StandingUserRow, ids=list(ids))


async def list_standing_tokens(work: UnitOfWork, ids: Collection[int], at: datetime) -> list[StandingTokenRow]:
    """The tokens of this client among some ids that are neither revoked nor expired."""
    return await work.all(_standing_tokens, StandingTokenRow, ids=list(ids), at=at)
