"""Tables and statements of campaigns: campaigns."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Table, bindparam, func, or_, select

from haulier.contexts.messaging.campaigns.store.tables import (
    SmsCampaignRow,
    SmsMarketingRow,
    SmsSegmentRow,
    SmsTemplateRow,
    campaigns,
    segments,
    settings,
    templates,
)
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_status = bindparam("status", type_=campaigns.c.status.type)
_of_status = or_(_status.is_(None), campaigns.c.status == _status)
_campaign_page = (
    select(campaigns)
    .where(_of_status)
    .order_by(campaigns.c.id.desc())
    .limit(bindparam("count"))
    .offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(campaigns).where(_of_status)
_under_way = (
    select(campaigns)
    .where(
        or_(
            campaigns.c.status == "sending",
            (campaigns.c.status == "scheduled") & (campaigns.c.starts_at <= bindparam("now")),
        ),
        campaigns.c.next_look_at < bindparam("now"),
    )
    .limit(100)
)


async def list_campaign_rows(
    work: UnitOfWork, status: str | None, *, limit: int, offset: int
) -> tuple[list[SmsCampaignRow], int]:
    """Return a page of campaigns, newest first, and how many there are."""
    rows = await work.all(_campaign_page, SmsCampaignRow, status=status, count=limit, skipped=offset)
    return rows, await work.value(_count, status=status)


async def list_forgotten_campaigns(work: UnitOfWork, now: datetime) -> list[SmsCampaignRow]:
    """Return campaigns in progress without a job, because their job gave up."""
    return await work.all(_under_way, SmsCampaignRow, now=now)


_one = select(settings)
_locked = _one.with_for_update()
_by_endpoint = select(settings).where(settings.c.endpoint_key == bindparam("endpoint"))


async def get_settings_row(work: UnitOfWork, *, lock: bool = False) -> SmsMarketingRow | None:
    """Return the client's settings, or None, optionally locked."""
    return await work.first(_locked if lock else _one, SmsMarketingRow)


async def upsert_settings(work: UnitOfWork, values: Mapping[str, Any], endpoint_key: str) -> None:
    """Write the settings; the key of the path stays once it was given."""
    before = await get_settings_row(work, lock=True)
    await work.upsert(settings, (), **values, endpoint_key=before.endpoint_key if before else endpoint_key)


async def find_settings_by_endpoint(work: UnitOfWork, endpoint: str) -> SmsMarketingRow | None:
    """Return the settings whose provider's notices come to a path, of any client."""
    wide = work.without_tenant_filter("the path of a notice says whose it is")
    return await wide.first(_by_endpoint, SmsMarketingRow, endpoint=endpoint)


def _template_page(table: Table) -> Any:
    in_order = select(table).order_by(table.c.name, table.c.id)
    return in_order.limit(bindparam("count")).offset(bindparam("skipped"))


_templates, _segments = _template_page(templates), _template_page(segments)
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
