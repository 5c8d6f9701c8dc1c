"""Agents at work: each test is a task that somebody gave to an agent, done over the real door with the official client.

SQLite only: what the tools do is tested on both databases elsewhere; here it is whether a task can be done with them.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests import databases
from tests.agents.world import World
from tests.app import an_app
from tests.doors.mcp.serving import serving


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with an_app(databases.migrated_file(tmp_path)) as app, serving(app.house) as base:
        yield World(app, base)
