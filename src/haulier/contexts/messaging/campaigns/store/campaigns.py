"""Campaigns."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, or_, select, update

from haulier.contexts.messaging.campaigns.store.tables import campaigns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork


class SmsCampaignRow(Row):
    """A campaign."""

    id: int
    name: str
    purpose: str
    status: str
    segment_id: int | None
    rules: dict[str, Any] | None
    variants: list[dict[str, Any]]
    link_url: str | None
    starts_at: datetime | None
    cost_cap_micros: int | None
    pause_reason: str | None
    round: int
    places: list[str]
    prepared_until: int | None
    prepared: int
    test: dict[str, Any] | None
    test_until: datetime | None
    winner: str | None
    winner_by: str | None
    winner_at: datetime | None
    created_at: datetime
    begun_at: datetime | None
    finished_at: datetime | None


_by_id = select(campaigns).where(campaigns.c.id == bindparam("campaign"))
_by_id_locked = _by_id.with_for_update()
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


async def insert_campaign(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Write a campaign. Returns the id."""
    return await work.insert(campaigns, **values)


async def update_campaign_row(work: UnitOfWork, campaign_id: int, values: Mapping[str, Any]) -> None:
    """Change a campaign."""
    await work.run(
        update(campaigns).where(campaigns.c.id == bindparam("campaign")).values(**values), campaign=campaign_id
    )


async def get_campaign_row(work: UnitOfWork, campaign_id: int, *, lock: bool = False) -> SmsCampaignRow | None:
    """Return a campaign, or None."""
    return await work.first(_by_id_locked if lock else _by_id, SmsCampaignRow, campaign=campaign_id)


async def list_campaign_rows(
    work: UnitOfWork, status: str | None, *, limit: int, offset: int
) -> tuple[list[SmsCampaignRow], int]:
    """Return a page of campaigns, newest first, and how many there are."""
    rows = await work.all(_page, SmsCampaignRow, status=status, count=limit, skipped=offset)
    return rows, await work.value(_count, status=status)


async def list_forgotten_campaigns(work: UnitOfWork, now: datetime) -> list[SmsCampaignRow]:
    """Campaigns under way that no job looked at when it should have: their job gave up."""
    return await work.all(_under_way, SmsCampaignRow, now=now)
