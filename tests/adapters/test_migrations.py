"""Migrations on both databases, forwards and backwards."""

import asyncio
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import asyncpg
import pytest
from tests.support.databases import CHOSEN, cluster

from haulier.adapters import migrations
from haulier.adapters.database import database_for
from haulier.adapters.new_schema import upgrade_to_newest_revision
from haulier.adapters.revisions import LAST_COMMIT_BEFORE_BASELINE, OutdatedDatabase, known_revisions
from haulier.app import load_tables
from haulier.health import list_pending_revisions
from haulier.kernel.data.tables import metadata, tenant_tables


@pytest.fixture(params=CHOSEN)
def nothing(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return the URL of an untouched database."""
    load_tables()
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'new.db'}"
    else:
        with cluster().nothing() as url:
            yield url


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a history with one generated revision that creates every declared table."""
    load_tables()
    folder = tmp_path_factory.mktemp("generated") / "migrations"
    with pytest.MonkeyPatch.context() as monkeypatch:
        _without_revisions(folder, monkeypatch)
        file = migrations.autogenerate_revision("everything at once")
    assert file == folder / "versions" / "0001_everything_at_once.py"
    return folder


@pytest.fixture
def everything(generated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that history, in force."""
    folder = tmp_path / "everything"
    shutil.copytree(generated, folder)
    monkeypatch.setattr(migrations, "MIGRATIONS_FOLDER", folder)
    return folder


@pytest.fixture
def one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A history whose one revision makes a table, in force."""
    _with_one_revision(tmp_path / "one_table", monkeypatch, "'parcel', sa.Column('id', sa.Integer(), primary_key=True)")


@pytest.fixture
def depot_by_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A history whose one revision makes a declared table with another key, in force."""
    columns = "'depot', sa.Column('id', sa.Integer(), primary_key=True), sa.Column('client_id', sa.BigInteger())"
    _with_one_revision(tmp_path / "depot_by_id", monkeypatch, columns)


def _with_one_revision(folder: Path, monkeypatch: pytest.MonkeyPatch, table: str) -> None:
    _without_revisions(folder, monkeypatch)
    (folder / "versions" / "0001_one_table.py").write_text(
        "import sqlalchemy as sa\n"
        "from alembic import op\n\n"
        "revision, down_revision = '0001', None\n\n\n"
        "def upgrade() -> None:\n"
        f"    op.create_table({table})\n"
    )


@pytest.fixture(scope="module", autouse=True)
def _started() -> None:
    """Start PostgreSQL with the real history, before a test replaces it."""
    if "postgres" in CHOSEN:
        cluster()


def _without_revisions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(migrations.MIGRATIONS_FOLDER, folder, ignore=shutil.ignore_patterns("0*.py", "__pycache__"))
    monkeypatch.setattr(migrations, "MIGRATIONS_FOLDER", folder)


@pytest.mark.usefixtures("depot_by_id")
def test_a_key_that_differs_from_its_declaration_is_detected(nothing: str):
    migrations.upgrade_schema(nothing)
    keys = [difference[1:] for difference in migrations.schema_differences(nothing) if difference[0] == "modify_key"]
    assert keys == ([] if nothing.startswith("sqlite") else [("depot", ("id",), ("client_id", "id"))])


def tables(url: str) -> set[str]:
    async def asked() -> frozenset[str]:
        database = database_for(url)
        await database.open()
        try:
            return await database.table_names()
        finally:
            await database.close()

    return set(asyncio.run(asked())) - {"alembic_version", "sqlite_sequence", "sqlite_stat1", "sqlite_stat4"}


def test_a_database_from_before_the_baseline_is_refused_with_the_required_commit(nothing: str):
    migrations.upgrade_schema(nothing)
    execute(nothing, "UPDATE alembic_version SET version_num = '0090'")
    for refused in (
        lambda: migrations.upgrade_schema(nothing),
        lambda: upgrade_to_newest_revision(nothing),
        lambda: migrations.downgrade_schema(nothing, "base"),
        lambda: migrations.pending_revisions(nothing),
    ):
        with pytest.raises(OutdatedDatabase) as refusal:
            refused()
        assert "0090" in str(refusal.value)
        assert f"commit {LAST_COMMIT_BEFORE_BASELINE} first" in str(refusal.value)
    assert migrations.current_revision(nothing) == "0090"
    assert asyncio.run(_not_ready_revisions(nothing)) == known_revisions()


async def _not_ready_revisions(url: str) -> list[str]:
    database = database_for(url)
    await database.open()
    try:
        return await list_pending_revisions(database)
    finally:
        await database.close()


def execute(url: str, sql: str) -> None:
    """Run one statement on a closed database."""

    async def run() -> None:
        connection = await asyncpg.connect(url)
        try:
            await connection.execute(sql)
        finally:
            await connection.close()

    if url.startswith("sqlite"):
        with apsw.Connection(url.removeprefix("sqlite:///")) as connection:
            connection.execute(sql)
    else:
        asyncio.run(run())


def test_a_generated_revision_creates_the_declared_schema_and_can_be_reverted(nothing: str, everything: Path):
    assert "tables.UTCDateTime()" in (everything / "versions" / "0001_everything_at_once.py").read_text()
    assert (
        "tables.TenantKey('id', name=op.f('pk_delivery_order'))"
        in (everything / "versions" / "0001_everything_at_once.py").read_text()
    )
    assert migrations.current_revision(nothing) is None
    assert migrations.pending_revisions(nothing) == ["0001"]
    migrations.upgrade_schema(nothing)
    assert (migrations.current_revision(nothing), migrations.pending_revisions(nothing)) == ("0001", [])
    assert tables(nothing) == set(metadata.tables)
    assert migrations.schema_differences(nothing) == []
    migrations.downgrade_schema(nothing, "base")
    assert tables(nothing) == set()


@pytest.mark.usefixtures("everything")
def test_a_second_revision_contains_only_new_changes():
    second = migrations.autogenerate_revision("nothing new").read_text()
    assert "down_revision: str | Sequence[str] | None = '0001'" in second
    assert "create_table" not in second


@pytest.mark.usefixtures("one_table")
def test_concurrent_migrations_run_once(nothing: str):
    with ThreadPoolExecutor(3) as threads:
        list(threads.map(migrations.upgrade_schema, [nothing] * 3))
    assert (migrations.current_revision(nothing), tables(nothing)) == ("0001", {"parcel"})


@pytest.mark.usefixtures("one_table")
async def test_migrations_can_be_called_within_a_running_event_loop(nothing: str):
    migrations.upgrade_schema(nothing)
    assert migrations.current_revision(nothing) == "0001"


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)  # SQLite has no row-level security
async def test_every_tenant_table_is_protected_on_postgresql(database_url: str):
    connection = await asyncpg.connect(database_url)
    sql = "SELECT relname FROM pg_class WHERE relrowsecurity AND relforcerowsecurity"
    protected = {row["relname"] for row in await connection.fetch(sql)}
    await connection.close()
    declared = {table.name for table in tenant_tables() if table.info.get("row_level_security", True)}
    assert declared
    assert declared <= protected
    words_alone = [{c.name for c in table.c} for table in tenant_tables() if table.name not in declared]
    assert words_alone == [{"id", "client_id", "words"}] * len(words_alone)
