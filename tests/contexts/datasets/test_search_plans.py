"""Every search of records uses an index and a constant number of statements."""

from contextlib import AsyncExitStack
from typing import Any

import apsw
import asyncpg
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import asyncpg as postgresql
from tests.contexts.datasets.makers import import_file, make_dataset
from tests.support import databases
from tests.support.app import App

from haulier.contexts.datasets.records.rules import circle_cells
from haulier.contexts.datasets.records.store.records import records_by_key
from haulier.contexts.datasets.records.store.search import (
    Circle,
    KeyFilter,
    RecordQuery,
    search_params,
    search_statement,
)
from haulier.kernel.data.full_text import owner_prefix
from haulier.kernel.data.statements import get_statements

FILLED = """
INSERT INTO dataset_record (client_id, dataset_id, key, "values", schema_version, version, lat, lng, cell, place, k1,
    created_at, updated_at)
SELECT {client}, {dataset}, '0' || n, '{{}}', 1, 1, 43.0 + n / 1000.0, 10, n * CAST(1000000 AS bigint), 'given',
    '0' || lpad(cast(n as text), 8, '0'), now(), now()
FROM generate_series(1, 20000) n
"""
WORDS_FILLED = """
INSERT INTO dataset_record_words (client_id, id, words) SELECT client_id, id, '{owner}dock {owner}n' || id FROM dataset_record
"""


def searches(dataset_id: int) -> dict[str, tuple[RecordQuery, str]]:
    """Searches of every kind, and the index that serves each."""
    circle = Circle(43.5, 10.0, 2000.0, tuple(circle_cells(43.5, 10.0, 2000.0)))
    words = [[f"{owner_prefix(dataset_id)}n77*"]]
    middle = {"after": ("000010000", 10_000)}
    one: dict[str, Any] = {"dataset_id": dataset_id}
    return {
        "newest first": (RecordQuery(**one), "pk_dataset_record|ix_dataset_record_id"),
        "a later page": (RecordQuery(**one, **middle), "pk_dataset_record|ix_dataset_record_id"),
        "sorted": (RecordQuery(**one, sort="k1"), "ix_dataset_record_k1"),
        "sorted, a later page": (RecordQuery(**one, sort="k1", **middle), "ix_dataset_record_k1"),
        "by key": (RecordQuery(**one, filters=(KeyFilter(column="key", equals="07"),)), "uq_dataset_record"),
        "equal": (RecordQuery(**one, filters=(KeyFilter(column="k1", equals="000000007"),)), "ix_dataset_record_k1"),
        "between": (
            RecordQuery(**one, sort="k1", filters=(KeyFilter(column="k1", least="000000007", most="000000009"),)),
            "ix_dataset_record_k1",
        ),
        "near": (RecordQuery(**one, circle=circle, sort="distance"), "ix_dataset_record_cell"),
        "words": (RecordQuery(**one, words=words), "dataset_record_words_full_text"),
        "equal, sorted by another field, few": (
            RecordQuery(**one, sort="k2", filters=(KeyFilter(column="k1", equals="000000007"),)),
            "ix_dataset_record_k1",
        ),
        "words, sorted by a field": (RecordQuery(**one, sort="k1", words=words), "dataset_record_words_full_text"),
        "unplaced": (RecordQuery(**one, place="none"), "ix_dataset_record_place"),
    }


async def test_each_search_is_served_by_an_index(app: App) -> None:
    dataset_id = await make_dataset(app)
    explain = _on_sqlite if app.database.dialect == "sqlite" else _on_postgresql
    plans = await explain(app, dataset_id)
    assert "key=?" in plans["by many keys"] or "uq_dataset_record" in plans["by many keys"], plans["by many keys"]
    faults = {
        name: plans[name]
        for name, (_, index) in searches(dataset_id).items()
        if "SCAN dataset_record" in plans[name].replace("SCAN dataset_record_words_full_text", "")
        or "Seq Scan" in plans[name]
        or not any(each in plans[name] for each in [*index.split("|"), *SQLITE_NAMES.get(index, [])])
    }
    assert faults == {}


def statements_of(dataset_id: int) -> dict[str, tuple[Any, Any]]:
    """Return search statements with parameters, and the lookups of an import."""
    found: dict[str, tuple[Any, Any]] = {
        name: (search_statement(query, 51, few="sorted by" in name), search_params(query))
        for name, (query, _) in searches(dataset_id).items()
    }
    return {**found, "by many keys": (records_by_key, {"dataset": dataset_id, "keys": ["07", "08"]})}


SQLITE_NAMES = {
    "uq_dataset_record": ["sqlite_autoindex_dataset_record_"],
    "pk_dataset_record|ix_dataset_record_id": ["INTEGER PRIMARY KEY"],
}
"""Names of automatic indexes in SQLite."""


async def _on_sqlite(app: App, dataset_id: int) -> dict[str, str]:
    connection = apsw.Connection(app.database_url.removeprefix("sqlite:///"))
    statements = get_statements(sqlite.dialect, tenant_filtered=True)
    plans = {}
    for name, (statement, params) in statements_of(dataset_id).items():
        prepared, literals = statements.prepare(statement)
        values = prepared.bind({**literals, **params, "_client": app.clients["demo"]})
        plans[name] = " / ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {prepared.sql}", values))
    connection.close()
    return plans


async def _on_postgresql(app: App, dataset_id: int) -> dict[str, str]:
    """As the role of the application, which row-level security binds."""
    cluster, statements = databases.cluster(), get_statements(postgresql.dialect, tenant_filtered=True)
    cluster.ask(FILLED.format(client=app.clients["demo"], dataset=dataset_id))
    cluster.ask(WORDS_FILLED.format(owner=owner_prefix(dataset_id)))
    cluster.ask("ANALYZE dataset_record")
    cluster.ask("ANALYZE dataset_record_words")
    connection = await asyncpg.connect(cluster.url())
    await connection.execute(f"SET haulier.client = '{app.clients['demo']}'")
    plans = {}
    for name, (statement, params) in statements_of(dataset_id).items():
        prepared, literals = statements.prepare(statement)
        values = prepared.bind({**literals, **params, "_client": app.clients["demo"]})
        plans[name] = " / ".join(row[0] for row in await connection.fetch(f"EXPLAIN {prepared.sql}", *values))
    await connection.close()
    return plans


async def test_a_search_uses_a_constant_number_of_statements(app: App) -> None:
    dataset_id = await make_dataset(app)
    counts = []
    for first in (0, 100):
        rows = "".join(f"R{n:04},{n},Dock {n}\n" for n in range(first, first + 100))
        await import_file(app, dataset_id, "csv", f"code,bays,name\n{rows}")
        before = app.statements
        request = {"dataset_id": dataset_id, "search": "dock", "sort": "bays", "per_page": 200, "with_total": True}
        answer = await app.answer("admin", "search_dataset_records", request)
        counts.append((app.statements - before, answer.total == first + 100))
    assert counts[0] == (counts[1][0], True)
    assert counts[1][1]


async def test_an_import_uses_few_statements_for_many_rows(app: App) -> None:
    dataset_id = await make_dataset(app)
    counts = []
    async with AsyncExitStack() as stack:
        await app.application.test_businesses.listen(stack)
        await import_file(app, dataset_id, "csv", "code,bays\nFIRST,1\n")
        for first in (0, 1000):
            rows = "".join(f"R{n:04},{n}\n" for n in range(first, first + 400))
            before = app.statements
            await import_file(app, dataset_id, "csv", f"code,bays\n{rows}")
            counts.append(app.statements - before)
    assert counts[0] == counts[1] < 70
