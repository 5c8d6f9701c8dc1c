"""Copy of all rows from SQLite to PostgreSQL, with counts and checksums.

Rows are committed in parts, each with its progress, so that a copy that was killed continues after its last part. A
table is done once the target has the checksum of its source. The checksum adds the digests of all rows, so it does
not depend on their order.
"""

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from hashlib import blake2b
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import msgspec
from sqlalchemy import BigInteger, Boolean, Column, MetaData, Table, Text, bindparam, literal, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import insert

from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import UTCDateTime, key_columns
from haulier.kernel.data.unit_of_work import Database, UnitOfWork

BATCH = 1000
"""Rows that are read and inserted at once."""
COMMIT_EVERY = 50_000
"""Rows of a table in one transaction, which an interrupted copy loses at most."""
PLAIN = frozenset({bool, bytes, date, datetime, int, str, type(None)})
"""Types whose values look the same on both databases."""
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

    def plus(self, rows: Sequence[Mapping[str, Any]]) -> "TableSum":
        """Return the sum with more rows, which have the same columns."""
        names = sorted(rows[0]) if rows else []
        checksum = self.checksum + sum(_digest([row[name] for name in names]) for row in rows)
        return TableSum(self.rows + len(rows), checksum & MASK)

    def __str__(self) -> str:
        return f"{self.rows} rows, {self.checksum:016x}"


def _digest(values: Iterable[Any]) -> int:
    text = msgspec.json.encode([value if type(value) in PLAIN else _canonical(value) for value in values])
    return int.from_bytes(blake2b(text, digest_size=8).digest())


