"""Imports of documents of many rows: written in the background, some rows in each transaction, each with an outcome of its own.

A context declares two tables with `import_columns` and `row_columns`, and what is its own besides; `RowImports` knows the
statements on them, and `work_off` writes the rows.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    String,
    Table,
    bindparam,
    delete,
    false,
    func,
    or_,
    select,
    update,
)

from haulier.kernel.call import Call
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Json, UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.operations.stored_errors import error_document
from haulier.kernel.values.batch_states import ImportRowState, batch_state
from haulier.kernel.values.related_rows import batch_related_rows
from haulier.kernel.values.table_uploads import ENCODING_MAX

ROWS_PER_TRANSACTION = 100
"""A worker that dies loses the work of one transaction at most, and other writers wait no longer than for that."""
KEPT = timedelta(days=30)
"""How long outcomes can be read."""


QUEUED, CANCELLED = ImportRowState.QUEUED.value, ImportRowState.CANCELLED.value


class RowOutcome(Struct, frozen=True):
    """What became of a row that was tried: `record` names what it was written to, an id or a code."""

    state: ImportRowState
    record: str | None = None
    error: OperationError | None = None


class RowImport(Row):
    """An import, as far as all kinds have it."""

    id: int
    kind: str
    rows: int
    check_only: bool
    encoding: str | None
    created_at: datetime
    cancelled_at: datetime | None
    finished_at: datetime | None


class ImportRow(Row):
    """A row of an import. `fault` is a stored error."""

    id: int
    number: int
    document: dict[str, Any]
    state: str
    record: str | None
    fault: dict[str, Any] | None


H = TypeVar("H", bound=RowImport)


class _StateCount(Row):
    import_id: int
    state: str
    count: int


def import_columns(table: str) -> tuple[Column[Any] | Index, ...]:
    """The columns that every table of imports has."""
    return (
        Column("kind", String(30), nullable=False),
        Column("rows", Integer, nullable=False),
        Column("check_only", Boolean, nullable=False, server_default=false()),
        Column("encoding", String(ENCODING_MAX)),
        Column("created_by", BigInteger),
        Column("created_at", UTCDateTime, nullable=False),
        Column("cancelled_at", UTCDateTime),
        Column("finished_at", UTCDateTime),
        Index(f"ix_{table}_finished", "client_id", "finished_at"),
    )


def row_columns(table: str) -> tuple[Column[Any] | Index, ...]:
    """The columns of the table of their rows."""
    return (
        Column("import_id", BigInteger, nullable=False),
        Column("number", Integer, nullable=False),
        Column("document", Json, nullable=False),
        Column("state", String(20), nullable=False),
        Column("record", String(100)),
        Column("fault", Json),
        Index(f"ix_{table}_state", "client_id", "import_id", "state", "number"),
    )


class RowImports(Generic[H]):
    """The statements on two tables of imports; `header` is what is read of an import."""

    def __init__(self, imports: Table, rows: Table, header: type[H]) -> None:
        self._imports, self._rows, self._header = imports, rows, header
        self._by_id = select(imports).where(imports.c.id == bindparam("import"))
        self._by_id_locked = self._by_id.with_for_update()
        kind = bindparam("kind", type_=String)
        of_kind = or_(kind.is_(None), imports.c.kind == kind)
        self._list = (
            select(imports)
            .where(of_kind)
            .order_by(imports.c.id.desc())
            .limit(bindparam("page_size"))
            .offset(bindparam("skipped"))
        )
        self._count = select(func.count()).select_from(imports).where(of_kind)
        self._states = (
            select(rows.c.import_id, rows.c.state, func.count().label("count"))
            .where(in_param(rows.c.import_id, "imports"))
            .group_by(rows.c.import_id, rows.c.state)
        )
        of_import = rows.c.import_id == bindparam("import")
        state = bindparam("state", type_=String)
        in_order = select(rows).order_by(rows.c.number)
        self._page = (
            in_order.where(of_import, or_(state.is_(None), rows.c.state == state))
            .limit(bindparam("page_size"))
            .offset(bindparam("skipped"))
        )
        self._next = in_order.where(of_import, rows.c.state == QUEUED).limit(bindparam("count"))
        self._update_row = (
            update(rows)
            .where(rows.c.id == bindparam("row"))
            .values(
                state=bindparam("new_state"), record=bindparam("new_record"), fault=bindparam("new_fault", type_=Json)
            )
        )
        ended = update(imports).where(imports.c.id == bindparam("import"))
        self._finish = ended.values(finished_at=bindparam("now"))
        self._cancel = ended.values(cancelled_at=bindparam("now"), finished_at=bindparam("now"))
        self._cancel_rows = update(rows).where(of_import, rows.c.state == QUEUED).values(state=CANCELLED)
        before = imports.c.finished_at < bindparam("before", type_=UTCDateTime)
        self._old = select(imports.c.id).where(before).limit(100)
        self._delete_rows = delete(rows).where(in_param(rows.c.import_id, "imports"))
        self._delete = delete(imports).where(in_param(imports.c.id, "imports"))

    async def insert_import(
        self, work: UnitOfWork, header: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]
    ) -> int:
        """Write an import whose rows all wait. Returns its id."""
        id = await work.insert(self._imports, **header, rows=len(rows))
        waiting = [
            {"import_id": id, "number": number, "document": row, "state": QUEUED} for number, row in enumerate(rows, 1)
        ]
        await work.insert_many(self._rows, waiting)
        return id

    async def get_import_header(self, work: UnitOfWork, id: int, *, lock: bool = False) -> H | None:
        """An import, or None."""
        return await work.first(self._by_id_locked if lock else self._by_id, self._header, **{"import": id})

    async def list_import_headers(
        self, work: UnitOfWork, kind: str | None, *, limit: int, offset: int
    ) -> tuple[Sequence[H], int]:
        """A page of imports, newest first, and how many there are."""
        found = await work.all(self._list, self._header, kind=kind, page_size=limit, skipped=offset)
        return found, await work.value(self._count, kind=kind)

    async def count_rows_by_state(self, work: UnitOfWork, ids: Sequence[int]) -> dict[int, dict[str, int]]:
        """How many rows of each import are in which state."""
        counts: dict[int, dict[str, int]] = {id: {} for id in ids}
        for row in await work.all(self._states, _StateCount, imports=list(ids)) if ids else ():
            counts[row.import_id][row.state] = row.count
        return counts

    async def list_import_rows(
        self, work: UnitOfWork, id: int, state: str | None, *, limit: int, offset: int
    ) -> list[ImportRow]:
        """A page of rows in the order of the document."""
        values = {"import": id, "state": state, "page_size": limit, "skipped": offset}
        return await work.all(self._page, ImportRow, **values)

    async def list_queued_rows(self, work: UnitOfWork, id: int, count: int) -> list[ImportRow]:
        """The next rows that wait."""
        return await work.all(self._next, ImportRow, **{"import": id, "count": count})

    async def update_rows(self, work: UnitOfWork, outcomes: Sequence[Mapping[str, Any]]) -> None:
        """Write the outcomes of rows."""
        await work.run_many(self._update_row, outcomes)

    async def finish_import(self, work: UnitOfWork, id: int, now: datetime) -> None:
        """Mark an import as finished."""
        await work.run(self._finish, **{"import": id, "now": now})

    async def cancel_import(self, work: UnitOfWork, id: int, now: datetime) -> None:
        """Cancel an import and what of it still waits."""
        await work.run(self._cancel, **{"import": id, "now": now})
        await work.run(self._cancel_rows, **{"import": id})

    async def delete_old_imports(self, work: UnitOfWork, before: datetime) -> None:
        """Delete some of the imports that were finished before a moment, with their rows."""
        ids = [row[0] for row in await work.all(self._old, before=before)]
        if ids:
            await work.run(self._delete_rows, imports=ids)
            await work.run(self._delete, imports=ids)


WriteRows = Callable[[Call, H, Sequence[dict[str, Any]]], Awaitable[Sequence[RowOutcome]]]
"""Writes some rows, and returns the outcome of each."""
FindKeys = Callable[[Call, H, Sequence[dict[str, Any]]], Awaitable[Sequence[Collection[str]]]]
"""Returns the keys of each row. A row's outcome depends only on rows that share a key with it, directly or through others."""


