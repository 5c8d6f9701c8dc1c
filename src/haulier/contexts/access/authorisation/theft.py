"""A secret that works once and is shown twice: two hold it, and nobody can tell which of them is the thief.

The grant ends in a transaction of its own, before the call that is then refused: its refusal shall not undo that.
"""

import logging
from typing import Any

from haulier.contexts.access.authorisation.rules.grants import End
from haulier.contexts.access.authorisation.store import grants as grant_store
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.ids import request_id
from haulier.kernel.operation import Request
from haulier.kernel.principal import the_house_itself
from haulier.kernel.steps.record import record

log = logging.getLogger("haulier.authorisation")


class ReusedSecret(Request):
    """What the audit trail says about a grant that ended because a secret of it was shown twice."""

    connection_id: int
    """The grant."""
    reason: str
    """Which secret it was."""


async def end_stolen(doorstep: Doorstep, grant: Any, why: End, operation: str) -> None:
    """End a grant with all its tokens, and say so in the audit trail of its client, once."""
    house = doorstep.house
    if grant.ended_at is not None:
        return
    async with house.database.write(grant.client_id) as work:
        now = house.clock()
        if not await grant_store.end(work, grant.id, at=now, why=why):
            return
        business = await house.identity.business(work, grant.client_id)
        call = Call(
            house=house,
            principal=the_house_itself(business),
            work=work,
            now=now,
            language="en",
            request_id=request_id(None),
        )
        call.arrived(grant.client_id, grant.user_id, Account(grant.account))
        call.concerns("agent_connection", grant.id)
        said = ReusedSecret(connection_id=grant.id, reason=why.value)
        await record(call, house.registry[operation], said, "house")
    log.warning("a used secret was shown again; agent connection %d of client %d ended", grant.id, grant.client_id)
