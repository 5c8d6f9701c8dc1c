"""Imports and their rows."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, Index, Integer, String, bindparam, delete, func, or_, select, update

from haulier.contexts.places.place_imports.contract import ImportRowState
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

QUEUED, CANCELLED = ImportRowState.QUEUED.value, ImportRowState.CANCELLED.value
imports = tenant_table(
    "place_import",
    Column("kind", String(30), nullable=False),
    Column("zone_map_id", BigInteger),
    Column("rows", Integer, nullable=False),
    Column("created_by", BigInteger),
    Column("created_at", UTCDateTime, nullable=False),
    Column("cancelled_at", UTCDateTime),
    Column("finished_at", UTCDateTime),
    Index("ix_place_import_finished", "client_id", "finished_at"),
)
plain_columns(imports, "kind")
import_rows = tenant_table(
    "place_import_row",
    Column("import_id", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),
    Column("document", Json, nullable=False),
    Column("state", String(20), nullable=False),
    Column("record", String(100)),
    Column("fault", Json),
    Index("ix_place_import_row_state", "client_id", "import_id", "state", "number"),
)
# Places of business and areas on a map: nothing in them is about a person.
plain_columns(import_rows, "document", "state", "record", "fault")


class ImportHeader(Row):
    """An import."""

    id: int
    kind: str
    zone_map_id: int | None
    rows: int
    created_at: datetime
    cancelled_at: datetime | None
    finished_at: datetime | None


class ImportRowRow(Row):
    """A row of an import."""

    id: int
    number: int
    document: dict[str, Any]
    state: str
    record: str | None
    fault: dict[str, Any] | None


class _StateCount(Row):
    import_id: int
    state: str
    count: int


_by_id = select(imports).where(imports.c.id == bindparam("import"))
_by_id_locked = _by_id.with_for_update()
_of_kind = or_(bindparam("kind", type_=String).is_(None), imports.c.kind == bindparam("kind", type_=String))
_list = (
    select(imports)
    .where(_of_kind)
    .order_by(imports.c.id.desc())
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(imports).where(_of_kind)
_states = (
    select(import_rows.c.import_id, import_rows.c.state, func.count().label("count"))
    .where(in_param(import_rows.c.import_id, "imports"))
    .group_by(import_rows.c.import_id, import_rows.c.state)
)
_in_state = or_(bindparam("state", type_=String).is_(None), import_rows.c.state == bindparam("state", type_=String))
_rows_page = (
    select(import_rows)
    .where(import_rows.c.import_id == bindparam("import"), _in_state)
    .order_by(import_rows.c.number)
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_next_rows = (
    select(import_rows)
    .where(import_rows.c.import_id == bindparam("import"), import_rows.c.state == QUEUED)
    .order_by(import_rows.c.number)
    .limit(bindparam("count"))
)
_update_row = (
    update(import_rows)
    .where(import_rows.c.id == bindparam("row"))
    .values(state=bindparam("new_state"), record=bindparam("new_record"), fault=bindparam("new_fault", type_=Json))
)
_finish = update(imports).where(imports.c.id == bindparam("import")).values(finished_at=bindparam("now"))
_cancel = (
    update(imports)
    .where(imports.c.id == bindparam("import"))
    .values(cancelled_at=bindparam("now"), finished_at=bindparam("now"))
)
_cancel_rows = (
    update(import_rows)
    .where(import_rows.c.import_id == bindparam("import"), import_rows.c.state == QUEUED)
    .values(state=CANCELLED)
)
_old = select(imports.c.id).where(imports.c.finished_at < bindparam("before", type_=UTCDateTime)).limit(100)
_delete_rows = delete(import_rows).where(in_param(import_rows.c.import_id, "imports"))
_delete = delete(imports).where(in_param(imports.c.id, "imports"))


async def insert_import(work: UnitOfWork, header: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> int:
    """Write an import whose rows all wait. Returns its id."""
    id = await work.insert(imports, **header, rows=len(rows))
    waiting = [
        {"import_id": id, "number": number, "document": row, "state": QUEUED} for number, row in enumerate(rows, 1)
    ]
    await work.insert_many(import_rows, waiting)
    return id


async def get_import_header(work: UnitOfWork, id: int, *, lock: bool = False) -> ImportHeader | None:
    """An import, or None."""
    return await work.first(_by_id_locked if lock else _by_id, ImportHeader, **{"import": id})


async def list_import_headers(
    work: UnitOfWork, kind: str | None, *, limit: int, offset: int
) -> tuple[Sequence[ImportHeader], int]:
    """A page of imports, newest first, and how many there are."""
    found = await work.all(_list, ImportHeader, kind=kind, page_size=limit, skipped=offset)
    return found, await work.value(_count, kind=kind)


async def count_rows_by_state(work: UnitOfWork, ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """How many rows of each import are in which state."""
    counts: dict[int, dict[str, int]] = {id: {} for id in ids}
    for row in await work.all(_states, _StateCount, imports=list(ids)) if ids else ():
        counts[row.import_id][row.state] = row.count
    return counts


async def list_import_rows(
    work: UnitOfWork, id: int, state: str | None, *, limit: int, offset: int
) -> list[ImportRowRow]:
    """A page of rows in the order of the document."""
    values = {"import": id, "state": state, "page_size": limit, "skipped": offset}
    return await work.all(_rows_page, ImportRowRow, **values)


async def list_queued_rows(work: UnitOfWork, id: int, count: int) -> list[ImportRowRow]:
    """The next rows that wait."""
    return await work.all(_next_rows, ImportRowRow, **{"import": id, "count": count})


async def update_rows(work: UnitOfWork, outcomes: Sequence[Mapping[str, Any]]) -> None:
    """Write the outcomes of rows."""
    await work.run_many(_update_row, outcomes)


async def finish_import(work: UnitOfWork, id: int, now: datetime) -> None:
    """Mark an import as finished."""
    await work.run(_finish, **{"import": id, "now": now})


async def cancel_import(work: UnitOfWork, id: int, now: datetime) -> None:
    """Cancel an import and what of it still waits."""
    await work.run(_cancel, **{"import": id, "now": now})
    await work.run(_cancel_rows, **{"import": id})


async def delete_old_imports(work: UnitOfWork, before: datetime) -> None:
    """Delete some of the imports that were finished before a moment, with their rows."""
    ids = [row[0] for row in await work.all(_old, before=before)]
    if ids:
        await work.run(_delete_rows, imports=ids)
        await work.run(_delete, imports=ids)