async def work_off(
    run: JobRun,
    imports: RowImports[H],
    import_id: int,
    write: WriteRows[H],
    *,
    find_keys: FindKeys[H],
    finished: Callable[[Call, H, Mapping[str, int]], Awaitable[None]] | None = None,
) -> None:
    """Write the queued rows, some in each transaction. Running it again writes nothing twice.

    With `check_only`, each transaction that wrote rows is rolled back, and only their outcomes are stored. Rows that share a
    key are checked together. `finished` is called once, with the number of rows in each state.
    """
    for rows in await _list_check_batches(run, imports, import_id, find_keys):
        await _check_rows(run, imports, import_id, write, rows)
    while await _write_next_rows(run, imports, import_id, write, finished):
        pass


async def _list_check_batches(
    run: JobRun, imports: RowImports[H], import_id: int, find_keys: FindKeys[H]
) -> list[list[ImportRow]]:
    """Return the queued rows of a check in independent batches.

    Empty for an import that writes.
    """
    async with run.call() as call:
        header = await imports.get_import_header(call.work, import_id)
        if header is None or header.finished_at or not header.check_only:
            return []
        rows = await imports.list_queued_rows(call.work, import_id, header.rows)
        keys = await find_keys(call, header, [row.document for row in rows])
    return [[rows[at] for at in batch] for batch in batch_related_rows(keys, ROWS_PER_TRANSACTION)]


