"""A unit of work that remembers what it changed, row by row: what the preview of a rehearsal is made of.

It looks before and after each write, so it is slower than the plain one and used only where nothing is kept.
"""

import re
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from msgspec import Struct, to_builtins
from sqlalchemy import Delete, LargeBinary, Table, Update, select, true
from sqlalchemy.sql.base import Executable

from haulier.kernel.data.statement import among
from haulier.kernel.data.tables import CLIENT_ID
from haulier.kernel.data.work import Work

LISTED_MAX = 200
"""At most this many changed records are listed, so that a huge rehearsal cannot make a huge answer."""
OF_THE_HOUSE = {"job", "audit_entry", "audit_subject", "idempotency_key"}
"""Tables of the kernel: jobs are shown as letters, the rest is no change that anybody asked for."""
_SECRET = re.compile("secret|password|hash|token|sha256|cipher|api_key|private_key")
Row = Mapping[str, Any]


class Change(Struct, frozen=True, kw_only=True):
    """One record before and after: without a `before` it is new, without an `after` it is gone. Only what differs."""

    record: str
    id: int | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class Changes:
    """Every record that a unit of work touched, as it was first and as it is now."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, Any], tuple[Table, Row | None, Row | None]] = {}

    def note(self, table: Table, before: Row | None, after: Row | None) -> None:
        """Remember that one record changed."""
        if table.name in OF_THE_HOUSE:
            return
        row = before or after or {}
        key = table.name, tuple(row.get(column.name, len(self._seen)) for column in table.primary_key)
        if key in self._seen:
            before = self._seen[key][1]
        self._seen[key] = table, before, after

    def kept(self) -> "Changes":
        """As they are now, to come back to when what follows is undone."""
        copy = Changes()
        copy._seen = dict(self._seen)
        return copy

    def back_to(self, earlier: "Changes") -> None:
        """Forget what came after."""
        self._seen = dict(earlier._seen)

    def listed(self) -> list[Change]:
        """What is different now, in the order in which it was first touched; the first `LISTED_MAX` records of it."""
        return self.all()[:LISTED_MAX]

    def all(self) -> list[Change]:
        """Everything that is different now."""
        shown = (_change(*each) for each in self._seen.values())
        return [change for change in shown if change]


class Watched(Work):
    """The same unit of work, watched. What `unwalled` gives is watched too."""

    __slots__ = ("changes",)

    def __init__(self, work: Work, changes: Changes | None = None) -> None:
        for name in Work.__slots__:
            setattr(self, name, getattr(work, name))
        self.changes = changes or Changes()

    async def run(self, statement: Executable, /, **params: Any) -> int:
        """Run a write; returns how many rows it changed."""
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
        """Insert rows; returns their `id`s."""
        ids = await super().insert_many(table, rows)
        named: Iterable[Row] = [{"id": id} for id in ids] or [{} for _ in rows]
        for row, name in zip(rows, named, strict=True):
            self.changes.note(table, None, {**row, **name})
        return ids

    def unwalled(self, reason: str) -> "Watched":
        """The same transaction without the tenant wall."""
        return Watched(super().unwalled(reason), self.changes)

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None]:
        """What happens inside is undone alone when it raises, and then it never happened."""
        before = self.changes.kept()
        try:
            async with super().savepoint():
                yield
        except BaseException:
            self.changes.back_to(before)
            raise

    async def _matching(self, statement: Executable, params: Mapping[str, Any]) -> dict[int, Row]:
        """The records that a statement is about to change, by id."""
        if not isinstance(statement, Update | Delete) or "id" not in statement.table.c:
            return {}
        condition = true() if statement.whereclause is None else statement.whereclause
        rows = select(statement.table).where(condition)
        names = self._statements.prepare(rows)[0].names
        found = await self.all(rows, **{name: value for name, value in params.items() if name in names})
        return {row.id: row._asdict() for row in found}

    async def _compare(self, statement: Executable, before: dict[int, Row]) -> None:
        table: Any = getattr(statement, "table", None)
        after: dict[int, Row] = {}
        if before and isinstance(statement, Update):
            rows = await self.all(select(table).where(among(table.c.id, "ids")), ids=list(before))
            after = {row.id: row._asdict() for row in rows}
        for id, row in before.items():
            self.changes.note(table, row, after.get(id))


def _change(table: Table, before: Row | None, after: Row | None) -> Change | None:
    old, new = _shown(table, before), _shown(table, after)
    if old and new:
        differing = [name for name in new if old.get(name) != new[name]]
        old, new = ({name: row.get(name) for name in differing} for row in (old, new))
    if not old and not new:
        return None
    return Change(record=str(table.name), id=(before or after or {}).get("id"), before=old or None, after=new or None)


def _shown(table: Table, row: Row | None) -> dict[str, Any]:
    """What may be shown of a row: no key, no bytes, and nothing that looks like a secret. Null says nothing about a new one."""
    hidden = {"id", CLIENT_ID} | {
        column.name for column in table.c if isinstance(column.type, LargeBinary) or _SECRET.search(column.name)
    }
    return {str(name): _told(table, name, value) for name, value in (row or {}).items() if name not in hidden}


def _told(table: Table, name: str, value: Any) -> Any:
    """A value in plain words: the name of a member, where the column says in its `info` that it keeps those of an `enum`."""
    members = table.c[name].info.get("enum")
    return to_builtins(value) if members is None or value is None else members(value).name
