"""The rights of a user without a call of theirs: for work that runs on their behalf later."""

from collections.abc import Collection
from datetime import datetime

from haulier.contexts.identity.accounts.rules.prices import hidden_price_families
from haulier.contexts.identity.accounts.rules.scopes import effective_scopes
from haulier.contexts.identity.accounts.rules.tokens import TokenKind
from haulier.contexts.identity.accounts.store.principals import (
    StandingTokenRow,
    StandingUserRow,
    get_absent_user,
    list_standing_tokens,
    list_standing_users,
)
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account, Scope
from haulier.kernel.principal import Business, Principal

SetUpBy = tuple[int, int | None]
"""A user, and the API token of theirs that was used; no token for a person who signed in."""


async def list_standing_principals(
    work: UnitOfWork, business: Business, who: Collection[SetUpBy], now: datetime
) -> dict[SetUpBy, Principal]:
    """Return the principals among users and tokens that still exist and work, as they would call now.

    Left out are disabled users, and tokens that were revoked or have expired. Two statements, however many are asked for.
    """
    if not who:
        return {}
    users = {row.id: row for row in await list_standing_users(work, {user_id for user_id, _ in who})}
    token_ids = {token_id for _, token_id in who if token_id is not None}
    tokens = {row.id: row for row in await list_standing_tokens(work, token_ids, now)} if token_ids else {}
    standing: dict[SetUpBy, Principal] = {}
    for user_id, token_id in who:
        user, token = users.get(user_id), tokens.get(token_id or 0)
        if user and (token_id is None or (token and token.user_id == user_id)):
            standing[user_id, token_id] = _standing_principal(business, user, token)
    return standing


def _standing_principal(business: Business, user: StandingUserRow, token: StandingTokenRow | None) -> Principal:
    account = Account(user.account)
    return Principal(
        account,
        user_id=user.id,
        name=user.name,
        business=business,
        scopes=effective_scopes(account, token and token.scopes, user.granted),
        token_id=token and token.id,
        token_expires_at=token and token.expires_at,
        hidden_prices=hidden_price_families(account, user.hidden_prices),
    )


async def get_absent_principal(
    work: UnitOfWork, business: Business, user_id: int, token_id: int | None, scopes: Collection[Scope]
) -> Principal | None:
    """A user of this client as they would call now, with no more than some scopes.

    None for a disabled user, and when the API token they once used was revoked. A session may have ended.
    """
    user = await get_absent_user(work, user_id, token_id)
    if user is None or not user.active or (user.kind == TokenKind.API and user.revoked_at is not None):
        return None
    account = Account(user.account)
    return Principal(
        account,
        user_id=user.id,
        name=user.name,
        business=business,
        scopes=effective_scopes(account, scopes, user.granted),
        token_id=token_id,
        hidden_prices=hidden_price_families(account, user.hidden_prices),
    )
