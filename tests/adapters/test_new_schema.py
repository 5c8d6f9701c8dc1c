"""The schema of a new database equals that of all revisions."""

import asyncio
import gzip
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import pytest
from tests.support.databases import CHOSEN, cluster

from haulier.adapters import migrations
from haulier.adapters.new_schema import make_schema, upgrade_to_newest_revision
from haulier.adapters.revisions import known_revisions, newest_revision
from haulier.app import load_tables

NewDatabase = Callable[[], str]

SQLITE = {
    "tables": "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = 'main'",
    "columns": """SELECT t.name, c.name, c.type, c."notnull",
        replace(c.dflt_value, 'false', '0'), c.pk, c.hidden
        FROM pragma_table_list t, pragma_table_xinfo(t.name) c WHERE t.schema = 'main'""",
    "autoincrement": "SELECT name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'",
    "checks": "SELECT name, sql LIKE '%CHECK%', sql LIKE '%COLLATE%' FROM sqlite_schema WHERE type = 'table'",
    "indexes": """SELECT t.name, i.name, i."unique", i.origin, i.partial, x.seqno, x.name, x."desc", x.coll
        FROM pragma_table_list t, pragma_index_list(t.name) i, pragma_index_xinfo(i.name) x
        WHERE t.schema = 'main' AND x.key AND i.name NOT LIKE 'sqlite_autoindex%'""",
    "unique": """SELECT t.name, i.origin, group_concat(x.name) FROM pragma_table_list t, pragma_index_list(t.name) i,
        pragma_index_info(i.name) x WHERE t.schema = 'main' AND i.name LIKE 'sqlite_autoindex%' GROUP BY t.name, i.name""",
    "partial indexes": "SELECT name, substr(sql, instr(sql, ' WHERE ')) FROM sqlite_schema WHERE sql LIKE '% WHERE %'",
    "foreign keys": """SELECT t.name, f.* FROM pragma_table_list t, pragma_foreign_key_list(t.name) f""",
    "others": "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view')",
    "revision": "SELECT version_num FROM alembic_version",
}
"""SQLite's description of a schema. Column order is ignored: no statement depends on it."""

SQLITE_OWN_TABLES = ("sqlite_schema", "sqlite_sequence", "sqlite_stat1", "sqlite_stat4")

OURS = "n.nspname = current_schema()"
POSTGRES = {
    "tables": f"""SELECT relname, relkind, relpersistence, relrowsecurity, relforcerowsecurity, reloptions::text,
        pg_get_partkeydef(c.oid), pg_get_expr(relpartbound, c.oid)
        FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE {OURS} AND relkind <> 'i'""",
    "columns": f"""SELECT relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated,
        attcollation, attstorage, pg_get_expr(adbin, adrelid)
        FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
        LEFT JOIN pg_attrdef d ON d.adrelid = attrelid AND adnum = attnum
        WHERE {OURS} AND attnum > 0 AND NOT attisdropped AND relkind IN ('r', 'p')""",
    "constraints": f"""SELECT conrelid::regclass::text, CASE WHEN contype <> 'n' THEN conname END, contype,
        pg_get_constraintdef(c.oid) FROM pg_constraint c JOIN pg_namespace n ON n.oid = connamespace WHERE {OURS}""",
    "indexes": "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()",
    "policies": "SELECT tablename, policyname, cmd, roles::text, qual, with_check FROM pg_policies",
    "others": f"""SELECT proname FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE {OURS}
        UNION ALL SELECT tgname FROM pg_trigger WHERE NOT tgisinternal""",
    "sequences": """SELECT sequencename, data_type::text || start_value || increment_by || cycle FROM pg_sequences
        WHERE schemaname = current_schema()""",
    "revision": "SELECT version_num FROM alembic_version",
}
"""PostgreSQL's description of a schema."""


@pytest.fixture(params=CHOSEN)
def new_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[NewDatabase]:
    """Makes databases in which there is nothing; of PostgreSQL one at a time."""
    load_tables()
    with ExitStack() as stack:

        def make() -> str:
            if request.param == "sqlite":
                return f"sqlite:///{tmp_path / f'{len(list(tmp_path.iterdir()))}.db'}"
            stack.close()
            return stack.enter_context(cluster().nothing())

        yield make


def described_schema(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return the schema of a database in a stable order."""
    if url.startswith("sqlite"):
        connection = apsw.Connection(url.removeprefix("sqlite:///"))
        found = {topic: list(connection.execute(sql)) for topic, sql in SQLITE.items()}
        connection.close()
    else:
        found = asyncio.run(_described_by_postgres(url))
    return {topic: sorted((tuple(row) for row in rows), key=repr) for topic, rows in found.items()}


async def _described_by_postgres(url: str) -> dict[str, list[Any]]:
    connection = await asyncpg.connect(url)
    try:
        return {topic: await connection.fetch(sql) for topic, sql in POSTGRES.items()}
    finally:
        await connection.close()


def test_the_initial_schema_equals_the_result_of_all_revisions(new_database: NewDatabase) -> None:
    url = new_database()
    migrations.upgrade_schema(url)
    assert migrations.pending_revisions(url) == []
    by_revisions = described_schema(url)
    url = new_database()
    assert make_schema(url)
    at_once = described_schema(url)
    differing = {
        topic: {"at once": set(at_once[topic]) - set(rows), "by revisions": set(rows) - set(at_once[topic])}
        for topic, rows in by_revisions.items()
        if at_once[topic] != rows
    }
    assert differing == {}


def test_all_revisions_can_be_reverted(new_database: NewDatabase) -> None:
    url = new_database()
    make_schema(url)
    assert migrations.current_revision(url) == newest_revision()
    assert migrations.schema_differences(url) == []
    migrations.downgrade_schema(url, "base")
    left = described_schema(url)
    assert {row[0] for row in left["tables"]} <= {"alembic_version", "alembic_version_pkc", *SQLITE_OWN_TABLES}
    assert left["revision"] == left["others"] == []


def test_a_database_of_an_earlier_revision_is_migrated(new_database: NewDatabase) -> None:
    url = new_database()
    migrations.upgrade_schema(url, known_revisions()[0])
    assert not make_schema(url)
    upgrade_to_newest_revision(url)
    assert migrations.current_revision(url) == newest_revision()
    assert migrations.schema_differences(url) == []


EARLIER_DATABASES = sorted((Path(__file__).parent / "schemas").glob("*.sql.gz"))
"""Dumps of SQLite databases with a few rows, named after their revision. Each release adds its own and none is changed."""


@pytest.mark.parametrize("dump", EARLIER_DATABASES, ids=lambda dump: dump.name[:4])
def test_a_database_of_an_earlier_release_is_upgraded_with_its_rows(dump: Path, tmp_path: Path) -> None:
    load_tables()
    urls = [f"sqlite:///{tmp_path / name}.db" for name in ("earlier", "same_revision", "new")]
    with apsw.Connection(str(tmp_path / "earlier.db")) as connection:
        connection.execute(gzip.decompress(dump.read_bytes()).decode())
    migrations.upgrade_schema(urls[1], dump.name[:4])
    assert described_schema(urls[0]) == described_schema(urls[1])
    upgrade_to_newest_revision(urls[0])
    assert make_schema(urls[2])
    assert described_schema(urls[0]) == described_schema(urls[2])
    with apsw.Connection(str(tmp_path / "earlier.db")) as connection:
        assert connection.execute("SELECT order_ref FROM delivery_order").get == "RELEASE-1"
        found = "SELECT rowid FROM address_words_full_text WHERE address_words_full_text MATCH '\"00001_fro\" *'"
        assert connection.execute(found).get == 1
