"""The rate card of a client."""

from datetime import datetime
from typing import Any

from sqlalchemy import Column, UniqueConstraint, delete, select
from sqlalchemy.sql import bindparam

from haulier.contexts.orders.quotes.rules import QUOTE_VALIDITY, PastRateCard, RateCard
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Json, UTCDateTime, notify_writes, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

RATE_CARDS_CHANNEL = "rate_cards"
"""The channel of notices that a client's rate card changed."""

cards = tenant_table(
    "rate_card",
    Column("card", Json, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id"),
)
plain_columns(cards, "card")
notify_writes(cards, RATE_CARDS_CHANNEL)
past_cards = tenant_table(
    "past_rate_card",
    Column("card", Json, nullable=False),
    Column("replaced_at", UTCDateTime, nullable=False),
)
"""Cards that were replaced, for as long as quotes of them hold."""
plain_columns(past_cards, "card")
_past_rate_cards = select(past_cards).order_by(past_cards.c.replaced_at, past_cards.c.id)
_forget_rate_cards = delete(past_cards).where(past_cards.c.replaced_at < bindparam("before", type_=UTCDateTime))
_rate_card = select(cards.c.card)


async def find_own_rate_card(work: UnitOfWork) -> RateCard | None:
    """The card that the client has set, or None."""
    document = await work.value(_rate_card)
    return RateCard.model_validate(document) if document else None


class PastRateCardRow(Row):
    """A card that was replaced."""

    card: dict[str, Any]
    replaced_at: datetime


async def list_past_rate_cards(work: UnitOfWork) -> list[PastRateCard]:
    """The cards that were replaced while quotes of them may still hold, oldest first."""
    rows = await work.all(_past_rate_cards, PastRateCardRow)
    return [PastRateCard(RateCard.model_validate(row.card), row.replaced_at) for row in rows]


async def save_rate_card(work: UnitOfWork, new: RateCard, *, replaced: RateCard, now: datetime) -> None:
    """Set the client's rate card.

    The replaced card is retained while its quotes are valid.
    """
    await work.run(_forget_rate_cards, before=now - QUOTE_VALIDITY)
    await work.insert(past_cards, card=replaced.model_dump(mode="json"), replaced_at=now)
    await work.upsert(cards, (), card=new.model_dump(mode="json"), updated_at=now)