async def _check_rows(
    run: JobRun, imports: RowImports[H], import_id: int, write: WriteRows[H], rows: Sequence[ImportRow]
) -> None:
    async with run.call() as call:
        header = await imports.get_import_header(call.work, import_id)
        if header is None or header.finished_at:
            return
        outcomes = await write(call, header, [row.document for row in rows])
        call.work.rollback_only()
    created = {outcome.record for outcome in outcomes if outcome.state is ImportRowState.CREATED}
    checked = [replace(each, record=None) if each.record in created else each for each in outcomes]
    async with run.call() as call:
        header = await imports.get_import_header(call.work, import_id, lock=True)
        if header and not header.finished_at:
            await _store_outcomes(call, imports, rows, checked)


async def _write_next_rows(
    run: JobRun,
    imports: RowImports[H],
    import_id: int,
    write: WriteRows[H],
    finished: Callable[[Call, H, Mapping[str, int]], Awaitable[None]] | None,
) -> bool:
    """Write the next rows. Returns False once the import is over, which this records; the rows of a check are never written."""
    async with run.call() as call:
        header = await imports.get_import_header(call.work, import_id, lock=True)
        if header is None or header.finished_at:
            return False
        rows = [] if header.check_only else await imports.list_queued_rows(call.work, import_id, ROWS_PER_TRANSACTION)
        if not rows:
            await imports.finish_import(call.work, header.id, call.now)
            if finished:
                await finished(call, header, (await imports.count_rows_by_state(call.work, [header.id]))[header.id])
            return False
        outcomes = await write(call, header, [row.document for row in rows])
        await _store_outcomes(call, imports, rows, outcomes)
        return True


async def _store_outcomes(
    call: Call, imports: RowImports[H], rows: Sequence[ImportRow], outcomes: Sequence[RowOutcome]
) -> None:
    updates = [_row_update(row, outcome) for row, outcome in zip(rows, outcomes, strict=True)]
    await imports.update_rows(call.work, updates)


def _row_update(row: ImportRow, outcome: RowOutcome) -> dict[str, Any]:
    return {
        "row": row.id,
        "new_state": outcome.state.value,
        "new_record": outcome.record,
        "new_fault": error_document(outcome.error) if outcome.error else None,
    }


def import_progress(call: Call, header: RowImport, counts: Mapping[str, int]) -> dict[str, Any]:
    """How far an import is, as answers show it: `state`, `done`, `created`, `updated`, `refused`, and its moments."""
    done = header.rows - counts.get(QUEUED, 0) - counts.get(CANCELLED, 0)
    refused = counts.get(ImportRowState.REFUSED, 0)
    return {
        "state": batch_state(header.rows, done, refused, header.finished_at, header.cancelled_at),
        "done": done,
        "created": counts.get(ImportRowState.CREATED, 0),
        "updated": counts.get(ImportRowState.UPDATED, 0),
        "refused": refused,
        "created_at": call.local_time(header.created_at),
        "finished_at": call.local_time(header.finished_at),
    }
