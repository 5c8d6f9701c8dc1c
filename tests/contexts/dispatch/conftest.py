"""The application for tests of dispatch."""

from collections.abc import AsyncIterator

import pytest
from tests.app import App, an_app


@pytest.fixture
async def app(database_url: str) -> AsyncIterator[App]:
    """A running house on each database, with its people and no orders."""
    async with an_app(database_url) as running:
        yield running
