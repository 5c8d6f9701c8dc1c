"""Campaigns."""

from datetime import datetime

from sqlalchemy import bindparam, func, or_, select

from haulier.contexts.messaging.campaigns.store.tables import SmsCampaignRow, campaigns
from haulier.kernel.data.unit_of_work import UnitOfWork

_status = bindparam("status", type_=campaigns.c.status.type)
_of_status = or_(_status.is_(None), campaigns.c.status == _status)
_page = (
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
    rows = await work.all(_page, SmsCampaignRow, status=status, count=limit, skipped=offset)
    return rows, await work.value(_count, status=status)


async def list_forgotten_campaigns(work: UnitOfWork, now: datetime) -> list[SmsCampaignRow]:
    """Campaigns under way that no job looked at when it should have: their job gave up."""
    return await work.all(_under_way, SmsCampaignRow, now=now)
