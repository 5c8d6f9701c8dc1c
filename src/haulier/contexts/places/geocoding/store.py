"""Tables and statements of geocoding."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from math import cos, radians
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    Index,
    Integer,
    String,
    UniqueConstraint,
    bindparam,
    delete,
    or_,
    select,
)

from haulier.contexts.places.geocoding.rules.words import MAX_LETTERS, spelling_keys
from haulier.contexts.places.ports import Quality
from haulier.kernel.data.full_text import full_text, ids_with_words, words_column
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import UTCDateTime, shared_table, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.map_cells import MAX_RANGES, NO_CELLS, CellRange

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
# By order: coordinates alone identify no resident, but they were part of a person's order.
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
    """Return known places by key."""
    if not keys:
        return {}
    return {row.place_key: row for row in await work.all(_by_keys, KnownPlaceRow, keys=list(keys))}


async def write_known_places(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write what is known of places; what was known before goes."""
    await work.upsert_many(known_places, {"place_key"}, rows)


MAX_CANDIDATES = 100
MAX_AROUND = 20
"""Addresses near a place that are read to find the nearest house."""
MAX_HOUSES = 5000
"""Houses of some streets that are read to find the nearest one."""
TEXTS = ("country", "region", "city", "postal_code", "address", "unit", "source")

open_addresses = full_text(
    shared_table(
        "open_address",
        Column("country", String(2), nullable=False),
        Column("region", String(100)),
        Column("city", String(200), nullable=False),
        Column("postal_code", String(20)),
        Column("address", String(200), nullable=False),
        Column("unit", String(100)),
        Column("lat", Float, nullable=False),
        Column("lng", Float, nullable=False),
        Column("source", String(100), nullable=False),
        Column("code_key", String(32)),
        Column("town_key", String(32)),
        Column("street_code_key", String(32)),
        Column("street_town_key", String(32)),
        Column("cell", BigInteger),
        words_column(),
        Index("ix_open_address_code_key", "code_key"),
        Index("ix_open_address_town_key", "town_key"),
        Index("ix_open_address_street_code_key", "street_code_key"),
        Index("ix_open_address_street_town_key", "street_town_key"),
        Index("ix_open_address_source", "source"),
        Index("ix_open_address_cell", "cell"),
    )
)
open_places = shared_table(
    "open_place",
    Column("kind", String(20), nullable=False),
    Column("country", String(2), nullable=False),
    Column("key", String(200), nullable=False),
    Column("name", String(200), nullable=False),
    Column("region", String(100)),
    Column("lat", Float, nullable=False),
    Column("lng", Float, nullable=False),
    Column("population", Integer, nullable=False),
    Column("source", String(100), nullable=False),
    Index("ix_open_place_key", "country", "key"),
    Index("ix_open_place_source", "source"),
)
open_spellings = shared_table(
    "open_spelling",
    Column("country", String(2), nullable=False),
    Column("spelling_key", String(MAX_LETTERS), nullable=False),
    Column("word", String(MAX_LETTERS), nullable=False),
    UniqueConstraint("country", "spelling_key", "word"),
    derived=True,
)
"""Words of open addresses, under themselves without one letter."""
plain_columns(open_spellings, "country", "spelling_key", "word")
plain_columns(
    open_addresses, *TEXTS, "lat", "lng", "code_key", "town_key", "street_code_key", "street_town_key", "cell", "words"
)
plain_columns(open_places, "kind", "country", "key", "name", "region", "lat", "lng", "source")


class OpenAddressRow(Row):
    """An address of an open file."""

    id: int
    country: str
    region: str | None
    city: str
    postal_code: str | None
    address: str
    unit: str | None
    lat: float
    lng: float
    source: str
    code_key: str | None
    town_key: str | None
    street_code_key: str | None
    street_town_key: str | None


class OpenSourceRow(Row):
    """The name of an open file."""

    source: str


class OpenSpellingRow(Row):
    """A word of open addresses under one of its keys."""

    spelling_key: str
    word: str


class OpenPlaceRow(Row):
    """The middle of a postal code or a town."""

    kind: str
    country: str
    key: str
    name: str
    region: str | None
    lat: float
    lng: float
    population: int


