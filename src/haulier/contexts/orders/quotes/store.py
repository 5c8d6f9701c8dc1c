"""The rate card of a client."""

from datetime import datetime

from sqlalchemy import Column, UniqueConstraint, select, update
from sqlalchemy.sql import bindparam

from haulier.contexts.orders.quotes.rules import DEFAULT_RATE_CARD, RateCard
from haulier.kernel.data.tables import Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UniqueConflict, UnitOfWork

cards = tenant_table(
    "rate_card",
    Column("card", Json, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id"),
)
_rate_card = select(cards.c.card)
_update_rate_card = update(cards).values(
    card=bindparam("new_card", type_=Json), updated_at=bindparam("now", type_=UTCDateTime)
)


async def find_own_rate_card(work: UnitOfWork) -> RateCard | None:
    """The card that the client has set, or None."""
    document = await work.value(_rate_card)
    return RateCard.model_validate(document) if document else None


async def load_rate_card(work: UnitOfWork) -> RateCard:
    """The client's rate card; the default one while the client has not set its own."""
    return await find_own_rate_card(work) or DEFAULT_RATE_CARD


async def save_rate_card(work: UnitOfWork, new: RateCard, now: datetime) -> None:
    """Set the client's rate card."""
    document = new.model_dump(mode="json")
    if not await work.run(_update_rate_card, new_card=document, now=now):
        try:
            async with work.savepoint():
                await work.insert(cards, card=document, updated_at=now)
        except UniqueConflict:
            await work.run(_update_rate_card, new_card=document, now=now)
