"""What a business knows of places by itself: where its deliveries were, where a person put a pin, what a geocoder answered."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, Float, String, UniqueConstraint, select

from haulier.contexts.places.ports import Quality
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

known_places = tenant_table(
    "known_place",
    Column("place_key", String(32), nullable=False),
    Column("lat", Float, nullable=False),
    Column("lng", Float, nullable=False),
    Column("quality", String(20), nullable=False, info={"enum": Quality}),
    Column("source", String(40), nullable=False),
    Column("order_id", BigInteger),
    Column("learned_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "place_key"),
)
# Why by the order: coordinates alone say nothing of who lives there, but they stood in a person's order.
personal_data(known_places, RecordKind.ORDER_CONTACTS, by={"order_id": PersonKey.ORDER})


class KnownPlaceRow(Row):
    """A place that is known."""

    place_key: str
    lat: float
    lng: float
    quality: str
    source: str
    learned_at: datetime


_by_keys = select(known_places).where(in_param(known_places.c.place_key, "keys"))


async def get_known_places(work: UnitOfWork, keys: Collection[str]) -> dict[str, KnownPlaceRow]:
    """What is known, by key."""
    if not keys:
        return {}
    return {row.place_key: row for row in await work.all(_by_keys, KnownPlaceRow, keys=list(keys))}


async def write_known_places(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write what is known of places; what was known before goes."""
    await work.upsert_many(known_places, {"place_key"}, rows)
