"""Imports of documents with many rows, written in the background in batches.

A context declares two tables with `import_columns` and `row_columns` and adds its own columns. `RowImports` provides
the statements on them, and `process_rows` writes the rows. Each row has its own outcome.
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
"""Batch size. A worker that dies loses at most one transaction, and other writers wait no longer than for one."""
KEPT = timedelta(days=30)
"""Retention period of outcomes."""


QUEUED, CANCELLED = ImportRowState.QUEUED.value, ImportRowState.CANCELLED.value


class RowOutcome(Struct, frozen=True):
    """Outcome of an imported row.

    `record` is the id or code of the record it was written to.
    """

    state: ImportRowState
    record: str | None = None
    error: OperationError | None = None


class RowImport(Row):
    """The columns of an import that all kinds share."""

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
    """Return the columns that every table of imports has."""
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
    """Return the columns that every table of import rows has."""
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
    """The statements on two tables of imports; `header` is the row type of an import."""

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
        self._requeue_rows = (
            update(rows).where(of_import, rows.c.state == ImportRowState.REFUSED.value).values(state=QUEUED, fault=None)
        )
        self._resume = ended.values(finished_at=None)
        self._cancel_rows = update(rows).where(of_import, rows.c.state == QUEUED).values(state=CANCELLED)
        before = imports.c.finished_at < bindparam("before", type_=UTCDateTime)
        self._old = select(imports.c.id).where(before).limit(100)
        self._delete_rows = delete(rows).where(in_param(rows.c.import_id, "imports"))
        self._delete = delete(imports).where(in_param(imports.c.id, "imports"))

    async def insert_import(
        self, work: UnitOfWork, header: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]
    ) -> int:
        """Insert an import with all rows queued and return its id."""
        id = await work.insert(self._imports, **header, rows=len(rows))
        waiting = [
            {"import_id": id, "number": number, "document": row, "state": QUEUED} for number, row in enumerate(rows, 1)
        ]
        await work.insert_many(self._rows, waiting)
        return id

    async def get_import_header(self, work: UnitOfWork, id: int, *, lock: bool = False) -> H | None:
        """Return an import, or None."""
        return await work.first(self._by_id_locked if lock else self._by_id, self._header, **{"import": id})

    async def list_import_headers(
        self, work: UnitOfWork, kind: str | None, *, limit: int, offset: int
    ) -> tuple[Sequence[H], int]:
        """Return a page of imports, newest first, and their total number."""
        found = await work.all(self._list, self._header, kind=kind, page_size=limit, skipped=offset)
        return found, await work.value(self._count, kind=kind)

    async def count_rows_by_state(self, work: UnitOfWork, ids: Sequence[int]) -> dict[int, dict[str, int]]:
        """Count the rows of each import by state."""
        counts: dict[int, dict[str, int]] = {id: {} for id in ids}
        for row in await work.all(self._states, _StateCount, imports=list(ids)) if ids else ():
            counts[row.import_id][row.state] = row.count
        return counts

    async def list_import_rows(
        self, work: UnitOfWork, id: int, state: str | None, *, limit: int, offset: int
    ) -> list[ImportRow]:
        """Return a page of rows in document order."""
        values = {"import": id, "state": state, "page_size": limit, "skipped": offset}
        return await work.all(self._page, ImportRow, **values)

    async def list_queued_rows(self, work: UnitOfWork, id: int, count: int) -> list[ImportRow]:
        """Return the next queued rows."""
        return await work.all(self._next, ImportRow, **{"import": id, "count": count})

    async def update_rows(self, work: UnitOfWork, outcomes: Sequence[Mapping[str, Any]]) -> None:
        """Store the outcomes of rows."""
        await work.run_many(self._update_row, outcomes)

    async def finish_import(self, work: UnitOfWork, id: int, now: datetime) -> None:
        """Mark an import as finished."""
        await work.run(self._finish, **{"import": id, "now": now})

    async def cancel_import(self, work: UnitOfWork, id: int, now: datetime) -> None:
        """Cancel an import and its queued rows."""
        await work.run(self._cancel, **{"import": id, "now": now})
        await work.run(self._cancel_rows, **{"import": id})

    async def retry_import(self, work: UnitOfWork, id: int) -> int:
        """Queue the refused rows of an import again. Return their number."""
        queued = await work.run(self._requeue_rows, **{"import": id})
        await work.run(self._resume, **{"import": id})
        return queued

    async def delete_old_imports(self, work: UnitOfWork, before: datetime) -> None:
        """Delete up to 100 imports that finished before a moment, with their rows."""
        ids = [row[0] for row in await work.all(self._old, before=before)]
        if ids:
            await work.run(self._delete_rows, imports=ids)
            await work.run(self._delete, imports=ids)


WriteRows = Callable[[Call, H, Sequence[dict[str, Any]]], Awaitable[Sequence[RowOutcome]]]
"""Writes rows and returns the outcome of each."""
FindKeys = Callable[[Call, H, Sequence[dict[str, Any]]], Awaitable[Sequence[Collection[str]]]]
"""Returns the keys of each row. Rows that share a key, directly or indirectly, can affect each other's outcome."""


async def process_rows(
    run: JobRun,
    imports: RowImports[H],
    import_id: int,
    write: WriteRows[H],
    *,
    find_keys: FindKeys[H],
    finished: Callable[[Call, H, Mapping[str, int]], Awaitable[None]] | None = None,
    at_once: int = ROWS_PER_TRANSACTION,
) -> None:
    """Write the queued rows in batches of `at_once`, one transaction each.

    Repeating it writes nothing twice.

    With `check_only`, each transaction is rolled back and only the outcomes are stored. Rows that share a key are
    checked together. `finished` is called once, with the number of rows in each state.
    """
    for rows in await _list_check_batches(run, imports, import_id, find_keys):
        await _check_rows(run, imports, import_id, write, rows)
    while await _write_next_rows(run, imports, import_id, write, finished, at_once):
        pass


async def _list_check_batches(
    run: JobRun, imports: RowImports[H], import_id: int, find_keys: FindKeys[H]
) -> list[list[ImportRow]]:
    """Return the queued rows of a dry run in independent batches.

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
        call.work.mark_for_rollback()
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
    at_once: int,
) -> bool:
    """Write the next batch of rows, or finish the import and return False.

    A dry run writes no rows.
    """
    async with run.call() as call:
        header = await imports.get_import_header(call.work, import_id, lock=True)
        if header is None or header.finished_at:
            return False
        rows = [] if header.check_only else await imports.list_queued_rows(call.work, import_id, at_once)
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
    """Return the progress of an import: state, counts by outcome and moments."""
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
