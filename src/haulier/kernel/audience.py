"""Tokens that are for one MCP server alone (RFC 8707): an agent's token opens the server that its owner connected it to.

The text of such a token says which; the digest that is kept covers the text, so nobody can make it say another.
"""

from collections.abc import Mapping

from haulier.kernel.declarations import Server
from haulier.kernel.errors import INVALID_TOKEN

PREFIXES: Mapping[Server, str] = {Server.USER: "hlmcp", Server.DEVELOPER: "hlmcpdev"}
"""How the tokens of each server begin."""

PATHS: Mapping[str, Server] = {
    "/mcp": Server.USER,
    "/mcp/developer": Server.DEVELOPER,
    "/api/mcp": Server.USER,
    "/api/mcp/developer": Server.DEVELOPER,
}
"""Where the servers answer, below the base address."""

_MEANT = {prefix: server for server, prefix in PREFIXES.items()}


def audience_of(token: str) -> Server | None:
    """The one server that a token is for; None for a token that works at every door."""
    return _MEANT.get(token.partition("_")[0])


def demand_audience(token: str, here: Server | None) -> None:
    """A token is used where it is for. Raises `INVALID_TOKEN`; `here` is None at every door that is no MCP server."""
    meant = audience_of(token)
    if meant is not None and meant is not here:
        raise INVALID_TOKEN()
