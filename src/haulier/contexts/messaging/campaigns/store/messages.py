"""Tables and statements of campaigns: messages.

No other statement leads a text out of `waiting` towards a provider.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, case, func, or_, select, update

from haulier.contexts.messaging.campaigns.rules.campaigns import MessageState, SkipReason
from haulier.contexts.messaging.campaigns.store.contacts import asked_for_each, is_suppressed, may_receive
from haulier.contexts.messaging.campaigns.store.tables import (
    SmsMessageRow,
    SmsReplyRow,
    campaigns,
    contacts,
    messages,
    replies,
)
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

DAY = timedelta(days=1)
WAITING, SENDING, UNKNOWN = (
    state.value for state in (MessageState.WAITING, MessageState.SENDING, MessageState.UNKNOWN)
)


class Candidate(Row):
    """A text that waits."""

    id: int
    country: str
    cost_micros: int


class ClaimedMessage(Row):
    """A text that was claimed."""

    id: int
    campaign_id: int | None
    phone: str
    text: str
    cost_micros: int


_of_campaign = messages.c.campaign_id == bindparam("campaign")
_earlier = messages.alias("earlier")
_lately = (
    select(func.count())
    .select_from(_earlier)
    .where(_earlier.c.number_key == messages.c.number_key, _earlier.c.claimed_at > bindparam("day_ago"))
    .correlate(messages)
    .scalar_subquery()
)
_candidates = (
    select(messages.c.id, messages.c.country, messages.c.cost_micros)
    .where(
        _of_campaign,
        messages.c.state == WAITING,
        in_param(messages.c.place, "places"),
        _lately < bindparam("contact_cap"),
    )
    .order_by(messages.c.position)
    .limit(bindparam("room"))
)
_is_contact = asked_for_each(
    select(contacts.c.id).where(contacts.c.number_key == messages.c.number_key).correlate(messages)
)
_chosen = (in_param(messages.c.id, "ids"), messages.c.state == WAITING)
_claim = (
    update(messages)
    .where(*_chosen, _is_contact, may_receive(messages, messages.c.purpose))
    .values(state=SENDING, claimed_at=bindparam("claimed"))
    .returning(messages.c.id, messages.c.campaign_id, messages.c.phone, messages.c.text, messages.c.cost_micros)
)
_skip = (
    update(messages)
    .where(*_chosen)
    .values(
        state=MessageState.SKIPPED.value,
        reason=case(
            (~_is_contact, SkipReason.CONTACT_GONE.value),
            (is_suppressed(messages, messages.c.purpose), SkipReason.SUPPRESSED.value),
            else_=SkipReason.NO_CONSENT.value,
        ),
        settled_at=bindparam("settled"),
    )
)
_claimed_since = select(func.count()).select_from(messages).where(messages.c.claimed_at > bindparam("since"))
_cost = select(func.coalesce(func.sum(messages.c.cost_micros), 0)).where(
    _of_campaign, messages.c.claimed_at.is_not(None)
)
_states = select(messages.c.state).where(_of_campaign, messages.c.state == bindparam("state")).limit(1)
_claim_open = messages.c.state.in_([SENDING, UNKNOWN])
_record = (
    update(messages)
    .where(messages.c.id == bindparam("message"))
    .values(
        state=case((_claim_open, bindparam("new_state")), else_=messages.c.state),
        reason=case((_claim_open, bindparam("new_reason")), else_=messages.c.reason),
        provider_ref=func.coalesce(bindparam("reference", type_=messages.c.provider_ref.type), messages.c.provider_ref),
        sent_at=func.coalesce(bindparam("sent", type_=messages.c.sent_at.type), messages.c.sent_at),
    )
)
_give_back = (
    update(messages)
    .where(messages.c.id == bindparam("message"), messages.c.state == SENDING)
    .values(state=WAITING, claimed_at=None)
)
_lost = (
    update(messages)
    .where(_of_campaign, messages.c.state == SENDING, messages.c.claimed_at < bindparam("before"))
    .values(state=UNKNOWN)
)
_drop = (
    update(messages)
    .where(_of_campaign, messages.c.state == WAITING)
    .values(
        state=MessageState.SKIPPED.value, reason=SkipReason.CAMPAIGN_CANCELLED.value, settled_at=bindparam("settled")
    )
)


async def list_candidates(
    work: UnitOfWork, campaign_id: int, places: Collection[str], *, contact_cap: int, now: datetime, room: int
) -> list[Candidate]:
    """Return the next messages of a campaign to places within their hours.

    Only numbers with fewer than `contact_cap` messages within a day.
    """
    values: dict[str, Any] = {"campaign": campaign_id, "places": sorted(places), "contact_cap": contact_cap}
    return await work.all(_candidates, Candidate, **values, day_ago=now - DAY, room=room)


async def claim_messages(
    work: UnitOfWork, ids: Sequence[int], now: datetime, sufficient: Sequence[str]
) -> list[ClaimedMessage]:
    """Claim the waiting messages that may be sent; skip the others with a reason.

    `sufficient` are the keys of legally sufficient consents.
    """
    claimed = await work.all(_claim, ClaimedMessage, ids=list(ids), now=now, claimed=now, sufficient=list(sufficient))
    if len(claimed) < len(ids):
        await work.run(_skip, ids=list(ids), settled=now)
    return claimed


async def count_claimed_since(work: UnitOfWork, since: datetime) -> int:
    """Return the number of the client's messages claimed after a moment."""
    return await work.value(_claimed_since, since=since)


