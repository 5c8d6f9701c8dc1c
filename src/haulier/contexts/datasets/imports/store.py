"""Tables of imports and outcomes: one outcome row per transaction."""

from collections.abc import Mapping
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
    UniqueConstraint,
    bindparam,
    func,
    select,
    update,
)

from haulier.kernel.data.personal_data import RecordKind, plain_columns, retained
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.table_uploads import ENCODING_MAX

imports = tenant_table(
    "dataset_import",
    Column("dataset_id", BigInteger, nullable=False),
    Column("format", String(10), nullable=False),
    Column("if_exists", String(10), nullable=False),
    Column("check_only", Boolean, nullable=False),
    Column("encoding", String(ENCODING_MAX)),
    Column("content", LargeBinary, nullable=False),
    Column("total", Integer, nullable=False),
    Column("done", Integer, nullable=False),
    Column("created", Integer, nullable=False),
    Column("updated", Integer, nullable=False),
    Column("unchanged", Integer, nullable=False),
    Column("refused", Integer, nullable=False),
    Column("created_by", BigInteger),
    Column("account", String(20), nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("finished_at", UTCDateTime),
    Column("cancelled_at", UTCDateTime),
    Index("ix_dataset_import_dataset", "dataset_id", "id"),
)
outcomes = tenant_table(
    "dataset_import_outcome",
    Column("import_id", BigInteger, nullable=False),
    Column("first_row", Integer, nullable=False),
    Column("last_row", Integer, nullable=False),
    Column("refused", Integer, nullable=False),
    Column("outcomes", Json, nullable=False),
    UniqueConstraint("client_id", "import_id", "last_row"),
)
plain_columns(imports, "format", "if_exists", "account", "encoding")
retained(
    RecordKind.DATASET_IMPORTS,
    imports.c.finished_at,
    children=(outcomes.c.import_id,),
    default_days=90,
    minimum_days=7,
)
COUNTED = ("created", "updated", "unchanged", "refused")
_facts = tuple(column for column in imports.c if column.name != "content")
_by_id = select(*_facts).where(imports.c.id == bindparam("import"))
_by_id_locked = _by_id.with_for_update()
_content = select(imports.c.content).where(imports.c.id == bindparam("import"))
_of_dataset = select(*_facts).where(imports.c.dataset_id == bindparam("dataset"))
_page = _of_dataset.order_by(imports.c.id.desc()).limit(bindparam("count")).offset(bindparam("skipped"))
_count = select(func.count()).select_from(imports).where(imports.c.dataset_id == bindparam("dataset"))
_progress = (
    update(imports)
    .where(imports.c.id == bindparam("import"))
    .values(
        done=imports.c.done + bindparam("rows"),
        **{name: imports.c[name] + bindparam(f"more_{name}") for name in COUNTED},
    )
)
_finish = (
    update(imports)
    .where(imports.c.id == bindparam("import"))
    .values(finished_at=bindparam("now"), content=b"", cancelled_at=bindparam("cancelled"))
)
_outcomes = (
    select(outcomes.c.first_row, outcomes.c.outcomes)
    .where(outcomes.c.import_id == bindparam("import"), outcomes.c.last_row > bindparam("after"))
    .order_by(outcomes.c.last_row)
    .limit(bindparam("count"))
)
_refusals = _outcomes.where(outcomes.c.refused > 0)


class DatasetImportLine(Row):
    """An import."""

    id: int
    dataset_id: int
    format: str
    if_exists: str
    check_only: bool
    encoding: str | None
    total: int
    done: int
    created: int
    updated: int
    unchanged: int
    refused: int
    created_by: int | None
    account: str
    created_at: datetime
    finished_at: datetime | None
    cancelled_at: datetime | None


class OutcomesRow(Row):
    """Outcomes of consecutive rows: state, record and error of each."""

    first_row: int
    outcomes: list[list[Any]]


async def insert_import(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Insert a new import. Return its id."""
    return await work.insert(imports, done=0, **dict.fromkeys(COUNTED, 0), **values)


async def get_import_row(work: UnitOfWork, id: int, *, lock: bool = False) -> DatasetImportLine | None:
    """Return an import without its file, or None."""
    return await work.first(_by_id_locked if lock else _by_id, DatasetImportLine, **{"import": id})


async def get_import_content(work: UnitOfWork, id: int) -> bytes:
    """Return the file of an import; empty once it is over."""
    return await work.value(_content, **{"import": id}) or b""


async def list_import_rows(
    work: UnitOfWork, dataset_id: int, limit: int, offset: int
) -> tuple[list[DatasetImportLine], int]:
    """Return a page of a dataset's imports, newest first, and the total."""
    rows = await work.all(_page, DatasetImportLine, dataset=dataset_id, count=limit, skipped=offset)
    return rows, await work.value(_count, dataset=dataset_id)


async def add_outcomes(work: UnitOfWork, id: int, first_row: int, results: list[list[Any]]) -> None:
    """Insert outcomes of consecutive rows, and count them."""
    counted = {name: sum(result[0] == name for result in results) for name in COUNTED}
    await work.insert(
        outcomes,
        import_id=id,
        first_row=first_row,
        last_row=first_row + len(results) - 1,
        refused=counted["refused"],
        outcomes=results,
    )
    more = {f"more_{name}": count for name, count in counted.items()}
    await work.run(_progress, rows=len(results), **more, **{"import": id})


async def finish_import(work: UnitOfWork, id: int, now: datetime, *, cancelled: bool = False) -> None:
    """End an import and delete its file."""
    await work.run(_finish, now=now, cancelled=now if cancelled else None, **{"import": id})


async def list_outcome_rows(
    work: UnitOfWork, id: int, after: int, count: int, *, refused_only: bool
) -> list[OutcomesRow]:
    """Return the next rows of outcomes."""
    statement = _refusals if refused_only else _outcomes
    return await work.all(statement, OutcomesRow, after=after, count=count, **{"import": id})
