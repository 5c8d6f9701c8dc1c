"""A database with the tables of `sample_tables`."""

from collections.abc import AsyncIterator

import pytest
from tests.kernel.data.sample_tables import sample_metadata
from tests.support.databases import make_tables

from haulier.adapters.database import database_for
from haulier.kernel.data.unit_of_work import Database


@pytest.fixture
async def stock(database_url: str) -> AsyncIterator[Database]:
    """Yield an open database with empty tables of crates, pieces, labels and zones."""
    await make_tables(database_url, sample_metadata)
    database = database_for(database_url)
    await database.open()
    yield database
    await database.close()
