"""Texts are claimed before they are handed over: the statement that claims one is the statement that asks for the right to.

No other statement leads a text out of `waiting` towards a provider.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, case, func, select, update

from haulier.contexts.messaging.campaigns.rules.lifecycle import MessageState, SkipReason
from haulier.contexts.messaging.campaigns.store.rights import asked_for_each, is_suppressed, may_receive
from haulier.contexts.messaging.campaigns.store.tables import contacts, messages
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


class ClaimedText(Row):
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
_open = messages.c.state.in_([SENDING, UNKNOWN])
_record = (
    update(messages)
    .where(messages.c.id == bindparam("message"))
    .values(
        state=case((_open, bindparam("new_state")), else_=messages.c.state),
        reason=case((_open, bindparam("new_reason")), else_=messages.c.reason),
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
    """Return the next texts of a campaign to places where it is the hour, whose numbers got fewer than so many within a
    day.
    """
    values: dict[str, Any] = {"campaign": campaign_id, "places": sorted(places), "contact_cap": contact_cap}
    return await work.all(_candidates, Candidate, **values, day_ago=now - DAY, room=room)


async def claim_texts(
    work: UnitOfWork, ids: Sequence[int], now: datetime, sufficient: Sequence[str]
) -> list[ClaimedText]:
    """Claim those of some waiting texts that may be sent; the others are skipped, each with its reason.

    `sufficient` are the keys of consents that the law takes.
    """
    claimed = await work.all(_claim, ClaimedText, ids=list(ids), now=now, claimed=now, sufficient=list(sufficient))
    if len(claimed) < len(ids):
        await work.run(_skip, ids=list(ids), settled=now)
    return claimed


async def count_claimed_since(work: UnitOfWork, since: datetime) -> int:
    """How many texts of the client were claimed after a moment."""
    return await work.value(_claimed_since, since=since)


async def sum_cost(work: UnitOfWork, campaign_id: int) -> int:
    """What the texts of a campaign cost that were claimed, in millionths."""
    return int(await work.value(_cost, campaign=campaign_id))


async def has_texts(work: UnitOfWork, campaign_id: int, state: MessageState) -> bool:
    """Whether a campaign has a text in a state."""
    return await work.first(_states, campaign=campaign_id, state=state.value) is not None


async def record_outcomes(work: UnitOfWork, outcomes: Sequence[Mapping[str, Any]]) -> None:
    """Write what the provider said of texts that were handed over; what a receipt told meanwhile stays."""
    await work.run_many(_record, outcomes)


async def give_texts_back(work: UnitOfWork, ids: Sequence[int]) -> None:
    """Let texts wait again that the provider certainly did not take."""
    await work.run_many(_give_back, [{"message": id} for id in ids])


async def settle_lost_texts(work: UnitOfWork, campaign_id: int, before: datetime) -> int:
    """Texts that were claimed before a moment and never recorded: nobody knows whether they went. They are not sent again."""
    return await work.run(_lost, campaign=campaign_id, before=before)


async def drop_waiting_texts(work: UnitOfWork, campaign_id: int, now: datetime) -> None:
    """Skip what waits of a campaign that was cancelled."""
    await work.run(_drop, campaign=campaign_id, settled=now)
