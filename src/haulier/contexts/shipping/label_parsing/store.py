"""The table of label scans."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Float, Index, Integer, String, Text, bindparam, delete, func, select, update

from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

parses = tenant_table(
    "label_parse",
    Column("state", String(20), nullable=False),
    Column("media_type", String(40)),
    Column("file_id", Id),
    Column("text", Text),
    Column("engine", String(10)),
    Column("pages", Integer),
    Column("reading", Json, nullable=False),
    Column("confidence", Float),
    Column("corrections", Json, nullable=False),
    Column("order_id", Id),
    Column("failure", String(60)),
    Column("created_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("finished_at", UTCDateTime),
    Index("ix_label_parse_state", "client_id", "state", "id"),
    Index("ix_label_parse_order", "client_id", "order_id"),
)
personal_data(
    parses,
    RecordKind.LABEL_PARSES,
    by={"id": PersonKey.LABEL_PARSE, "order_id": PersonKey.ORDER},
    gives={"id": PersonKey.LABEL_PARSE},
)
plain_columns(parses, "state", "media_type", "engine", "confidence", "failure")
retained(
    RecordKind.LABEL_PARSES,
    parses.c.created_at,
    default_days=90,
    minimum_days=7,
    root=PersonKey.LABEL_PARSE,
)
_by_id = select(parses).where(parses.c.id == bindparam("parse"))
_by_id_locked = _by_id.with_for_update()
_delete = delete(parses).where(parses.c.id == bindparam("parse"))


class LabelParseRow(Row):
    """A label scan."""

    id: int
    state: str
    media_type: str | None
    file_id: int | None
    text: str | None
    engine: str | None
    pages: int | None
    reading: dict[str, Any]
    confidence: float | None
    corrections: dict[str, Any]
    order_id: int | None
    failure: str | None
    created_by: int | None
    created_at: datetime
    finished_at: datetime | None


async def insert_parse(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Insert a label to parse. Return its id."""
    return await work.insert(parses, reading={}, corrections={}, **values)


async def get_parse_row(work: UnitOfWork, parse_id: int, *, lock: bool = False) -> LabelParseRow | None:
    """Return a label scan, or None."""
    return await work.first(_by_id_locked if lock else _by_id, LabelParseRow, parse=parse_id)


async def list_parse_rows(
    work: UnitOfWork, state: str | None, *, limit: int, offset: int
) -> tuple[list[LabelParseRow], int]:
    """Return a page of label scans, newest first, and their capped total."""
    wanted = () if state is None else (parses.c.state == state,)
    counted = select(parses.c.id).where(*wanted).limit(MAX_COUNT + 1).subquery()
    page = select(parses).where(*wanted).order_by(parses.c.id.desc()).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(counted))
    return await work.all(page, LabelParseRow), total


async def update_parse(work: UnitOfWork, parse_id: int, values: Mapping[str, Any]) -> None:
    """Update a label scan."""
    await work.run(update(parses).where(parses.c.id == bindparam("parse")).values(**values), parse=parse_id)


async def delete_parse(work: UnitOfWork, parse_id: int) -> None:
    """Delete a label scan."""
    await work.run(_delete, parse=parse_id)
