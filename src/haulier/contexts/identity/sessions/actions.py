"""Password verification outside the write transaction, and recording of sign-ins."""

from datetime import datetime

from msgspec import Struct

from haulier.contexts.identity.accounts import actions
from haulier.contexts.identity.accounts.actions import refresh_password_hash
from haulier.contexts.identity.accounts.queries import UserWithClientRow, find_failed_sign_ins, find_user_by_email
from haulier.contexts.identity.accounts.rules import (
    INVALID_CREDENTIALS,
    PER_NETWORK,
    BackoffPolicy,
    failure_keys,
    is_failure_recorded,
    seconds_until_retry,
)
from haulier.contexts.identity.sessions.jobs import FAILED_SIGN_IN_JOB, RecordFailedSignIn
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.declaration import RateLimit
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import RATE_LIMITED
from haulier.kernel.request_context import RequestContext

SIGN_IN_LIMITS = (RateLimit(10, 60, ("address", "email")), RateLimit(60, 60, ("address",), failures=True))
"""Calls are limited for each account and address, and failures for each address: many users can share an address."""


class VerifiedPassword(Struct, frozen=True):
    """Owner of a correct password, a new hash if outdated, and the counted failures."""

    user: UserWithClientRow
    new_hash: str | None
    failure_digests: tuple[str, ...]


async def verify_password(context: RequestContext, email: str, password: str) -> VerifiedPassword:
    """Verify a lower-case email address and password.

    Raises `INVALID_CREDENTIALS` or `RATE_LIMITED`. An unknown address, a wrong password, a user without one and a
    disabled user get the same answer after the same time.
    """
    now, policies = context.app.clock(), failure_keys(email, context.network)
    async with context.app.database.read(None) as work:
        failures = await find_failed_sign_ins(work, policies.keys())
        user = await find_user_by_email(work, email)
    _require_not_locked_out(failures, policies, now)
    matches, new_hash = await actions.check_password_hash(
        password, user.password_hash if user and user.active else None
    )
    if not matches or user is None:
        async with context.app.database.write(None) as work:
            await actions.count_failure(work, policies.keys(), now)
            network = next(key for key, policy in policies.items() if policy is PER_NETWORK)
            times = failures[network][0] + 1 if network in failures else 1
            if is_failure_recorded(times):
                await _enqueue_audit_entry(context, work, user, times)
        raise INVALID_CREDENTIALS()
    return VerifiedPassword(user, new_hash, tuple(failures))


def _require_not_locked_out(
    failures: dict[str, tuple[int, datetime]], policies: dict[str, BackoffPolicy], now: datetime
) -> None:
    seconds = max(
        (seconds_until_retry(*failures[key], now, policy) for key, policy in policies.items() if key in failures),
        default=0,
    )
    if seconds:
        error = RATE_LIMITED(retry_after_s=seconds)
        error.headers = {"Retry-After": str(seconds)}
        raise error


async def _enqueue_audit_entry(
    context: RequestContext, work: UnitOfWork, user: UserWithClientRow | None, times: int
) -> None:
    """Enqueue the record of a failure, also for unknown addresses, for equal timing."""
    call = await call_as_system(context.app, None, work, now=context.app.clock())
    failure = RecordFailedSignIn(
        client_id=user.client_id if user else None,
        user_id=user.id if user else None,
        times=times,
        address=context.address,
        agent=context.agent,
    )
    await call.enqueue(FAILED_SIGN_IN_JOB, failure)


async def record_sign_in(call: Call, proof: VerifiedPassword) -> None:
    """Record a sign-in: reset failures, and write the audit trail."""
    user = proof.user
    if proof.new_hash:
        await refresh_password_hash(call.work, user.id, proof.new_hash)
    if proof.failure_digests:
        await actions.clear_failures(call.work, proof.failure_digests)
    call.set_signed_in(user.client_id, user.id, Account(user.account))
    call.add_audit_subjects("user", user.id)
