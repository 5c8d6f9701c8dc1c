"""A token that was replaced and is shown again: two hold it, and nobody can tell which of them is the thief."""

import logging
from typing import Any

from haulier.contexts.access.app_sessions import store
from haulier.contexts.access.app_sessions.rules import End, is_theft
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.ids import request_id, token_digest
from haulier.kernel.operation import Request
from haulier.kernel.principal import the_house_itself
from haulier.kernel.steps.record import record

log = logging.getLogger("haulier.app_sessions")


class ReusedToken(Request):
    """What the audit trail says about a session that ended because a token of it was shown twice."""

    session_id: int
    """The session."""
    reason: str
    """Why it ended."""


async def end_if_reused(doorstep: Doorstep, token: str) -> None:
    """End the session whose replaced token is shown again, with the token it lives on, and say so in the audit trail."""
    house, now = doorstep.house, doorstep.house.clock()
    async with house.database.read(None) as work:
        session = await store.behind_replaced(work, token_digest(token))
    if session is None or not is_theft(session.replaced_at, now):
        return
    async with house.database.write(session.client_id) as work:
        if not await store.end(work, session.id, at=now, why=End.REUSED):
            return
        business = await house.identity.business(work, session.client_id)
        call = Call(
            house=house,
            principal=the_house_itself(business),
            work=work,
            now=now,
            language="en",
            request_id=request_id(None),
            address=doorstep.address,
            agent=doorstep.agent,
        )
        await _record(call, session)
    log.warning("a replaced token was shown again; app session %d of client %d ended", session.id, session.client_id)


async def _record(call: Call, session: Any) -> None:
    call.arrived(session.client_id, session.user_id, Account(session.account))
    call.concerns("user", session.user_id)
    call.concerns("app_session", session.id)
    operation = call.house.registry["refresh_app_session"]
    await record(call, operation, ReusedToken(session_id=session.id, reason=End.REUSED.value), "house")
