"""Templates and segments: records that are found by name."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Table, bindparam, func, select

from haulier.contexts.messaging.campaigns.store.tables import SmsSegmentRow, SmsTemplateRow, segments, templates
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


def _page(table: Table) -> Any:
    in_order = select(table).order_by(table.c.name, table.c.id)
    return in_order.limit(bindparam("count")).offset(bindparam("skipped"))


_templates, _segments = _page(templates), _page(segments)
_template = select(templates).where(in_param(templates.c.id, "ids"))


async def get_template_rows(work: UnitOfWork, ids: Collection[int]) -> dict[int, SmsTemplateRow]:
    """Templates by id."""
    rows = await work.all(_template, SmsTemplateRow, ids=list(ids)) if ids else []
    return {row.id: row for row in rows}


async def list_template_rows(work: UnitOfWork, limit: int, offset: int) -> tuple[Sequence[SmsTemplateRow], int]:
    """Return a page of templates, by name, and how many there are."""
    rows = await work.all(_templates, SmsTemplateRow, count=limit, skipped=offset)
    return rows, await work.value(select(func.count()).select_from(templates))


async def list_segment_rows(work: UnitOfWork, limit: int, offset: int) -> tuple[Sequence[SmsSegmentRow], int]:
    """Return a page of segments, by name, and how many there are."""
    rows = await work.all(_segments, SmsSegmentRow, count=limit, skipped=offset)
    return rows, await work.value(select(func.count()).select_from(segments))
