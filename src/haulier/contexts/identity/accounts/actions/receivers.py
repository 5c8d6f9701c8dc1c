"""Users and tokens that set something up by which they receive data later: recorded, and asked for again at delivery."""

from collections.abc import Collection

from haulier.contexts.identity.accounts.actions.tokens import lock_parent_token
from haulier.contexts.identity.accounts.queries.absent_users import SetUpBy, list_standing_principals
from haulier.kernel.call import Call
from haulier.kernel.pipeline.reach import SetUpLapse, find_lapse


async def get_set_up_columns(call: Call) -> dict[str, int | None]:
    """Return the columns that name the caller and the API token that they use, if any."""
    token = await lock_parent_token(call.work, call.principal.token_id, call.now)
    return {"set_up_by": call.actor, "set_up_with": token and token.id}


async def list_entitled(call: Call, who: Collection[SetUpBy], read_by: str) -> set[SetUpBy]:
    """Return those who could read the data themselves now, by the operation `read_by`. Two statements at most.

    Left out are disabled users, ended tokens, and those whose account or scopes no longer suffice.
    """
    return set(who) - (await find_lapses(call, who, read_by)).keys()


async def find_lapses(call: Call, who: Collection[SetUpBy], *operations: str) -> dict[SetUpBy, SetUpLapse]:
    """Return those who could no longer call every one of the operations, with the reason. Two statements at most."""
    standing = await list_standing_principals(call.work, call.business, who, call.now)
    needed = [call.app.registry[name] for name in operations]
    lapses = {each: find_lapse(standing.get(each), needed) for each in who}
    return {each: lapse for each, lapse in lapses.items() if lapse}
