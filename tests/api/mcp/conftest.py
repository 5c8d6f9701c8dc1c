"""Both MCP servers over the sample operations."""

from collections.abc import AsyncIterator

import httpx
import pytest
from tests.api.mcp.mcp_servers import McpClient, serve_mcp

from haulier.kernel.application import Application


@pytest.fixture
async def servers(application: Application) -> AsyncIterator[McpClient]:
    async with serve_mcp(application) as base, httpx.AsyncClient(timeout=60) as http:
        yield McpClient(base, http)
