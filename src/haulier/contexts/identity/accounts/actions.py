"""Writing users and what is set about them, for other families and contexts."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from haulier.contexts.identity.accounts.queries.rights import require_account_grantable, require_user_grantable
from haulier.contexts.identity.accounts.queries.users import require_user
from haulier.contexts.identity.accounts.rules.users import EMAIL_TAKEN, require_remaining_admin
from haulier.contexts.identity.accounts.store import members as member_store
from haulier.contexts.identity.accounts.store import tokens as token_store
from haulier.contexts.identity.accounts.store import users as store
from haulier.contexts.identity.accounts.store.users import UserRow
from haulier.contexts.identity.events import UserCreated, UserDisabled
from haulier.contexts.identity.ports import LeftBehind, WorkGivenBack
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict, UnitOfWork
from haulier.kernel.operations.enums import Account


async def add_user(
    work: UnitOfWork,
    *,
    email: str,
    name: str,
    account: Account,
    password_hash: str | None,
    now: datetime,
    client_id: int | None = None,
) -> int:
    """Write an active user. Returns the id. Raises `UniqueConflict` when the e-mail address is taken.

    `client_id` names the client in a unit of work without the tenant filter.
    """
    owner = {} if client_id is None else {"client_id": client_id}
    return await store.insert_user(
        work,
        **owner,
        email=email,
        name=name,
        account=account.value,
        password_hash=password_hash,
        active=True,
        hidden_prices=[],
        created_at=now,
    )


async def create_user_within(
    call: Call,
    *,
    email: str,
    name: str,
    account: Account,
    password_hash: str | None = None,
    granted: Collection[str] | None = None,
) -> int:
    """Create a user of the caller's client who may do no more than the caller, and publish it. Returns the id.

    `granted` is what is left to them of their account. Raises `SCOPES_EXCEEDED` or `EMAIL_TAKEN`.
    """
    require_account_grantable(call, account, granted)
    try:
        user_id = await add_user(
            call.work, email=email, name=name, account=account, password_hash=password_hash, now=call.now
        )
    except UniqueConflict:
        raise EMAIL_TAKEN(email=email) from None
    if granted is not None:
        await set_member(call.work, user_id, scopes=sorted(granted))
    call.add_audit_subjects("user", user_id)
    await call.publish(UserCreated(user_id=user_id, account=account))
    return user_id


async def rename_user(work: UnitOfWork, user_id: int, name: str) -> None:
    """Change the name of a user."""
    await store.update_user_row(work, user_id, name=name)


async def set_user_active(work: UnitOfWork, user_id: int, *, active: bool) -> None:
    """Enable or disable a user. Their tokens stay as they are."""
    await store.update_user_row(work, user_id, active=active)


async def disable_user_account(call: Call, user_id: int) -> LeftBehind:
    """Disable a user: every session and token of theirs stops working at once, and what waits for them is given back.

    Raises `NOT_FOUND`, `LAST_ADMIN`.
    """
    user = await require_user(call.work, user_id, lock=True)
    await require_other_admin(call.work, user)
    await store.update_user_row(call.work, user.id, active=False)
    await token_store.revoke_user_tokens(call.work, user.id, call.now)
    call.add_audit_subjects("user", user.id)
    await call.publish(UserDisabled(user_id=user.id, account=Account(user.account)))
    return await call.adapter(WorkGivenBack).give_back_of_user(call, user.id, Account(user.account))


async def enable_user_account(call: Call, user_id: int) -> None:
    """Enable a user again. Raises `NOT_FOUND`, or `SCOPES_EXCEEDED` when they may do more than the caller."""
    user = await require_user(call.work, user_id, lock=True)
    if not user.active:
        await require_user_grantable(call, user)
    await store.update_user_row(call.work, user.id, active=True)
    call.add_audit_subjects("user", user.id)


async def require_other_admin(work: UnitOfWork, user: UserRow) -> None:
    """Raises `LAST_ADMIN` when a user is the only active admin of the client."""
    if user.account == Account.CLIENT_ADMIN:
        require_remaining_admin(user.id, await store.lock_active_admins(work, Account.CLIENT_ADMIN.value))


async def set_password_hash(work: UnitOfWork, user_id: int, password_hash: str, *, name: str | None = None) -> None:
    """Keep the hash of a new password, and with it a new name when one is given."""
    renamed = {"name": name} if name else {}
    await store.update_user_row(work, user_id, password_hash=password_hash, **renamed)


async def refresh_password_hash(work: UnitOfWork, user_id: int, password_hash: str) -> None:
    """Keep a hash of the same password with newer parameters, at sign-in, for a user of any client."""
    await store.update_password_hash(work, user_id, password_hash)


async def set_member(work: UnitOfWork, user_id: int, *, client_id: int | None = None, **values: Any) -> None:
    """Set something about a user beyond the account; what is not named stays.

    `client_id` names the client in a unit of work without the tenant filter. Raises `UniqueConflict` when another customer of
    the client has the code.
    """
    await member_store.upsert_member(work, user_id, client_id=client_id, **values)


async def lock_admins(work: UnitOfWork) -> list[int]:
    """Lock the active admins of the client until the transaction ends, and return their ids."""
    return await store.lock_active_admins(work, Account.CLIENT_ADMIN.value)