def _canonical(value: Any) -> Any:
    """Return a value in one form for both databases.

    JSONB sorts members and shortens numbers.
    """
    if isinstance(value, dict):
        return {key: _canonical(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_canonical(each) for each in value]
    if isinstance(value, float | Decimal) and value == int(value):
        return int(value)
    return value


class TableProgress(Row):
    """Rows of a table that are committed in the target, up to a key."""

    table_name: str
    rows: int
    checksum: str
    last_key: str
    verified: bool


progress_table = Table(
    "database_copy",
    MetaData(),
    Column("table_name", Text, primary_key=True),
    Column("rows", BigInteger, nullable=False),
    Column("checksum", Text, nullable=False),
    Column("last_key", Text, nullable=False),
    Column("verified", Boolean, nullable=False),
)
"""Progress in the target, which is dropped at the end."""
CREATE_PROGRESS_SQL = """CREATE TABLE IF NOT EXISTS database_copy (table_name text PRIMARY KEY, rows bigint NOT NULL,
    checksum text NOT NULL, last_key text NOT NULL, verified boolean NOT NULL)"""
DROP_PROGRESS_SQL = "DROP TABLE IF EXISTS database_copy"
_new = insert(progress_table).values({column.name: bindparam(f"_{column.name}") for column in progress_table.c})
_set_progress = _new.on_conflict_do_update(
    index_elements=["table_name"],
    set_={name: _new.excluded[name] for name in ("rows", "checksum", "last_key", "verified")},
)


class Copy:
    """One run of a copy.

    `on_table(table, sum, copied_before)` is called after each table, and `on_part(table, sum)` after each commit.
    """

    def __init__(
        self,
        source: Database,
        target: Database,
        on_table: Callable[[Table, TableSum, bool], None],
        on_part: Callable[[Table, TableSum], None],
        commit_every: int = COMMIT_EVERY,
    ) -> None:
        self._source, self._target = source, target
        self._on_table, self._on_part = on_table, on_part
        self._commit_every = commit_every

    async def run(self, tables: Sequence[Table]) -> None:
        """Copy every row of the tables. Nothing is deleted. Raises `NotCopyable`."""
        chosen = [table for table in tables if table.name not in EXCLUDED]
        version = self._source.version()
        async with self._target.read(None) as work:
            begun = {each.table_name: each for each in await work.all(select(progress_table), TableProgress)}
        copied = {table: await self._copy_table(table, begun.get(table.name)) for table in chosen}
        if not begun and self._source.version() == version:
            return  # no other process has written, and this one does not
        changed = [table.name for table, total in copied.items() if await sum_table(self._source, table) != total]
        if changed:
            raise NotCopyable(
                f"the source has changed meanwhile in {', '.join(changed)}: stop its workers, then repeat with an empty"
                " database"
            )

    async def _copy_table(self, table: Table, begun: TableProgress | None) -> TableSum:
        """Copy the rows that the target does not have. Return the sum of all."""
        existing = TableSum() if begun else await sum_table(self._target, table)
        is_copied = begun.verified if begun else existing.rows > 0
        if begun and is_copied:
            total = _sum_of(begun)
        elif is_copied:
            total = await sum_table(self._source, table)
            if existing != total:
                raise NotCopyable(
                    f"{table.name} has other rows in the target ({existing}) than in the source ({total}): use an empty"
                    " database"
                )
        else:
            total = await self._copy_rows(table, begun)
            is_copied = not total.rows
        self._on_table(table, total, is_copied)
        return total

    async def _copy_rows(self, table: Table, begun: TableProgress | None) -> TableSum:
        total, last = (_sum_of(begun), _decoded_key(table, begun.last_key)) if begun else (TableSum(), None)
        async with self._source.read(None) as read:
            reader = read.without_tenant_filter(REASON)
            while True:
                rows_before = total.rows
                async with self._target.write(None) as plain:
                    work = plain.without_tenant_filter(REASON)
                    async for rows in _batches(reader, table, last, self._commit_every):
                        await work.insert_many(table, rows)
                        total = total.plus(rows)
                        last = [rows[-1][name] for name in _key_of(reader, table)]
                    if last is not None:
                        await _write_progress(work, table, total, last, verified=False)
                if total.rows - rows_before < self._commit_every:
                    break
                self._on_part(table, total)
        written = await sum_table(self._target, table)
        if written != total:
            raise NotCopyable(
                f"{table.name} was copied as {written} instead of {total}: stop the source and repeat with an empty"
                " database"
            )
        if last is not None:
            async with self._target.write(None) as work:
                await _write_progress(work, table, total, last, verified=True)
        return total


def _sum_of(progress: TableProgress) -> TableSum:
    return TableSum(progress.rows, int(progress.checksum, 16))


async def _write_progress(
    work: UnitOfWork, table: Table, total: TableSum, last: Sequence[Any], *, verified: bool
) -> None:
    await work.run(
        _set_progress,
        _table_name=table.name,
        _rows=total.rows,
        _checksum=f"{total.checksum:016x}",
        _last_key=msgspec.json.encode(last).decode(),
        _verified=verified,
    )


def _decoded_key(table: Table, text: str) -> list[Any]:
    columns = [table.c[name] for name in _source_key(table)]
    values = msgspec.json.decode(text)
    return [
        msgspec.convert(value, datetime) if isinstance(column.type, UTCDateTime) else value
        for column, value in zip(columns, values, strict=True)
    ]


async def sum_table(database: Database, table: Table) -> TableSum:
    """Return the number of rows of a table and their checksum."""
    total = TableSum()
    async with database.read(None) as work:
        async for rows in _batches(work.without_tenant_filter(REASON), table):
            total = total.plus(rows)
    return total


async def _batches(
    work: UnitOfWork, table: Table, last: Sequence[Any] | None = None, limit: int | None = None
) -> AsyncGenerator[list[dict[str, Any]]]:
    """Yield at most `limit` rows of a table after a key, in the order of its key."""
    key: list[Column[Any]] = [table.c[name] for name in _key_of(work, table)]
    names, statement, left = table.c.keys(), select(table).order_by(*key), limit
    while left is None or left > 0:
        size = BATCH if left is None else min(BATCH, left)
        after = statement
        if last is not None:
            reached = (literal(value, column.type) for value, column in zip(last, key, strict=True))
            after = statement.where(tuple_(*key) > tuple_(*reached))
        rows = [dict(zip(names, row, strict=True)) for row in await work.all(after.limit(size))]
        if rows:
            yield rows
            last = [rows[-1][column.name] for column in key]
        if len(rows) < size:
            return
        left = None if left is None else left - len(rows)


def _key_of(work: UnitOfWork, table: Table) -> tuple[str, ...]:
    return _source_key(table) if work.on_sqlite else key_columns(table, postgresql.dialect())


def _source_key(table: Table) -> tuple[str, ...]:
    return key_columns(table, sqlite.dialect())


async def create_progress(target: str) -> None:
    """Create the table of progress in the target."""
    await _run_on_target(target, CREATE_PROGRESS_SQL)


async def drop_progress(target: str) -> None:
    """Remove the table of progress after the copy."""
    await _run_on_target(target, DROP_PROGRESS_SQL)


async def _run_on_target(target: str, sql: str) -> None:
    connection: Any = await asyncpg.connect(target)
    try:
        await connection.execute(sql)
    finally:
        await connection.close()


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
