"""Tokens that are for one MCP server alone (RFC 8707): an agent's token opens the server that its owner connected it to.

The text of such a token says which; the digest that is kept covers the text, so nobody can make it say another.
"""

from collections.abc import Mapping

from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.errors import INVALID_TOKEN

SERVER_TOKEN_PREFIXES: Mapping[McpServer, str] = {McpServer.USER: "hlmcp", McpServer.DEVELOPER: "hlmcpdev"}
"""How the tokens of each server begin."""

SERVER_PATHS: Mapping[str, McpServer] = {
    "/mcp": McpServer.USER,
    "/mcp/developer": McpServer.DEVELOPER,
    "/api/mcp": McpServer.USER,
    "/api/mcp/developer": McpServer.DEVELOPER,
}
"""Where the servers answer, below the base address."""

_SERVER_BY_PREFIX = {prefix: server for server, prefix in SERVER_TOKEN_PREFIXES.items()}


def get_token_audience(token: str) -> McpServer | None:
    """The one server that a token is for; None for a token that works at every door."""
    return _SERVER_BY_PREFIX.get(token.partition("_")[0])


def require_audience(token: str, server: McpServer | None) -> None:
    """Check that a token is used at the server it is for. Raises `INVALID_TOKEN`; `server` is None at other doors."""
    audience = get_token_audience(token)
    if audience is not None and audience is not server:
        raise INVALID_TOKEN()
