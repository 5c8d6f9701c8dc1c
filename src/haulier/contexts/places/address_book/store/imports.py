"""Imports of files into the address book, with the outcome of each row."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    String,
    bindparam,
    func,
    select,
    update,
)

from haulier.kernel.data.personal_data import RecordKind, plain_columns, retained
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

imports = tenant_table(
    "address_import",
    Column("file_name", String(200)),
    Column("format", String(10), nullable=False),
    Column("mapping", Json, nullable=False),
    Column("check_only", Boolean, nullable=False),
    Column("document", LargeBinary),
    Column("total", Integer, nullable=False),
    Column("done", Integer, nullable=False),
    Column("created_by", BigInteger),
    Column("created_at", UTCDateTime, nullable=False),
    Column("cancelled_at", UTCDateTime),
    Column("finished_at", UTCDateTime),
)
import_rows = tenant_table(
    "address_import_row",
    Column("import_id", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),
    Column("state", String(20), nullable=False),
    Column("reference", String(100)),
    Column("address_id", BigInteger),
    Column("fault", Json),
    Index("ix_address_import_row_number", "client_id", "import_id", "number"),
    Index("ix_address_import_row_state", "client_id", "import_id", "state"),
)
plain_columns(imports, "file_name", "format", "mapping")
plain_columns(import_rows, "state", "reference")
retained(
    RecordKind.ADDRESS_IMPORTS,
    imports.c.finished_at,
    children=(import_rows.c.import_id,),
    default_days=30,
    minimum_days=1,
)


class AddressImportLine(Row):
    """An import."""

    id: int
    file_name: str | None
    format: str
    mapping: dict[str, str]
    check_only: bool
    document: bytes | None
    total: int
    done: int
    created_at: datetime
    cancelled_at: datetime | None
    finished_at: datetime | None


class ImportOutcomeRow(Row):
    """The outcome of a row of a file."""

    number: int
    state: str
    reference: str | None
    address_id: int | None
    fault: list[dict[str, Any]] | None


_by_id = select(imports).where(imports.c.id == bindparam("import"))
_by_id_locked = _by_id.with_for_update()
_told = [column for column in imports.c if column.name != "document"]
_progress = select(*_told).where(imports.c.id == bindparam("import"))
_rows_page = (
    select(import_rows)
    .where(import_rows.c.import_id == bindparam("import"))
    .where(import_rows.c.number > bindparam("skipped"), import_rows.c.number <= bindparam("last"))
    .order_by(import_rows.c.number)
)
_rows_in_state = (
    select(import_rows)
    .where(import_rows.c.import_id == bindparam("import"), import_rows.c.state == bindparam("state"))
    .order_by(import_rows.c.number)
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_counts = (
    select(import_rows.c.state, func.count().label("count"))
    .where(import_rows.c.import_id == bindparam("import"))
    .group_by(import_rows.c.state)
)


class ImportProgressRow(Row):
    """How far an import is."""

    id: int
    file_name: str | None
    check_only: bool
    total: int
    done: int
    created_at: datetime
    cancelled_at: datetime | None
    finished_at: datetime | None


class StateCount(Row):
    """How many rows are in a state."""

    state: str
    count: int


async def insert_import(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Write an import that is to run. Returns its id."""
    return await work.insert(imports, **values)


async def get_import_row(work: UnitOfWork, import_id: int, *, lock: bool = False) -> AddressImportLine | None:
    """An import with its document, or None."""
    return await work.first(_by_id_locked if lock else _by_id, AddressImportLine, **{"import": import_id})


async def get_import_progress(work: UnitOfWork, import_id: int) -> ImportProgressRow | None:
    """An import without its document, or None."""
    return await work.first(_progress, ImportProgressRow, **{"import": import_id})


async def update_import(work: UnitOfWork, import_id: int, **values: Any) -> None:
    """Change columns of an import."""
    await work.run(update(imports).where(imports.c.id == bindparam("import")).values(**values), **{"import": import_id})


async def insert_import_outcomes(work: UnitOfWork, import_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the outcomes of rows: each a `number`, a `state`, a `reference`, an `address_id` and a `fault`."""
    await work.insert_many(import_rows, [{"import_id": import_id, **row} for row in rows])


async def list_import_outcomes(
    work: UnitOfWork, import_id: int, state: str | None, *, limit: int, offset: int
) -> list[ImportOutcomeRow]:
    """Outcomes by number, all or those in a state."""
    given: dict[str, Any] = {"import": import_id, "skipped": offset}
    if state:
        return await work.all(_rows_in_state, ImportOutcomeRow, **given, state=state, page_size=limit)
    return await work.all(_rows_page, ImportOutcomeRow, **given, last=offset + limit)


async def count_import_outcomes(work: UnitOfWork, import_id: int) -> dict[str, int]:
    """How many rows ended in which state."""
    return {row.state: row.count for row in await work.all(_counts, StateCount, **{"import": import_id})}
