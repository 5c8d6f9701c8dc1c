"""A database of its own for tests that change its schema."""

import asyncio
from typing import Any

import pytest
from tests.support import databases
from tests.support.app import make_app


@pytest.fixture(params=sorted(databases.CHOSEN))
async def separate(request: pytest.FixtureRequest, tmp_path: Any) -> Any:
    """An application over a database of its own, whose schema the test changes."""
    if request.param == "sqlite":
        async with make_app(databases.migrated_file(tmp_path)) as app:
            yield app
        return
    with databases.cluster().nothing() as url:
        await asyncio.to_thread(databases.migrate, url)
        async with make_app(url) as app:
            yield app
