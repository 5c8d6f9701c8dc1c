"""Users, for the families and contexts that must know one."""

from collections.abc import Collection, Sequence

from haulier.contexts.identity.accounts.rules.users import NOT_A_CUSTOMER
from haulier.contexts.identity.accounts.store import users as store
from haulier.contexts.identity.accounts.store.users import UserFactsRow as UserFactsRow
from haulier.contexts.identity.accounts.store.users import UserListRow as UserListRow
from haulier.contexts.identity.accounts.store.users import UserRow as UserRow
from haulier.contexts.identity.accounts.store.users import UserWithClientRow as UserWithClientRow
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import record_not_found


async def find_user(work: UnitOfWork, user_id: int) -> UserRow | None:
    """A user of the client of a unit of work, disabled or not; None when there is none."""
    return await store.get_user_row(work, user_id)


async def require_user(work: UnitOfWork, user_id: int, *, lock: bool = False) -> UserRow:
    """A user of the client of a unit of work. Raises `NOT_FOUND`."""
    user = await store.get_user_row(work, user_id, lock=lock)
    if user is None:
        raise record_not_found(user_id=user_id)
    return user


async def require_customer(work: UnitOfWork, user_id: int, *, lock: bool = False) -> UserRow:
    """A customer of the client. Raises `NOT_FOUND`, or `NOT_A_CUSTOMER` for a user of another kind."""
    user = await require_user(work, user_id, lock=lock)
    if user.account != Account.CUSTOMER:
        raise NOT_A_CUSTOMER(user_id=user.id)
    return user


async def find_user_by_email(work: UnitOfWork, email: str) -> UserWithClientRow | None:
    """The user of any client with an e-mail address in lower case, or None."""
    return await store.get_user_by_email(work, email)


async def find_users(work: UnitOfWork, ids: Collection[int]) -> Sequence[UserFactsRow]:
    """The users of the client among some ids, in one statement."""
    return await store.list_users_by_id(work, ids)


async def find_active_users(work: UnitOfWork, account: Account, *, limit: int) -> Sequence[UserListRow]:
    """The active users of the client with an account of a kind, by name."""
    rows, _ = await store.list_user_rows(work, account=account.value, active=True, text=None, limit=limit, offset=0)
    return rows
