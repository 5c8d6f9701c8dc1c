"""Ask for a link when the password is lost, and set a new one with it."""

from typing import Any

from haulier.contexts.access.accounts import passwords
from haulier.contexts.access.accounts.notices import Changed, tell
from haulier.contexts.access.accounts.rules.lockout import counted_by
from haulier.contexts.access.accounts.rules.passwords import demand_strength
from haulier.contexts.access.accounts.store import failures as failure_store
from haulier.contexts.access.accounts.store import tokens as token_store
from haulier.contexts.access.accounts.store import users as user_store
from haulier.contexts.access.passwords import store
from haulier.contexts.access.passwords.contract import RequestPasswordReset, ResetPassword
from haulier.contexts.access.passwords.letter import LETTER, SendResetLink
from haulier.contexts.access.passwords.rules import RESET_LINK_INVALID
from haulier.kernel.answers import Done
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.ids import token_digest
from haulier.kernel.operation import GraphQL, Limit, Rest, writes

BY_LINK = "a lost password is set by a link alone"


@writes(
    "request_password_reset",
    audience={Account.PUBLIC},
    doors=(Rest("POST", "/v1/user/password/forgotten"), GraphQL("requestPasswordReset")),
    limits=(Limit(3, 900, ("email",)), Limit(20, 3600, ("address",))),
)
async def request_password_reset(call: Call, request: RequestPasswordReset) -> Done:
    """Ask for a link to set a new password. The answer is the same, and takes the same time, for an address nobody has.

    The link works once, for 30 minutes.
    """
    await call.post(LETTER, SendResetLink(email=request.email))
    return Done(message=call.say("reset_requested"))


async def hash_new_password(doorstep: Doorstep, request: ResetPassword) -> tuple[Any, str]:
    """Whose link it is, and the hash of the new password. Raises `RESET_LINK_INVALID`, or `INVALID_REQUEST` if weak."""
    async with doorstep.house.database.read(None) as work:
        found = await store.behind(work.unwalled(BY_LINK), _digest(request), doorstep.house.clock())
    if found is None:
        raise RESET_LINK_INVALID()
    password = request.new_password.get_secret_value()
    demand_strength(password, found.email, found.name, field="new_password")
    return found, await passwords.hashed(password)


@writes(
    "reset_password",
    audience={Account.PUBLIC},
    doors=(Rest("POST", "/v1/user/password/reset"), GraphQL("resetPassword")),
    limits=(Limit(30, 60, ("address",)),),
    errors=(RESET_LINK_INVALID,),
    prepare=hash_new_password,
)
async def reset_password(call: Call, request: ResetPassword) -> Done:
    """Set a new password with the link from the letter. Every session of the user ends, and a letter tells it; sign in anew."""
    found, password_hash = call.prepared
    work = call.work.unwalled(BY_LINK)
    if not await store.use(work, _digest(request), call.now):
        raise RESET_LINK_INVALID()
    await store.end_others(work, found.user_id, call.now)
    await user_store.change(work, found.user_id, password_hash=password_hash)
    await token_store.revoke_sessions(work, found.user_id, call.now)
    await failure_store.forget(work, counted_by(found.email, call.address).keys())
    await tell(call, Changed.PASSWORD, client_id=found.client_id, user_id=found.user_id, to=found.email)
    call.arrived(found.client_id, found.user_id, Account(found.account))
    call.concerns("user", found.user_id)
    return Done(message=call.say("password_reset"))


def _digest(request: ResetPassword) -> bytes:
    return token_digest(request.token.get_secret_value())