_at_places = select(open_addresses).where(
    in_param(open_addresses.c.code_key, "keys") | in_param(open_addresses.c.town_key, "keys")
)
_in_streets = (
    select(open_addresses)
    .where(in_param(open_addresses.c.street_code_key, "keys") | in_param(open_addresses.c.street_town_key, "keys"))
    .limit(MAX_HOUSES)
)
_found = select(open_addresses).where(open_addresses.c.id.in_(ids_with_words(open_addresses, "query", MAX_CANDIDATES)))
_places = select(open_places).where(
    open_places.c.country == bindparam("country"),
    in_param(open_places.c.key, "keys"),
)

_north, _east = open_addresses.c.lat - bindparam("lat"), (open_addresses.c.lng - bindparam("lng")) * bindparam("narrow")
_around = (
    select(open_addresses)
    .where(
        or_(
            *(
                open_addresses.c.cell.between(
                    bindparam(f"first_{at}", type_=BigInteger), bindparam(f"last_{at}", type_=BigInteger)
                )
                for at in range(MAX_RANGES)
            )
        )
    )
    .order_by(_north * _north + _east * _east, open_addresses.c.id)
    .limit(MAX_AROUND)
)


async def find_open_addresses_around(
    work: UnitOfWork, lat: float, lng: float, ranges: Sequence[CellRange]
) -> list[OpenAddressRow]:
    """Return up to `MAX_AROUND` addresses in some ranges of cells, nearest first."""
    padded = [*ranges, *[NO_CELLS] * (MAX_RANGES - len(ranges))]
    values: dict[str, Any] = {f"first_{at}": first for at, (first, _) in enumerate(padded)}
    values |= {f"last_{at}": last for at, (_, last) in enumerate(padded)}
    return await work.all(_around, OpenAddressRow, lat=lat, lng=lng, narrow=cos(radians(lat)), **values)


async def find_open_addresses(work: UnitOfWork, keys: Collection[str]) -> list[OpenAddressRow]:
    """The addresses at places, by their keys with a postal code or with a city."""
    if not keys:
        return []
    return await work.all(_at_places, OpenAddressRow, keys=list(keys))


async def find_houses_of_streets(work: UnitOfWork, keys: Collection[str]) -> list[OpenAddressRow]:
    """Houses of streets, by their keys."""
    return await work.all(_in_streets, OpenAddressRow, keys=list(keys)) if keys else []


async def search_open_addresses(work: UnitOfWork, query: Sequence[Collection[str]]) -> list[OpenAddressRow]:
    """Addresses that have some words, in no order, at most `MAX_CANDIDATES`."""
    return await work.all(_found, OpenAddressRow, query=query)


async def find_open_places(work: UnitOfWork, country: str, keys: Collection[str]) -> list[OpenPlaceRow]:
    """The middles of postal codes and towns of a country, by their keys."""
    return await work.all(_places, OpenPlaceRow, country=country, keys=list(keys)) if keys else []


_spelled = select(open_spellings.c.spelling_key, open_spellings.c.word).where(
    open_spellings.c.country == bindparam("country"), in_param(open_spellings.c.spelling_key, "keys")
)


async def find_open_spellings(work: UnitOfWork, country: str, keys: Collection[str]) -> list[OpenSpellingRow]:
    """Return the words of a country's open addresses under some keys."""
    return await work.all(_spelled, OpenSpellingRow, country=country, keys=list(keys)) if keys else []


async def insert_open_spellings(work: UnitOfWork, country: str, words: Collection[str]) -> None:
    """Store the words of a country that are not known yet."""
    known = {row.word for row in await find_open_spellings(work, country, words) if row.word == row.spelling_key}
    rows = [
        {"country": country, "spelling_key": key, "word": word}
        for word in sorted({*words} - known)
        for key in spelling_keys(word)
    ]
    await work.insert_new(open_spellings, rows)


async def insert_open_addresses(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write addresses of a file."""
    await work.insert_many(open_addresses, rows)


async def insert_open_places(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the middles of postal codes or towns."""
    await work.insert_many(open_places, rows)


_sources = select(open_addresses.c.source).where(open_addresses.c.source.startswith(bindparam("prefix"))).distinct()


async def list_open_sources(work: UnitOfWork, prefix: str) -> list[str]:
    """Return the sources of addresses whose names have a prefix."""
    return [row.source for row in await work.all(_sources, OpenSourceRow, prefix=prefix)]


async def delete_open_data(work: UnitOfWork, source: str) -> int:
    """Delete what came from a source. Returns how many rows there were."""
    removed = 0
    for table in (open_addresses, open_places):
        removed += await work.run(delete(table).where(table.c.source == bindparam("source")), source=source)
    return removed
