"""Is this the right password? Asked outside the writer, answered alike and equally slowly for everyone who may not come in."""

from datetime import datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.identity.accounts.actions import passwords
from haulier.contexts.identity.accounts.rules.login_lockout import BackoffPolicy, failure_keys, seconds_until_retry
from haulier.contexts.identity.accounts.rules.users import INVALID_CREDENTIALS
from haulier.contexts.identity.accounts.store import failed_sign_ins as failure_store
from haulier.contexts.identity.accounts.store import users as user_store
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import RATE_LIMITED
from haulier.kernel.request_context import RequestContext


class VerifiedPassword(Struct, frozen=True):
    """A password was right: whose it is, a fresh hash when the kept one is of older parameters, and failures to forget."""

    user: Any
    fresh_hash: str | None
    failed_before: tuple[str, ...]


async def verify_password(context: RequestContext, email: str, password: str) -> VerifiedPassword:
    """Check an e-mail address (in lower case) and password. Raises `INVALID_CREDENTIALS` or `RATE_LIMITED`.

    An unknown address, a wrong password, a user without one and a disabled user cannot be told apart, by time neither.
    """
    now, counted = context.app.clock(), failure_keys(email, context.address)
    async with context.app.database.read(None) as work:
        failed = await failure_store.get_failed_sign_ins(work, counted.keys())
        user = await user_store.get_user_by_email(work, email)
    _require_not_locked_out(failed, counted, now)
    right, fresh = await passwords.check_password_hash(password, user.password_hash if user and user.active else None)
    if not right:
        async with context.app.database.write(None) as work:
            await failure_store.count_failed_sign_ins(work, counted.keys(), now)
        raise INVALID_CREDENTIALS()
    return VerifiedPassword(user, fresh, tuple(failed))


def _require_not_locked_out(
    failed: dict[str, tuple[int, datetime]], counted: dict[str, BackoffPolicy], now: datetime
) -> None:
    seconds = max(
        (seconds_until_retry(*failed[what], now, pace) for what, pace in counted.items() if what in failed), default=0
    )
    if seconds:
        refusal = RATE_LIMITED(retry_after_s=seconds)
        refusal.headers = {"Retry-After": str(seconds)}
        raise refusal


async def record_sign_in(call: Call, proof: VerifiedPassword) -> None:
    """Note that the owner of a password came in: failures are forgotten, and the audit trail of their client says so."""
    user = proof.user
    if proof.fresh_hash:
        await user_store.update_password_hash(call.work, user.id, proof.fresh_hash)
    if proof.failed_before:
        await failure_store.reset_failed_sign_ins(call.work, proof.failed_before)
    call.signed_in(user.client_id, user.id, Account(user.account))
    call.add_audit_subjects("user", user.id)
