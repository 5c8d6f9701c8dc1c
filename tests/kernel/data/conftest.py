"""A database with the tables of `things` in it."""

from collections.abc import AsyncIterator

import pytest
from tests.databases import make_tables
from tests.kernel.data.things import things

from haulier.adapters.database import connect
from haulier.kernel.data.work import Database


@pytest.fixture
async def stock(database_url: str) -> AsyncIterator[Database]:
    """An open database with empty tables of crates, pieces, labels and zones."""
    await make_tables(database_url, things)
    database = connect(database_url)
    await database.open()
    yield database
    await database.close()
