"""Is this the right password? Asked outside the writer, answered alike and equally slowly for everyone who may not come in."""

from datetime import datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.access.accounts import passwords
from haulier.contexts.access.accounts.rules.lockout import Pace, counted_by, wait_s
from haulier.contexts.access.accounts.rules.users import INVALID_CREDENTIALS
from haulier.contexts.access.accounts.store import failures as failure_store
from haulier.contexts.access.accounts.store import users as user_store
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.errors import RATE_LIMITED


class Proof(Struct, frozen=True):
    """A password was right: whose it is, a fresh hash when the kept one is of older parameters, and failures to forget."""

    user: Any
    fresh_hash: str | None
    failed_before: tuple[str, ...]


async def prove(doorstep: Doorstep, email: str, password: str) -> Proof:
    """Check an e-mail address (in lower case) and password. Raises `INVALID_CREDENTIALS` or `RATE_LIMITED`.

    An unknown address, a wrong password, a user without one and a disabled user cannot be told apart, by time neither.
    """
    now, counted = doorstep.house.clock(), counted_by(email, doorstep.address)
    async with doorstep.house.database.read(None) as work:
        failed = await failure_store.of(work, counted.keys())
        user = await user_store.by_email(work, email)
    _demand_rest(failed, counted, now)
    right, fresh = await passwords.matches(password, user.password_hash if user and user.active else None)
    if not right:
        async with doorstep.house.database.write(None) as work:
            await failure_store.count(work, counted.keys(), now)
        raise INVALID_CREDENTIALS()
    return Proof(user, fresh, tuple(failed))


def _demand_rest(failed: dict[str, tuple[int, datetime]], counted: dict[str, Pace], now: datetime) -> None:
    seconds = max((wait_s(*failed[what], now, pace) for what, pace in counted.items() if what in failed), default=0)
    if seconds:
        refusal = RATE_LIMITED(retry_after_s=seconds)
        refusal.headers = {"Retry-After": str(seconds)}
        raise refusal


async def welcome(call: Call, proof: Proof) -> None:
    """Note that the owner of a password came in: failures are forgotten, and the audit trail of their client says so."""
    user = proof.user
    if proof.fresh_hash:
        await user_store.keep_hash(call.work, user.id, proof.fresh_hash)
    if proof.failed_before:
        await failure_store.forget(call.work, proof.failed_before)
    call.arrived(user.client_id, user.id, Account(user.account))
    call.concerns("user", user.id)
