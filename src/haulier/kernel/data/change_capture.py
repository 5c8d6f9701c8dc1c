"""A unit of work that records its changes, for the preview of a dry run.

It reads rows before and after each write, so it is slower than a normal one.
"""

import re
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from msgspec import Struct, to_builtins
from sqlalchemy import Delete, Insert, LargeBinary, Table, Update, bindparam, select, true
from sqlalchemy.sql.base import Executable

from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import CLIENT_ID, is_derived
from haulier.kernel.data.unit_of_work import R, UnitOfWork

MAX_LISTED_CHANGES = 200
"""Maximum number of changed records that a dry run lists."""
KERNEL_TABLES = {"job", "audit_entry", "audit_subject", "idempotency_key"}
"""Kernel tables that are not listed: jobs appear as side effects, the others are bookkeeping."""
_SECRET = re.compile("secret|password|hash|token|sha256|cipher|api_key|private_key")
ColumnValues = Mapping[str, Any]


class RecordChange(Struct, frozen=True, kw_only=True):
    """Changed columns of one record.

    A new record has no `before`, a deleted one no `after`.
    """

    record: str
    id: int | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class ChangeLog:
    """The records that a unit of work changed, with their first and latest values."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, Any], tuple[Table, ColumnValues | None, ColumnValues | None]] = {}

    def note(self, table: Table, before: ColumnValues | None, after: ColumnValues | None) -> None:
        """Record the change of one record."""
        if table.name in KERNEL_TABLES or is_derived(table):
            return
        row = before or after or {}
        key = table.name, tuple(row.get(column.name, len(self._seen)) for column in table.primary_key)
        if key in self._seen:
            before = self._seen[key][1]
        self._seen[key] = table, before, after

    def add(self, later: "ChangeLog") -> None:
        """Add the changes of another log of the same transaction."""
        for table, before, after in later._seen.values():
            self.note(table, before, after)

    def snapshot(self) -> "ChangeLog":
        """Return a copy of the log, to restore it after a rollback."""
        copy = ChangeLog()
        copy._seen = dict(self._seen)
        return copy

    def restore(self, earlier: "ChangeLog") -> None:
        """Restore an earlier state of the log."""
        self._seen = dict(earlier._seen)

    def all(self) -> list[RecordChange]:
        """Return all records that differ now, ordered by their first change."""
        changes = (_record_change(*entry) for entry in self._seen.values())
        return [change for change in changes if change]


class RecordingUnitOfWork(UnitOfWork):
    """A unit of work that records its changes.

    It also records those made without the tenant filter.
    """

    __slots__ = ("changes",)

    def __init__(self, work: UnitOfWork, changes: ChangeLog | None = None) -> None:
        for name in UnitOfWork.__slots__:
            setattr(self, name, getattr(work, name))
        self.changes = changes or ChangeLog()

    async def run(self, statement: Executable, /, **params: Any) -> int:
        """Run a write and return the number of changed rows."""
        before = await self._matching(statement, params)
        changed = await super().run(statement, **params)
        await self._compare(statement, before)
        return changed

    async def run_many(self, statement: Executable, rows: Sequence[Mapping[str, Any]], /) -> None:
        """Run a write once per row of parameters."""
        before = {id: row for params in rows for id, row in (await self._matching(statement, params)).items()}
        await super().run_many(statement, rows)
        await self._compare(statement, before)

    async def insert(self, table: Table, /, **values: Any) -> int:
        """Insert a row and return its `id`."""
        id = await super().insert(table, **values)
        self.changes.note(table, None, {**values, "id": id})
        return id

    async def insert_many(self, table: Table, rows: Sequence[Mapping[str, Any]], /) -> list[int]:
        """Insert rows and return their ids."""
        ids = await super().insert_many(table, rows)
        named: Iterable[ColumnValues] = [{"id": id} for id in ids] or [{} for _ in rows]
        for row, name in zip(rows, named, strict=True):
            self.changes.note(table, None, {**row, **name})
        return ids

    async def insert_later(self, table: Table, rows: Sequence[Mapping[str, Any]], /) -> None:
        """Insert rows immediately, because a listed change includes its `id`."""
        await self.insert_many(table, rows)

    async def insert_new(
        self,
        table: Table,
        rows: Sequence[Mapping[str, Any]],
        row_type: type[Row] | None = None,
        /,
        *,
        returning: tuple[str, ...] = (),
    ) -> list[Any]:
        """Insert the rows whose unique keys are free and return them with all columns."""
        written = await super().insert_new(table, rows)
        for row in written:
            given = {name: value for name, value in row._asdict().items() if name in rows[0] or name == "id"}
            self.changes.note(table, None, given)
        return written

    @property
    def writes_within_with(self) -> bool:
        """False, because changes are recorded per statement and table."""
        return False

    async def insert_selected(self, statement: Insert, row_type: type[R], /, **params: Any) -> list[R]:
        """Run an INSERT from a SELECT and return the new rows."""
        written: list[Any] = await super().insert_selected(statement, row_type, **params)
        table: Any = statement.table
        for row in written:
            values = {name: value for name, value in row._asdict().items() if value is not None}
            self.changes.note(table, None, values)
        return written

    async def upsert_many(self, table: Table, key: Collection[str], rows: Sequence[Mapping[str, Any]], /) -> None:
        """Insert rows, or update those with the same keys."""
        same_key = select(table).where(*(table.c[name] == bindparam(name) for name in key))
        keys = [{name: row[name] for name in key} for row in rows]
        before = [await self.first(same_key, **each) for each in keys]
        await super().upsert_many(table, key, rows)
        for old, each in zip(before, keys, strict=True):
            new: ColumnValues = (await self.all(same_key, **each))[0]._asdict()
            written = {name: value for name, value in new.items() if value is not None}
            self.changes.note(table, old and old._asdict(), new if old else written)

    def without_tenant_filter(self, reason: str) -> "RecordingUnitOfWork":
        """Return the same transaction without the tenant filter."""
        return RecordingUnitOfWork(super().without_tenant_filter(reason), self.changes)

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None]:
        """Open a savepoint. An exception rolls back its statements and recorded changes."""
        before = self.changes.snapshot()
        try:
            async with super().savepoint():
                yield
        except BaseException:
            self.changes.restore(before)
            raise

    async def _matching(self, statement: Executable, params: Mapping[str, Any]) -> dict[int, ColumnValues]:
        """Return the records that a statement is about to change, by id."""
        if not isinstance(statement, Update | Delete) or "id" not in statement.table.c:
            return {}
        condition = true() if statement.whereclause is None else statement.whereclause
        rows = select(statement.table).where(condition)
        names = self._statements.prepare(rows)[0].names
        records = await self.all(rows, **{name: value for name, value in params.items() if name in names})
        return {row.id: row._asdict() for row in records}

    async def _compare(self, statement: Executable, before: dict[int, ColumnValues]) -> None:
        table: Any = getattr(statement, "table", None)
        after: dict[int, ColumnValues] = {}
        if before and isinstance(statement, Update):
            rows = await self.all(select(table).where(in_param(table.c.id, "ids")), ids=list(before))
            after = {row.id: row._asdict() for row in rows}
        for id, row in before.items():
            self.changes.note(table, row, after.get(id))


def _record_change(table: Table, before: ColumnValues | None, after: ColumnValues | None) -> RecordChange | None:
    old, new = _visible_columns(table, before), _visible_columns(table, after)
    if old and new:
        differing = [name for name in new if old.get(name) != new[name]]
        old, new = ({name: row.get(name) for name in differing} for row in (old, new))
    if not old and not new:
        return None
    return RecordChange(
        record=str(table.name), id=(before or after or {}).get("id"), before=old or None, after=new or None
    )


def _visible_columns(table: Table, row: ColumnValues | None) -> dict[str, Any]:
    """Return the columns of a row that may be shown: no keys, bytes, secrets or nulls."""
    hidden = {"id", CLIENT_ID} | {
        column.name for column in table.c if isinstance(column.type, LargeBinary) or _SECRET.search(column.name)
    }
    return {str(name): _plain_value(table, name, value) for name, value in (row or {}).items() if name not in hidden}


def _plain_value(table: Table, name: str, value: Any) -> Any:
    """Return a value in plain form; enum columns return the name of the member."""
    members = table.c[name].info.get("enum")
    return to_builtins(value) if members is None or value is None else members(value).name
