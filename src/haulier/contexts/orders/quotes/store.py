"""The rate card of a client."""

from typing import Any

from sqlalchemy import Column, UniqueConstraint, select, update
from sqlalchemy.sql import bindparam

from haulier.contexts.orders.quotes.rules import DEFAULT_CARD, RateCard
from haulier.kernel.data.tables import Json, UTCDateTime, tenant_table
from haulier.kernel.data.work import Conflict, Work

cards = tenant_table(
    "rate_card",
    Column("card", Json, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id"),
)
_card = select(cards.c.card)
_set = update(cards).values(card=bindparam("new_card", type_=Json), updated_at=bindparam("now", type_=UTCDateTime))


async def own_card(work: Work) -> RateCard | None:
    """The card that the client has set, or None."""
    found = await work.value(_card)
    return RateCard.model_validate(found) if found else None


async def card(work: Work) -> RateCard:
    """The client's rate card; the default one while the client has not set its own."""
    return await own_card(work) or DEFAULT_CARD


async def set_card(work: Work, new: RateCard, now: Any) -> None:
    """Set the client's rate card."""
    document = new.model_dump(mode="json")
    if not await work.run(_set, new_card=document, now=now):
        try:
            async with work.savepoint():
                await work.insert(cards, card=document, updated_at=now)
        except Conflict:
            await work.run(_set, new_card=document, now=now)
