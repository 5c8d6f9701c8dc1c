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
    ClientRow,
    SetUpBy,
    find_member,
    find_user_by_email,
    list_standing_principals,
    require_account_grantable,
    require_client,
    require_user,
    require_user_grantable,
)
from haulier.contexts.identity.accounts.rules import (
    COPIED_TO_TEST,
    EMAIL_TAKEN,
    SAMPLE_DATA_SETTING,
    SESSION_REQUIRED,
    TEST_BUSINESS_SETTING,
    TEST_CODE_MAX,
    TEST_OF_SETTING,
    TokenKind,
    TokenState,
    make_test_email,
    require_remaining_admin,
    require_test_email,
    token_state,
)
from haulier.contexts.identity.accounts.store import tokens as tokens_store
from haulier.contexts.identity.accounts.store import users as users_store
from haulier.contexts.identity.accounts.store.tokens import TokenRow
from haulier.contexts.identity.accounts.store.users import UserRow
from haulier.contexts.identity.events import ClientCountrySet, UserCreated, UserDisabled
from haulier.contexts.identity.ports import LeftBehind, WorkRelease
from haulier.kernel.call import Call, call_as
from haulier.kernel.data.unit_of_work import UniqueConflict, UnitOfWork
from haulier.kernel.operations.enums import Account, Scope
from haulier.kernel.operations.errors import INVALID_TOKEN
from haulier.kernel.pipeline.reach import SetUpLapse, find_lapse
from haulier.kernel.principal import Business, system_principal
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

TEST_TOKEN_PREFIX = "hltest"
"""Prefix of API tokens of a test business."""
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
    """Revoke every session of a user, except the token `keep`. Return their number.

    Their sessions in the test business end too, and are not counted.
    """
    if test_user := await find_user_by_email(work, make_test_email(user_id)):
        test_work = work.for_tenant(test_user.client_id, OWN_TEST_BUSINESS)
        await tokens_store.revoke_user_sessions(test_work, test_user.id, at)
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
    if call.business.test:
        require_test_email(email)
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


OWN_TEST_BUSINESS = "a client owns its test business"


class UserInTest(Struct, frozen=True):
    """The user of a test business who acts for a live user."""

    business: Business
    user_id: int


async def ensure_test_user(call: Call, user_id: int) -> UserInTest:
    """Return the test user of a live user.

    Create them and the test business if missing.

    The live client is locked, so that parallel calls create one of each.
    """
    live = await require_client(call.work, call.client_id, lock=True)
    test_id = live.settings.get(TEST_BUSINESS_SETTING) or await _add_test_business(call, live)
    business = await call.app.identity.business(call.work, test_id)
    known = await find_user_by_email(call.work, make_test_email(user_id))
    return UserInTest(business, known.id if known else await _add_test_user(call, business, user_id))


async def _add_test_business(call: Call, live: ClientRow) -> int:
    """Insert the test business of a client with its modules, features and settings.

    Return the id.
    """
    code = f"{live.code[:TEST_CODE_MAX]}-test-{live.id}"
    test_id = await add_client(call.work, code=code, created_at=call.now, **_values_of_live(live))
    await set_client_settings(call.work, live.id, {**live.settings, TEST_BUSINESS_SETTING: test_id})
    if live.country:
        test_call = make_test_call(call, await call.app.identity.business(call.work, test_id))
        await test_call.publish(ClientCountrySet(country=live.country))
    return test_id


def _values_of_live(live: ClientRow) -> dict[str, Any]:
    """Return the columns that a test business takes over from its live business."""
    copied = {name: live.settings[name] for name in COPIED_TO_TEST if name in live.settings}
    columns = ("name", "time_zone", "currency", "country", "modules", "features")
    return {**{name: getattr(live, name) for name in columns}, "settings": {**copied, TEST_OF_SETTING: live.id}}


async def begin_sample_data(call: Call) -> Business:
    """Mark a test business without records as holding sample data.

    It takes over the present settings of its live business.
    """
    test = await require_client(call.work, call.client_id, lock=True)
    values = _values_of_live(await require_client(call.work, test.settings[TEST_OF_SETTING]))
    values["settings"][SAMPLE_DATA_SETTING] = True
    await users_store.update_client_row(call.work, test.id, **values)
    if values["country"] not in {None, test.country}:
        await call.publish(ClientCountrySet(country=values["country"]))
    return await call.app.identity.business(call.work, test.id)


async def end_sample_data(call: Call) -> None:
    """Remove the mark of sample data from a test business."""
    test = await require_client(call.work, call.client_id, lock=True)
    kept = {name: value for name, value in test.settings.items() if name != SAMPLE_DATA_SETTING}
    await set_client_settings(call.work, test.id, kept)


def make_test_call(call: Call, business: Business) -> Call:
    """Return a call in the test business, in the same transaction."""
    work = call.work.for_tenant(business.id, OWN_TEST_BUSINESS)
    return call_as(
        call.app, system_principal(business), work, now=call.now, request_id=call.request_id, dry_run=call.dry_run
    )


async def _add_test_user(call: Call, business: Business, user_id: int) -> int:
    user, member = await require_user(call.work, user_id), await find_member(call.work, user_id)
    test_call, account = make_test_call(call, business), Account(user.account)
    email = make_test_email(user_id)
    test_user_id = await add_user(
        test_call.work, email=email, name=user.name, account=account, password_hash=None, now=call.now
    )
    await test_call.publish(UserCreated(user_id=test_user_id, account=account))
    call.side_effects.extend(test_call.side_effects)
    if member:
        await set_member(test_call.work, test_user_id, scopes=member.scopes, role=member.role, language=member.language)
    return test_user_id


async def sync_test_user(call: Call, user_id: int) -> None:
    """Give the test user of a live user the same rights, if there is one.

    If the live user is disabled, all tokens of the test user are revoked.
    """
    test_user = await find_user_by_email(call.work, make_test_email(user_id))
    if test_user is None:
        return
    user, member = await require_user(call.work, user_id), await find_member(call.work, user_id)
    work = call.work.for_tenant(test_user.client_id, OWN_TEST_BUSINESS)
    values = {name: getattr(user, name) for name in ("name", "account", "active", "hidden_prices")}
    await users_store.update_user_row(work, test_user.id, **values)
    await set_member(work, test_user.id, scopes=member and member.scopes, role=member and member.role)
    if not user.active:
        await tokens_store.revoke_user_tokens(work, test_user.id, call.now)


async def delete_test_users(call: Call) -> int:
    """Delete users of a test business, with their tokens. Return their number.

    Keeps those who act for live users.
    """
    return await users_store.delete_users_except(call.work, make_test_email("%"))


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
    await sync_test_user(call, user.id)
    await call.publish(UserDisabled(user_id=user.id, account=Account(user.account)))
    return await call.adapter(WorkRelease).release_for_user(call, user.id, Account(user.account))


async def enable_user_account(call: Call, user_id: int) -> None:
    """Enable a user again. Raises `NOT_FOUND`, `SCOPES_EXCEEDED`."""
    user = await require_user(call.work, user_id, lock=True)
    if not user.active:
        await require_user_grantable(call, user)
    await users_store.update_user_row(call.work, user.id, active=True)
    await sync_test_user(call, user.id)
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
