"""The rights of a user without a call of theirs: for work that runs on their behalf later."""

from collections.abc import Collection

from haulier.contexts.identity.accounts.rules.prices import hidden_price_families
from haulier.contexts.identity.accounts.rules.scopes import effective_scopes
from haulier.contexts.identity.accounts.rules.tokens import TokenKind
from haulier.contexts.identity.accounts.store.principals import get_absent_user
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account, Scope
from haulier.kernel.principal import Business, Principal


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
