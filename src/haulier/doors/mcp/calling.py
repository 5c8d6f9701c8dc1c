"""A call of a tool: from its arguments through the pipeline to a result, whichever way the request came in."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from haulier.doors.mcp.challenge import is_unauthenticated
from haulier.doors.mcp.results import Result, refused, result_of
from haulier.doors.mcp.visit import Visit
from haulier.kernel import codec
from haulier.kernel.declarations import Server
from haulier.kernel.errors import SCOPE_MISSING, Refusal, problem
from haulier.kernel.operation import Operation
from haulier.kernel.pipeline import Knock, handle, identify

API_TOKEN_EXPIRED = problem("api_token_expired", 401)
API_TOKEN_ENDS = datetime(2027, 1, 1, tzinfo=UTC)
"""The per-tool `api_token` argument is unusable after 2026-12-31."""
Op = Operation[Any, Any]


async def call(visit: Visit, operation: Op, given: Mapping[str, Any] | None, beside: Mapping[str, Any]) -> Result:
    """Call a tool with the arguments that were given; a refusal is a result, too.

    `beside` is everything that stood among the parameters of the request.
    """
    arguments, warning = dict(given or {}), None
    try:
        token = _token_among(arguments, visit)
        if token is not None:
            warning = visit.house.catalogues.say(visit.language, "api_token_deprecated")
        knock = _knock(visit, operation, arguments, beside, token)
    except Refusal as refusal:
        return refused(visit.body(refusal), warning)
    outcome = await handle(visit.house, knock)
    if outcome.error:
        await _challenge(visit, knock, outcome.error)
    return result_of(outcome, warning)


def _token_among(arguments: dict[str, Any], visit: Visit) -> str | None:
    """Take the deprecated `api_token` out of the arguments. Raises `API_TOKEN_EXPIRED` after its last day."""
    if visit.server is not Server.DEVELOPER or not isinstance(arguments.get("api_token"), str):
        return None
    if visit.house.clock() >= API_TOKEN_ENDS:
        raise API_TOKEN_EXPIRED()
    return arguments.pop("api_token")


def _knock(
    visit: Visit, operation: Op, arguments: dict[str, Any], beside: Mapping[str, Any], token: str | None
) -> Knock:
    """The call as the pipeline takes it. `confirm` stands among the arguments or beside them; only `true` confirms."""
    confirmed = False
    if operation.confirm:
        confirmed = arguments.pop("confirm", False) is True or beside.get("confirm") is True
    words: dict[str, Any] = {"token": token} if token and visit.headers.token is None else {}
    words |= {"server": visit.server, "confirmed": confirmed}
    return visit.headers.knock(operation, "mcp", body=codec.encode(arguments), **words)


async def _challenge(visit: Visit, knock: Knock, error: Mapping[str, Any]) -> None:
    """Give a refusal the status and header that an agent can follow; its body stays what it is."""
    if is_unauthenticated(error):
        visit.challenge.demand_token(knock.operation.scopes)
    elif error["code"] == SCOPE_MISSING.code and visit.challenge.agents:
        has = (await identify(visit.house, knock)).scopes
        visit.challenge.demand_more(has | knock.operation.scopes)
