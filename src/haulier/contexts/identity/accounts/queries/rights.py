"""What a user may do, and whether a caller may hand that out.

Whoever can sign in as a user has their rights. So a call that lets somebody sign in (a new user, a password, an address, an
invitation, an account that is enabled again) or that widens what a user may do hands out rights, and gives only such as its
caller holds: the scopes of their token, not of their account.
"""

from collections.abc import Iterable

from haulier.contexts.identity.accounts.rules.scopes import permitted_scopes, require_scopes_held
from haulier.contexts.identity.accounts.store import members as member_store
from haulier.contexts.identity.accounts.store.users import UserRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account, Scope


async def find_granted_scopes(work: UnitOfWork, user_id: int) -> list[str] | None:
    """What an admin left to a user of the client; None where nothing is withheld."""
    member = await member_store.get_member(work, user_id)
    return member and member.scopes


async def find_user_scopes(work: UnitOfWork, user: UserRow) -> frozenset[Scope]:
    """What a user of the client may do."""
    return permitted_scopes(Account(user.account), await find_granted_scopes(work, user.id))


def require_account_grantable(call: Call, account: Account, granted: Iterable[str] | None = None) -> None:
    """The caller may let somebody sign in with an account of a kind, to whom `granted` is left of it.

    Raises `SCOPES_EXCEEDED`.
    """
    require_scopes_held(permitted_scopes(account, granted), call.principal.scopes)


async def require_user_grantable(call: Call, user: UserRow) -> None:
    """The caller may let somebody sign in as a user of the client. Raises `SCOPES_EXCEEDED`."""
    require_scopes_held(await find_user_scopes(call.work, user), call.principal.scopes)
