"""Writes of accounts for other families.

One hash costs about a tenth of a second and 64 MiB on purpose; the pool's size is the bound on both.
"""

import asyncio
from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from msgspec import Struct
from pwdlib import PasswordHash

from haulier.contexts.identity.accounts.queries import (
    SetUpBy,
    list_standing_principals,
    require_account_grantable,
    require_user,
    require_user_grantable,
)
from haulier.contexts.identity.accounts.rules import (
    EMAIL_TAKEN,
    SESSION_REQUIRED,
    TokenKind,
    TokenState,
    require_remaining_admin,
    token_state,
)
from haulier.contexts.identity.accounts.store import tokens as tokens_store
from haulier.contexts.identity.accounts.store import users as users_store
from haulier.contexts.identity.accounts.store.tokens import TokenRow
from haulier.contexts.identity.accounts.store.users import UserRow
from haulier.contexts.identity.events import UserCreated, UserDisabled
from haulier.contexts.identity.ports import LeftBehind, WorkRelease
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict, UnitOfWork
from haulier.kernel.operations.enums import Account, Scope
from haulier.kernel.operations.errors import INVALID_TOKEN
from haulier.kernel.pipeline.reach import SetUpLapse, find_lapse
from haulier.kernel.values.ids import hash_token, make_opaque_token


async def add_client(work: UnitOfWork, **values: Any) -> int:
    """Insert a client. Return the id. Raises `UniqueConflict` if the code is taken."""
    return await users_store.insert_client(work, **values)


async def set_client_settings(work: UnitOfWork, client_id: int, settings: dict[str, Any]) -> None:
    """Replace the settings of a client."""
    await users_store.update_client_row(work, client_id, settings=settings)


async def count_failure(work: UnitOfWork, digests: Collection[str], at: datetime) -> None:
    """Count a failure for each digest."""
    await tokens_store.count_failed_sign_ins(work, digests, at)


async def clear_failures(work: UnitOfWork, digests: Collection[str]) -> None:
    """Reset the counts of digests after a success."""
    await tokens_store.reset_failed_sign_ins(work, digests)


HASHING_THREADS = 2
_hasher = PasswordHash.recommended()
_pool = ThreadPoolExecutor(max_workers=HASHING_THREADS, thread_name_prefix="password")


def use_hasher(hasher: PasswordHash) -> None:
    """Set the hashing parameters of the process."""
    global _hasher
    _hasher = hasher
    _dummy_hash.cache_clear()


async def hash_password(password: str) -> str:
    """Hash a password."""
    return await asyncio.get_running_loop().run_in_executor(_pool, _hasher.hash, password)


async def check_password_hash(password: str, stored_hash: str | None) -> tuple[bool, str | None]:
    """Return True if a password matches, and a new hash if the stored one is outdated.

    Without a stored hash (no such user, no password) the answer is False after the same work, so that its time reveals
    nothing.
    """
    return await asyncio.get_running_loop().run_in_executor(_pool, _check_hash, password, stored_hash)


def _check_hash(password: str, stored_hash: str | None) -> tuple[bool, str | None]:
    # Computed before the choice, so that the first call of the process takes as long with a stored hash as without one.
    dummy = _dummy_hash()
    matches, new_hash = _hasher.verify_and_update(password, stored_hash or dummy)
    return (matches, new_hash) if stored_hash else (False, None)


@lru_cache(maxsize=1)
def _dummy_hash() -> str:
    return _hasher.hash("the password of an unknown user")


SESSION_LIFETIME = timedelta(days=14)
"""Lifetime of a session."""

TOKEN_PREFIXES = {TokenKind.SESSION: "hlsession", TokenKind.API: "hlapi"}
"""Prefixes of tokens, by which scanners for leaked secrets recognise them."""


class IssuedAccessToken(Struct, frozen=True):
    """A new token. Its text is known only now."""

    id: int
    token: str
    expires_at: datetime


async def issue_access_token(
    work: UnitOfWork,
    *,
    client_id: int,
    user_id: int,
    now: datetime,
    kind: TokenKind = TokenKind.SESSION,
    lifetime: timedelta = SESSION_LIFETIME,
    scopes: Iterable[Scope] | None = None,
    name: str | None = None,
    issued_by: int | None = None,
    prefix: str | None = None,
    parent: TokenRow | None = None,
) -> IssuedAccessToken:
    """Create a token and store its digest. Without `scopes` it has all of the account.

    It ends no later than `parent`, the token that issues it, and with it. `prefix` replaces the prefix of its kind.
    """
    expires_at = min(now + lifetime, parent.expires_at) if parent else now + lifetime
    token = make_opaque_token(prefix or TOKEN_PREFIXES[kind])
    token_id = await tokens_store.insert_token(
        work.without_tenant_filter("a token is issued before its bearer has signed in"),
        client_id=client_id,
        user_id=user_id,
        token_sha256=hash_token(token),
        kind=kind.value,
        name=name,
        scopes=None if scopes is None else sorted(scopes),
        issued_by=issued_by,
        parent_id=parent and parent.id,
        created_at=now,
        expires_at=expires_at,
    )
    return IssuedAccessToken(token_id, token, expires_at)


async def lock_parent_token(work: UnitOfWork, token_id: int | None, now: datetime) -> TokenRow | None:
    """Lock and return the API token of the caller, or None for a session.

    The lock prevents issuing while it is being revoked. Raises `INVALID_TOKEN` for one that has ended.
    """
    token = await tokens_store.get_token(work, token_id, lock=True) if token_id else None
    if token is None or token.kind != TokenKind.API:
        return None
    if token_state(token.revoked_at, token.expires_at, now) is not TokenState.ACTIVE:
        raise INVALID_TOKEN()
    return token


