"""Copy of all rows from SQLite to PostgreSQL, with counts and checksums.

Each table is one transaction, committed once the copy has the checksum of its source. A repeated run skips tables
that are already equal. The checksum adds the digests of all rows, so it does not depend on their order.
"""

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from hashlib import blake2b
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import msgspec
from sqlalchemy import Column, Table, literal, select, tuple_

from haulier.kernel.data.tables import key_columns
from haulier.kernel.data.unit_of_work import Database, UnitOfWork

BATCH = 1000
"""Rows that are read and inserted at once."""
EXCLUDED = frozenset({"maintenance", "node"})
"""Tables about running servers, which the copy does not have."""
MASK = (1 << 64) - 1
REASON = "every row is copied"
SEQUENCE_SQL = "SELECT setval(pg_get_serial_sequence($1, 'id'), $2)"
LAST_NUMBERS_SQL = "SELECT name, seq FROM sqlite_sequence"


class NotCopyable(Exception):
    """Raised if the database cannot be copied.

    The message contains the reason and the next step.
    """


class TableSum(msgspec.Struct, frozen=True):
    """Number of rows of a table and their checksum."""

    rows: int = 0
    checksum: int = 0

    def plus(self, rows: Iterable[Mapping[str, Any]]) -> "TableSum":
        """Return the sum with more rows."""
        count, checksum = self.rows, self.checksum
        for row in rows:
            count, checksum = count + 1, (checksum + _digest(row)) & MASK
        return TableSum(count, checksum)

    def __str__(self) -> str:
        return f"{self.rows} rows, {self.checksum:016x}"


def _digest(row: Mapping[str, Any]) -> int:
    text = msgspec.json.encode([_canonical(row[name]) for name in sorted(row)])
    return int.from_bytes(blake2b(text, digest_size=8).digest())


def _canonical(value: Any) -> Any:
    """Return a value in one form for both databases.

    JSONB sorts members and shortens numbers.
    """
    if isinstance(value, dict):
        return {key: _canonical(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_canonical(each) for each in value]
    if isinstance(value, datetime):
        return value.timestamp()
    if isinstance(value, float | Decimal) and value == int(value):
        return int(value)
    return value


async def copy_database(
    source: Database,
    target: Database,
    tables: Sequence[Table],
    on_table: Callable[[Table, TableSum, bool], None],
) -> None:
    """Copy every row of the tables.

    `on_table(table, sum, copied_before)` is called after each table. Nothing is deleted. Raises `NotCopyable`.
    """
    chosen = [table for table in tables if table.name not in EXCLUDED]
    copied: dict[str, TableSum] = {}
    for table in chosen:
        expected = await sum_table(source, table)
        existing = await sum_table(target, table)
        if existing != expected:
            if existing.rows:
                raise NotCopyable(
                    f"{table.name} has other rows in the target ({existing}) than in the source ({expected}): use an"
                    " empty database"
                )
            await _copy_table(source, target, table, expected)
        copied[table.name] = expected
        on_table(table, expected, existing == expected)
    changed = [table.name for table in chosen if await sum_table(source, table) != copied[table.name]]
    if changed:
        raise NotCopyable(
            f"the source has changed meanwhile in {', '.join(changed)}: stop its workers, then repeat with an empty database"
        )


async def sum_table(database: Database, table: Table) -> TableSum:
    """Return the number of rows of a table and their checksum."""
    total = TableSum()
    async with database.read(None) as work:
        async for rows in _batches(work.without_tenant_filter(REASON), table):
            total = total.plus(rows)
    return total


async def _copy_table(source: Database, target: Database, table: Table, expected: TableSum) -> None:
    async with target.write(None) as plain, source.read(None) as read:
        work = plain.without_tenant_filter(REASON)
        async for rows in _batches(read.without_tenant_filter(REASON), table):
            await work.insert_many(table, rows)
        written = TableSum()
        async for rows in _batches(work, table):
            written = written.plus(rows)
        if written != expected:
            raise NotCopyable(f"{table.name} was copied as {written} instead of {expected}: stop the source and repeat")


async def _batches(work: UnitOfWork, table: Table) -> AsyncGenerator[list[dict[str, Any]]]:
    """Yield the rows of a table in the order of its key."""
    names = ("id",) if work.on_sqlite and "id" in table.c else _key_of(table)
    key: list[Column[Any]] = [table.c[name] for name in names]
    statement = select(table).order_by(*key).limit(BATCH)
    last: Any = None
    while True:
        after = statement if last is None else statement.where(tuple_(*key) > last)
        rows = [dict(zip(table.c.keys(), row, strict=True)) for row in await work.all(after)]
        if rows:
            yield rows
        if len(rows) < BATCH:
            return
        last = tuple_(*(literal(rows[-1][column.name], column.type) for column in key))


def _key_of(table: Table) -> tuple[str, ...]:
    from sqlalchemy.dialects import postgresql

    return key_columns(table, postgresql.dialect())


async def set_next_numbers(source: Path, target: str) -> None:
    """Let the numbers of new records continue after those of the source."""
    connection = apsw.Connection(f"file:{source}?mode=ro", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    numbers = [*connection.execute(LAST_NUMBERS_SQL)]
    connection.close()
    postgres: Any = await asyncpg.connect(target)
    try:
        known = {row[0] for row in await postgres.fetch("SELECT sequencename FROM pg_sequences")}
        for name, number in numbers:
            if number and f"{name}_id_seq" in known:
                await postgres.execute(SEQUENCE_SQL, name, number)
    finally:
        await postgres.close()
