"""A house of made-up operations over SQLite: what a door does is the same over either database."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests import databases
from tests.doors.made_up import AskSomebody, a_house

from haulier.adapters.database import connect
from haulier.kernel.house import House


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """An open house with a human to ask."""
    database = connect(databases.migrated_file(tmp_path))
    await database.open()
    yield a_house(database, approvals=AskSomebody())
    await database.close()
