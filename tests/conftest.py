"""Fixtures of all tests.

`database` and `database_url` run a test on SQLite and on PostgreSQL."""

import gc
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from tests.support import databases, routing
from tests.support import hypothesis_profiles as hypothesis_profiles
from tests.support.app import App, make_app
from tests.support.both_databases import pytest_collection_modifyitems as pytest_collection_modifyitems
from tests.support.citus import citus
from tests.support.declared_errors import errors_are_declared as errors_are_declared
from tests.support.declared_errors import watched_errors as watched_errors
from tests.support.replay import recorded_calls as recorded_calls
from tests.support.replay import replayed_on_postgres as replayed_on_postgres
from tests.support.skips import pytest_make_collect_report as pytest_make_collect_report
from tests.support.skips import pytest_runtest_makereport as pytest_runtest_makereport

from haulier.adapters.database import database_for
from haulier.contexts.identity.accounts import actions
from haulier.kernel.data.unit_of_work import Database

os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # compiling takes half a minute and proves nothing more


def pytest_configure() -> None:
    """Stop the PostgreSQL of a run that is terminated."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    gc.disable()  # collection makes no garbage, and searching for it takes a sixth of the time


def pytest_collection_finish() -> None:
    # Full collections of the application and all cases would take a tenth of a run.
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_unconfigure() -> None:
    """Leave nothing running."""
    databases.leave()
    if citus.cache_info().currsize:
        citus().close()


@pytest.fixture(scope="session", autouse=True)
def _cheap_passwords() -> None:
    """Hash passwords as cheaply as argon2 allows."""
    actions.use_hasher(PasswordHash((Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1),)))


@pytest.fixture(scope="session", autouse=True)
def _statements_have_a_route() -> Iterator[None]:
    """Fail on statements that a distributed database could not route."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        routing.watch_statements(monkeypatch)
        yield


@pytest.fixture(params=databases.CHOSEN)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database, migrated to head."""
    if request.param == "sqlite":
        yield databases.migrated_file(tmp_path)
    else:
        database = citus() if request.param == "citus" else databases.cluster()
        yield database.url()
        database.sweep()


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """An open database, migrated to head."""
    database = database_for(database_url)
    await database.open()
    yield database
    await database.close()


@pytest.fixture
async def app(database_url: str) -> AsyncIterator[App]:
    """The whole application over a migrated database, with the people of two clients."""
    async with make_app(database_url) as app:
        yield app


@pytest.fixture
async def sqlite_app(tmp_path: Path) -> AsyncIterator[App]:
    """Yield the application over SQLite, for rules that no database decides."""
    async with make_app(databases.migrated_file(tmp_path)) as app:
        yield app
