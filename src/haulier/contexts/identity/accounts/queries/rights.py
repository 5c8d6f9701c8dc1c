"""What a user may do, and whether a caller may hand that out.

A call that lets a person sign in (a new user, a password, an e-mail address, an invitation, an enabled account) or that widens
what a user may do hands out rights. It gives only rights that are within the reach of its caller (decision 0165).
"""

from collections.abc import Iterable

from haulier.contexts.identity.accounts.rules.scopes import permitted_scopes
from haulier.contexts.identity.accounts.store import members as member_store
from haulier.contexts.identity.accounts.store.users import UserRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account
from haulier.kernel.pipeline.reach import NOTHING, CallerReach, reach_of, require_within_reach


async def find_granted_scopes(work: UnitOfWork, user_id: int) -> list[str] | None:
    """The scopes that an admin left to a user of the client; None where nothing is withheld."""
    member = await member_store.get_member(work, user_id)
    return member and member.scopes


def reach_of_account(call: Call, account: Account, granted: Iterable[str] | None = None) -> CallerReach:
    """Return the reach of a signed-in user with a kind of account, to whom `granted` is left of it."""
    return reach_of(call.app.registry, account, permitted_scopes(account, granted))


def require_account_grantable(
    call: Call, account: Account, granted: Iterable[str] | None = None, *, before: CallerReach = NOTHING
) -> None:
    """Check that the caller may give a user the rights of an account that they did not have `before`.

    Raises `SCOPES_EXCEEDED`, or `ACCOUNT_NOT_ALLOWED` for rights of another kind of account.
    """
    require_within_reach(call.app.registry, call.principal, reach_of_account(call, account, granted), before)


async def require_user_grantable(call: Call, user: UserRow) -> None:
    """Check that the caller may let a person sign in as a user of the client. Raises `SCOPES_EXCEEDED`."""
    require_account_grantable(call, Account(user.account), await find_granted_scopes(call.work, user.id))
