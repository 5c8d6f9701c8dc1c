"""Calls of MCP tools."""

from typing import Any

import httpx
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.support.app import App


async def call_tool(app: App, who: str, name: str, **arguments: Any) -> Any:
    """Call a tool and return its structured answer."""
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as http:
        result = await McpClient(base, http).call(name, arguments, app.tokens[who])
    assert not result.get("isError"), result
    return result["structuredContent"]
