"""Tokens that are valid for one MCP server only (RFC 8707).

The prefix of the token names the server. The stored digest covers the whole token, so the prefix cannot be changed.
"""

from collections.abc import Mapping

from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.errors import INVALID_TOKEN

SERVER_TOKEN_PREFIXES: Mapping[McpServer, str] = {McpServer.USER: "hlmcp", McpServer.DEVELOPER: "hlmcpdev"}
"""Token prefixes of the servers."""

SERVER_PATHS: Mapping[str, McpServer] = {
    "/mcp": McpServer.USER,
    "/mcp/developer": McpServer.DEVELOPER,
    "/api/mcp": McpServer.USER,
    "/api/mcp/developer": McpServer.DEVELOPER,
}
"""Paths of the servers below the base address."""

_SERVER_BY_PREFIX = {prefix: server for server, prefix in SERVER_TOKEN_PREFIXES.items()}


def get_token_audience(token: str) -> McpServer | None:
    """Return the only server that a token is valid for; None for a general token."""
    return _SERVER_BY_PREFIX.get(token.partition("_")[0])


def require_audience(token: str, server: McpServer | None) -> None:
    """Raise `INVALID_TOKEN` if a token is used at the wrong server.

    `server` is None for other interfaces.
    """
    audience = get_token_audience(token)
    if audience is not None and audience is not server:
        raise INVALID_TOKEN()
