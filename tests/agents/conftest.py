"""Agent tasks: each test is done over real HTTP with the official client.

SQLite only: other tests cover the tools on both databases; here the question is whether a task can be done with them.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.agents.agent_world import AgentWorld
from tests.api.mcp.mcp_servers import serve_mcp
from tests.support import databases
from tests.support.app import make_app


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[AgentWorld]:
    async with make_app(databases.migrated_file(tmp_path)) as app, serve_mcp(app.application) as base:
        yield AgentWorld(app, base)
