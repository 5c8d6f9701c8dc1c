"""Both MCP servers over the house of made-up operations."""

from collections.abc import AsyncIterator

import httpx
import pytest
from tests.doors.mcp.serving import Servers, serving

from haulier.kernel.house import House


@pytest.fixture
async def servers(house: House) -> AsyncIterator[Servers]:
    async with serving(house) as base, httpx.AsyncClient() as http:
        yield Servers(base, http)
