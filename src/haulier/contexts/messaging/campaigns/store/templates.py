"""Templates and segments: records that are found by name."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Table, bindparam, delete, func, select, update

from haulier.contexts.messaging.campaigns.store.tables import segments, templates
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class SmsTemplateRow(Row):
    """A template."""

    id: int
    name: str
    purpose: str
    texts: dict[str, str]
    language: str
    updated_at: datetime


class SmsSegmentRow(Row):
    """A segment."""

    id: int
    name: str
    rules: dict[str, Any]
    updated_at: datetime


def _page(table: Table) -> Any:
    in_order = select(table).order_by(table.c.name, table.c.id)
    return in_order.limit(bindparam("count")).offset(bindparam("skipped"))


_templates, _segments = _page(templates), _page(segments)
_template = select(templates).where(in_param(templates.c.id, "ids"))
_segment = select(segments).where(segments.c.id == bindparam("segment"))


async def insert_template(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Write a template. Raises `UniqueConflict` for a name that is taken."""
    return await work.insert(templates, **values)


async def update_template_row(work: UnitOfWork, template_id: int, values: Mapping[str, Any]) -> None:
    """Change a template."""
    await work.run(
        update(templates).where(templates.c.id == bindparam("template")).values(**values), template=template_id
    )


async def delete_template_row(work: UnitOfWork, template_id: int) -> None:
    """Delete a template; campaigns that were scheduled keep its texts."""
    await work.run(delete(templates).where(templates.c.id == bindparam("template")), template=template_id)


async def get_template_rows(work: UnitOfWork, ids: Collection[int]) -> dict[int, SmsTemplateRow]:
    """Templates by id."""
    rows = await work.all(_template, SmsTemplateRow, ids=list(ids)) if ids else []
    return {row.id: row for row in rows}


async def list_template_rows(work: UnitOfWork, limit: int, offset: int) -> tuple[Sequence[SmsTemplateRow], int]:
    """Return a page of templates, by name, and how many there are."""
    rows = await work.all(_templates, SmsTemplateRow, count=limit, skipped=offset)
    return rows, await work.value(select(func.count()).select_from(templates))


async def insert_segment(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Write a segment. Raises `UniqueConflict` for a name that is taken."""
    return await work.insert(segments, **values)


async def update_segment_row(work: UnitOfWork, segment_id: int, values: Mapping[str, Any]) -> None:
    """Change a segment."""
    await work.run(update(segments).where(segments.c.id == bindparam("segment")).values(**values), segment=segment_id)


async def delete_segment_row(work: UnitOfWork, segment_id: int) -> None:
    """Delete a segment."""
    await work.run(delete(segments).where(segments.c.id == bindparam("segment")), segment=segment_id)


async def get_segment_row(work: UnitOfWork, segment_id: int) -> SmsSegmentRow | None:
    """Return a segment, or None."""
    return await work.first(_segment, SmsSegmentRow, segment=segment_id)


async def list_segment_rows(work: UnitOfWork, limit: int, offset: int) -> tuple[Sequence[SmsSegmentRow], int]:
    """Return a page of segments, by name, and how many there are."""
    rows = await work.all(_segments, SmsSegmentRow, count=limit, skipped=offset)
    return rows, await work.value(select(func.count()).select_from(segments))