async def require_session(work: UnitOfWork, token_id: int | None, now: datetime) -> None:
    """Require a user's session instead of an API token. Raises `SESSION_REQUIRED`."""
    if await lock_parent_token(work, token_id, now):
        raise SESSION_REQUIRED()


async def end_token(work: UnitOfWork, token_id: int, at: datetime) -> int:
    """Revoke a token and all that it issued.

    Return 0 if it was already revoked, else 1.
    """
    return await tokens_store.revoke_tokens(work, [token_id], at)


async def end_tokens(work: UnitOfWork, token_ids: Collection[int], at: datetime) -> int:
    """Revoke tokens and all that they issued.

    Return the number of newly revoked tokens.
    """
    return await tokens_store.revoke_tokens(work, token_ids, at)


async def shorten_token(work: UnitOfWork, token_id: int, until: datetime) -> None:
    """End a token, and all that it issued, no later than a time."""
    await tokens_store.shorten_tokens(work, [token_id], until)


async def sign_out_user(work: UnitOfWork, user_id: int, at: datetime, *, keep: int | None = None) -> int:
    """Revoke every session of a user, except the token `keep`. Return their number."""
    return await tokens_store.revoke_user_sessions(work, user_id, at, keep=keep)


async def get_set_up_columns(call: Call) -> dict[str, int | None]:
    """Return the columns that name the caller and the API token that they use, if any."""
    token = await lock_parent_token(call.work, call.principal.token_id, call.now)
    return {"set_up_by": call.actor, "set_up_with": token and token.id}


async def list_entitled(call: Call, who: Collection[SetUpBy], read_by: str) -> set[SetUpBy]:
    """Return those who can still call the operation `read_by`.

    Uses two statements at most. Left out are disabled users, ended tokens, and those whose account or scopes no longer
    suffice.
    """
    return set(who) - (await find_lapses(call, who, read_by)).keys()


async def find_lapses(call: Call, who: Collection[SetUpBy], *operations: str) -> dict[SetUpBy, SetUpLapse]:
    """Return those who can no longer call all operations, with the reason.

    Uses two statements at most.
    """
    standing = await list_standing_principals(call.work, call.business, who, call.now)
    needed = [call.app.registry[name] for name in operations]
    lapses = {each: find_lapse(standing.get(each), needed) for each in who}
    return {each: lapse for each, lapse in lapses.items() if lapse}


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
    """Insert an active user. Return the id.

    Raises `UniqueConflict` if the email address is taken. `client_id` names the client in a unit of work without the
    tenant filter.
    """
    owner = {} if client_id is None else {"client_id": client_id}
    return await users_store.insert_user(
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
    """Create a user with no more rights than the caller. Return the id.

    Publishes the user. `granted` limits the rights of their account. Raises `SCOPES_EXCEEDED` or `EMAIL_TAKEN`.
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
    await users_store.update_user_row(work, user_id, name=name)


async def set_user_active(work: UnitOfWork, user_id: int, *, active: bool) -> None:
    """Enable or disable a user. Their tokens stay as they are."""
    await users_store.update_user_row(work, user_id, active=active)


async def disable_user_account(call: Call, user_id: int) -> LeftBehind:
    """Disable a user, revoke their sessions and tokens, and return their work.

    Raises `NOT_FOUND`, `LAST_ADMIN`.
    """
    user = await require_user(call.work, user_id, lock=True)
    await require_other_admin(call.work, user)
    await users_store.update_user_row(call.work, user.id, active=False)
    await tokens_store.revoke_user_tokens(call.work, user.id, call.now)
    call.add_audit_subjects("user", user.id)
    await call.publish(UserDisabled(user_id=user.id, account=Account(user.account)))
    return await call.adapter(WorkRelease).release_for_user(call, user.id, Account(user.account))


async def enable_user_account(call: Call, user_id: int) -> None:
    """Enable a user again. Raises `NOT_FOUND`, `SCOPES_EXCEEDED`."""
    user = await require_user(call.work, user_id, lock=True)
    if not user.active:
        await require_user_grantable(call, user)
    await users_store.update_user_row(call.work, user.id, active=True)
    call.add_audit_subjects("user", user.id)


async def require_other_admin(work: UnitOfWork, user: UserRow) -> None:
    """Raise `LAST_ADMIN` if a user is the only active admin of the client."""
    if user.account == Account.CLIENT_ADMIN:
        require_remaining_admin(user.id, await users_store.lock_active_admins(work, Account.CLIENT_ADMIN.value))


async def set_password_hash(work: UnitOfWork, user_id: int, password_hash: str, *, name: str | None = None) -> None:
    """Store the hash of a new password, and optionally a new name."""
    renamed = {"name": name} if name else {}
    await users_store.update_user_row(work, user_id, password_hash=password_hash, **renamed)


async def refresh_password_hash(work: UnitOfWork, user_id: int, password_hash: str) -> None:
    """Store a hash with newer parameters at sign-in, for a user of any client."""
    await users_store.update_password_hash(work, user_id, password_hash)


async def set_member(work: UnitOfWork, user_id: int, *, client_id: int | None = None, **values: Any) -> None:
    """Set member data of a user; omitted values are kept.

    `client_id` names the client in a unit of work without the tenant filter. Raises `UniqueConflict` when another
    customer of the client has the code.
    """
    await users_store.upsert_member(work, user_id, client_id=client_id, **values)


async def lock_admins(work: UnitOfWork) -> list[int]:
    """Lock and return the ids of the client's active admins."""
    return await users_store.lock_active_admins(work, Account.CLIENT_ADMIN.value)
