"""Sample operations over SQLite: interfaces behave the same on either database."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.api.sample_app import RecordingApprovals, make_sample_app
from tests.support import databases

from haulier.adapters.database import database_for
from haulier.kernel.application import Application


@pytest.fixture
async def application(tmp_path: Path) -> AsyncIterator[Application]:
    """An open house with a human to ask."""
    database = database_for(databases.migrated_file(tmp_path))
    await database.open()
    yield make_sample_app(database, approvals=RecordingApprovals())
    await database.close()
