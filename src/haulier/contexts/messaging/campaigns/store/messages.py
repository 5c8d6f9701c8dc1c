"""The texts of campaigns: written, told of by receipts, visited, listed and counted."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, case, func, or_, select, update

from haulier.contexts.messaging.campaigns.store.tables import SmsMessageRow, campaigns, messages
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class MessageCount(Row):
    """How many texts of a variant are in a state."""

    variant: str
    state: str
    reason: str | None
    messages: int
    segments: int
    cost_micros: int
    clicked: int
    clicks: int
    opted_out: int


class LinkTarget(Row):
    """The text that a short link is of, and where it leads."""

    id: int
    link_url: str | None


_of_campaign = messages.c.campaign_id == bindparam("campaign")
_state = bindparam("state", type_=messages.c.state.type)
_of_state = or_(_state.is_(None), messages.c.state == _state)
_page = (
    select(messages)
    .where(_of_campaign, _of_state)
    .order_by(messages.c.position)
    .limit(bindparam("count"))
    .offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(messages).where(_of_campaign, _of_state)
_not_sent = messages.c.state.in_(["skipped", "failed"])
_counts = (
    select(
        func.coalesce(messages.c.variant, "A").label("variant"),
        messages.c.state,
        case((_not_sent, messages.c.reason), else_=None).label("reason"),
        func.count().label("messages"),
        func.sum(messages.c.segments).label("segments"),
        func.sum(messages.c.cost_micros).label("cost_micros"),
        func.count(messages.c.clicked_at).label("clicked"),
        func.sum(messages.c.clicks).label("clicks"),
        func.count(messages.c.opted_out_at).label("opted_out"),
    )
    .where(_of_campaign)
    .group_by(messages.c.variant, messages.c.state, case((_not_sent, messages.c.reason), else_=None))
)
_by_reference = select(messages).where(messages.c.provider_ref == bindparam("reference")).limit(1).with_for_update()
_by_id = select(messages).where(messages.c.id == bindparam("message")).with_for_update()
_by_number = (
    select(messages)
    .where(
        messages.c.number_key == bindparam("key"),
        or_(
            in_param(messages.c.provider_ref, "references"),
            messages.c.provider_ref.is_(None) & messages.c.state.in_(["sending", "unknown"]),
        ),
    )
    .order_by(messages.c.provider_ref.is_(None), messages.c.claimed_at.desc())
    .limit(1)
    .with_for_update()
)
_latest_to = (
    select(messages)
    .where(messages.c.number_key == bindparam("key"), messages.c.claimed_at.is_not(None))
    .order_by(messages.c.claimed_at.desc(), messages.c.id.desc())
    .limit(1)
)
_link = (
    select(messages.c.id, campaigns.c.link_url)
    .select_from(messages.join(campaigns, campaigns.c.id == messages.c.campaign_id))
    .where(_of_campaign, messages.c.position == bindparam("position"), messages.c.link_key == bindparam("link_key"))
)
_now = bindparam("now", type_=messages.c.clicked_at.type)
_visit = (
    update(messages)
    .where(messages.c.id == bindparam("message"))
    .values(clicks=messages.c.clicks + 1, clicked_at=func.coalesce(messages.c.clicked_at, _now))
)


async def insert_messages(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write texts; a number that has one of the campaign gets no second one."""
    await work.insert_new(messages, rows, returning=("id",))


async def find_message(work: UnitOfWork, reference: str, message_id: int | None) -> SmsMessageRow | None:
    """Return the text that a receipt is of: by the provider's reference, else by ours."""
    found = await work.first(_by_reference, SmsMessageRow, reference=reference)
    if found is None and message_id is not None:
        found = await work.first(_by_id, SmsMessageRow, message=message_id)
    return found


async def find_message_to(work: UnitOfWork, key: str, references: Sequence[str]) -> SmsMessageRow | None:
    """Return the text to a number that a receipt is of whose reference nobody knows: written otherwise, or not recorded
    yet.
    """
    return await work.first(_by_number, SmsMessageRow, key=key, references=list(references))


async def get_latest_message(work: UnitOfWork, key: str) -> SmsMessageRow | None:
    """Return the last text that was sent to a number, or None."""
    return await work.first(_latest_to, SmsMessageRow, key=key)


async def list_message_rows(
    work: UnitOfWork, campaign_id: int, state: str | None, *, limit: int, offset: int
) -> tuple[list[SmsMessageRow], int]:
    """Return a page of the texts of a campaign, in their order, and how many there are."""
    rows = await work.all(_page, SmsMessageRow, campaign=campaign_id, state=state, count=limit, skipped=offset)
    return rows, await work.value(_count, campaign=campaign_id, state=state)


async def count_messages(work: UnitOfWork, campaign_id: int) -> list[MessageCount]:
    """How many texts of a campaign are in which state, by variant."""
    return await work.all(_counts, MessageCount, campaign=campaign_id)


async def find_link(work: UnitOfWork, campaign_id: int, position: int, link_key: str) -> LinkTarget | None:
    """Where a short link leads, or None."""
    return await work.first(_link, LinkTarget, campaign=campaign_id, position=position, link_key=link_key)


async def count_visit(work: UnitOfWork, message_id: int, now: datetime) -> None:
    """Count a visit of a text's link."""
    await work.run(_visit, message=message_id, now=now)
