"""Geocodings that somebody asked for, and how far each is."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, bindparam, func, select, update

from haulier.contexts.datasets.records.store.tables import records
from haulier.kernel.data.personal_data import RecordKind, plain_columns, retained
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

FOUND = ("exact", "approximate", "not_found")
geocodings = tenant_table(
    "dataset_geocoding",
    Column("dataset_id", BigInteger, nullable=False),
    Column("again", Boolean, nullable=False),
    Column("place", String(12), nullable=False),
    Column("after_id", BigInteger, nullable=False),
    Column("total", Integer, nullable=False),
    Column("done", Integer, nullable=False),
    *(Column(name, Integer, nullable=False) for name in FOUND),
    Column("created_by", BigInteger),
    Column("created_at", UTCDateTime, nullable=False),
    Column("finished_at", UTCDateTime),
    Column("cancelled_at", UTCDateTime),
    Index("ix_dataset_geocoding_dataset", "dataset_id", "id"),
)
plain_columns(geocodings, "place")
retained(RecordKind.DATASET_IMPORTS, geocodings.c.finished_at, default_days=90, minimum_days=7)

_by_id = select(geocodings).where(geocodings.c.id == bindparam("geocoding"))
_by_id_locked = _by_id.with_for_update()
_waiting = (
    select(func.count())
    .select_from(records)
    .where(records.c.dataset_id == bindparam("dataset"), in_param(records.c.place, "places"))
)
_progress = (
    update(geocodings)
    .where(geocodings.c.id == bindparam("geocoding"))
    .values(
        place=bindparam("new_place"),
        after_id=bindparam("new_after"),
        done=geocodings.c.done + bindparam("more"),
        **{name: geocodings.c[name] + bindparam(f"more_{name}") for name in FOUND},
    )
)
_finish = (
    update(geocodings)
    .where(geocodings.c.id == bindparam("geocoding"))
    .values(finished_at=bindparam("now"), cancelled_at=bindparam("cancelled"))
)


class GeocodingRow(Row):
    """A geocoding: it looks for records in the state `place` after the id `after_id` next."""

    id: int
    dataset_id: int
    again: bool
    place: str
    after_id: int
    total: int
    done: int
    exact: int
    approximate: int
    not_found: int
    created_at: datetime
    finished_at: datetime | None
    cancelled_at: datetime | None


async def insert_geocoding(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Write a geocoding that found nothing yet. Returns its id."""
    return await work.insert(geocodings, after_id=0, done=0, **dict.fromkeys(FOUND, 0), **values)


async def get_geocoding_row(work: UnitOfWork, id: int, *, lock: bool = False) -> GeocodingRow | None:
    """A geocoding, or None."""
    return await work.first(_by_id_locked if lock else _by_id, GeocodingRow, geocoding=id)


async def count_records_by_place(work: UnitOfWork, dataset_id: int, places: Collection[str]) -> int:
    """How many records of a dataset are in these states of their place."""
    return await work.value(_waiting, dataset=dataset_id, places=list(places))


async def add_progress(work: UnitOfWork, id: int, place: str, after_id: int, found: Mapping[str, int]) -> None:
    """Count records that were looked for, by what became of them, and say where it goes on."""
    more = {f"more_{name}": found.get(name, 0) for name in FOUND}
    await work.run(_progress, geocoding=id, new_place=place, new_after=after_id, more=sum(found.values()), **more)


async def finish_geocoding(work: UnitOfWork, id: int, now: datetime, *, cancelled: bool = False) -> None:
    """End a geocoding."""
    await work.run(_finish, geocoding=id, now=now, cancelled=now if cancelled else None)