async def sum_cost(work: UnitOfWork, campaign_id: int) -> int:
    """Return the cost of the claimed messages of a campaign, in millionths."""
    return int(await work.value(_cost, campaign=campaign_id))


async def has_messages(work: UnitOfWork, campaign_id: int, state: MessageState) -> bool:
    """Return True if a campaign has a message in a state."""
    return await work.first(_states, campaign=campaign_id, state=state.value) is not None


async def record_outcomes(work: UnitOfWork, outcomes: Sequence[Mapping[str, Any]]) -> None:
    """Write the provider's results of handed-over messages.

    Receipts that came in the meantime take precedence.
    """
    await work.run_many(_record, outcomes)


async def release_messages(work: UnitOfWork, ids: Sequence[int]) -> None:
    """Let texts wait again that the provider certainly did not take."""
    await work.run_many(_give_back, [{"message": id} for id in ids])


async def fail_lost_messages(work: UnitOfWork, campaign_id: int, before: datetime) -> int:
    """Mark messages that were claimed before a moment and never recorded.

    Their outcome is unknown, and they are not sent again.
    """
    return await work.run(_lost, campaign=campaign_id, before=before)


async def delete_waiting_messages(work: UnitOfWork, campaign_id: int, now: datetime) -> None:
    """Skip what waits of a campaign that was cancelled."""
    await work.run(_drop, campaign=campaign_id, settled=now)


class MessageCount(Row):
    """Number of messages of a variant in a state."""

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


_state = bindparam("state", type_=messages.c.state.type)
_of_state = or_(_state.is_(None), messages.c.state == _state)
_message_page = (
    select(messages)
    .where(_of_campaign, _of_state)
    .order_by(messages.c.position)
    .limit(bindparam("count"))
    .offset(bindparam("skipped"))
)
_message_count = select(func.count()).select_from(messages).where(_of_campaign, _of_state)
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
    """Return the message of a receipt, by the provider's reference or our own."""
    found = await work.first(_by_reference, SmsMessageRow, reference=reference)
    if found is None and message_id is not None:
        found = await work.first(_by_id, SmsMessageRow, message=message_id)
    return found


async def find_message_to(work: UnitOfWork, key: str, references: Sequence[str]) -> SmsMessageRow | None:
    """Return the message to a number for a receipt with an unknown reference.

    The reference is written differently, or not recorded yet.
    """
    return await work.first(_by_number, SmsMessageRow, key=key, references=list(references))


async def get_latest_message(work: UnitOfWork, key: str) -> SmsMessageRow | None:
    """Return the last text that was sent to a number, or None."""
    return await work.first(_latest_to, SmsMessageRow, key=key)


async def list_message_rows(
    work: UnitOfWork, campaign_id: int, state: str | None, *, limit: int, offset: int
) -> tuple[list[SmsMessageRow], int]:
    """Return a page of a campaign's messages in order, and their number."""
    rows = await work.all(_message_page, SmsMessageRow, campaign=campaign_id, state=state, count=limit, skipped=offset)
    return rows, await work.value(_message_count, campaign=campaign_id, state=state)


async def count_messages(work: UnitOfWork, campaign_id: int) -> list[MessageCount]:
    """Return the number of a campaign's messages by state and variant."""
    return await work.all(_counts, MessageCount, campaign=campaign_id)


async def find_link(work: UnitOfWork, campaign_id: int, position: int, link_key: str) -> LinkTarget | None:
    """Where a short link leads, or None."""
    return await work.first(_link, LinkTarget, campaign=campaign_id, position=position, link_key=link_key)


async def count_visit(work: UnitOfWork, message_id: int, now: datetime) -> None:
    """Count a visit of a text's link."""
    await work.run(_visit, message=message_id, now=now)


_needs = bindparam("needs_person", type_=replies.c.needs_person.type)
_wanted = or_(_needs.is_(None), replies.c.needs_person == _needs)
_reply_page = (
    select(replies).where(_wanted).order_by(replies.c.id.desc()).limit(bindparam("count")).offset(bindparam("skipped"))
)
_reply_count = select(func.count()).select_from(replies).where(_wanted)
_reply_open = (
    select(func.count())
    .select_from(replies)
    .where(replies.c.number_key == bindparam("key"), replies.c.needs_person.is_(True))
    .where(replies.c.meaning == "in_question")
)


async def insert_reply(work: UnitOfWork, values: Mapping[str, Any]) -> bool:
    """Write an answer; False where it came before."""
    return bool(await work.insert_new(replies, [values], returning=("id",)))


async def count_open_questions(work: UnitOfWork, key: str) -> int:
    """Return the number of unread replies of a number that may mean STOP."""
    return await work.value(_reply_open, key=key)


async def list_reply_rows(
    work: UnitOfWork, needs_person: bool | None, *, limit: int, offset: int
) -> tuple[list[SmsReplyRow], int]:
    """Return a page of answers, newest first, and how many there are."""
    rows = await work.all(_reply_page, SmsReplyRow, needs_person=needs_person, count=limit, skipped=offset)
    return rows, await work.value(_reply_count, needs_person=needs_person)
