"""Tables and statements of records: records."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Float,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    and_,
    bindparam,
    cast,
    delete,
    func,
    select,
    text,
    update,
)

from haulier.contexts.datasets.records.rules import (
    SLOTS,
    names_of,
    tells_of,
    values_tell_of,
    without_person,
    words_without_person,
)
from haulier.kernel.data.full_text import WORDS, insert_words, search_table
from haulier.kernel.data.personal_data import PersonKeys, RecordKind, any_of, personal_data
from haulier.kernel.data.statements import Row, contains_pattern, in_param
from haulier.kernel.data.tables import Json, SortKey, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.sort_keys import MISSING
from haulier.kernel.values.words import fold_words


def _present(column: str) -> dict[str, Any]:
    return {"sqlite_where": text(f"{column} IS NOT NULL"), "postgresql_where": text(f"{column} IS NOT NULL")}


records = tenant_table(
    "dataset_record",
    Column("dataset_id", BigInteger, nullable=False),
    Column("key", SortKey),
    Column("values", Json, nullable=False),
    Column("schema_version", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("lat", Float),
    Column("lng", Float),
    Column("cell", BigInteger),
    Column("place", String(12), nullable=False),
    Column("place_quality", String(20)),
    Column("place_fault", String(20)),
    *(Column(name, SortKey) for name in SLOTS),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    Column("updated_by", BigInteger),
    UniqueConstraint("client_id", "dataset_id", "key"),
    Index("ix_dataset_record_place", "dataset_id", "place", "id"),
    Index("ix_dataset_record_id", "dataset_id", "id"),
    Index("ix_dataset_record_cell", "dataset_id", "cell", **_present("cell")),
    *(Index(f"ix_dataset_record_{name}", "dataset_id", name, "id", **_present(name)) for name in SLOTS),
)
words = search_table("dataset_record_words")
versions = tenant_table(
    "dataset_record_version",
    Column("dataset_id", BigInteger, nullable=False),
    Column("record_id", BigInteger, nullable=False),
    Column("version", Integer, nullable=False),
    Column("schema_version", Integer, nullable=False),
    Column("values", Json, nullable=False),
    Column("lat", Float),
    Column("lng", Float),
    Column("written_at", UTCDateTime, nullable=False),
    Column("written_by", BigInteger),
    UniqueConstraint("client_id", "record_id", "version"),
    Index("ix_dataset_record_version_dataset", "dataset_id", "record_id"),
)


def _telling_of(table: Table, keys: PersonKeys) -> ColumnElement[bool] | None:
    """Return the condition for rows with a text about a person.

    Telephone numbers are matched as written.
    """
    document = cast(table.c["values"], Text)
    texts = {form for name in names_of(keys) for form in (name, name.lower())}
    return any_of(
        column.like(contains_pattern(each), escape="/")
        for each in sorted(texts)
        for column in (document, func.lower(document))
    )


def _words_telling_of(keys: PersonKeys) -> ColumnElement[bool] | None:
    """Return the condition for words that would find a person."""
    found = [
        and_(*(words.c.words.contains(f"_{word}", autoescape=True) for word in fold_words(name)))
        for name in names_of(keys)
    ]
    return any_of(found)


def _slot_without_person(column: str) -> Any:
    def erased(row: Any, keys: PersonKeys) -> str | None:
        key = getattr(row, column)
        return MISSING if key and tells_of(key, keys) else key

    return erased


def _key_without_person(row: Any, keys: PersonKeys) -> str | None:
    return f"0{row.id}" if row.key and tells_of(row.key, keys) else row.key


_VALUES_ERASED = {
    "values": lambda row, keys: without_person(row.values, keys),
    "lat": None,
    "lng": None,
}
personal_data(
    records,
    RecordKind.DATASET_RECORDS,
    find=lambda keys: _telling_of(records, keys),
    matches=lambda row, keys: values_tell_of(row.values, keys),
    erased={
        **_VALUES_ERASED,
        "cell": None,
        "key": _key_without_person,
        **{column: _slot_without_person(column) for column in SLOTS},
    },
    plain=("place", "place_quality", "place_fault"),
)
personal_data(
    words,
    RecordKind.DATASET_RECORDS,
    find=_words_telling_of,
    erased={"words": lambda row, keys: words_without_person(row.words, keys)},
)
personal_data(
    versions,
    RecordKind.DATASET_RECORDS,
    find=lambda keys: _telling_of(versions, keys),
    matches=lambda row, keys: values_tell_of(row.values, keys),
    erased=_VALUES_ERASED,
)


MAX_VERSIONS = 100
SHOWN = tuple(
    records.c[name]
    for name in (
        "id", "dataset_id", "key", "values", "schema_version", "version", "lat", "lng", "place", "place_quality", "place_fault",
        "created_at", "updated_at", "updated_by",
    )
)  # fmt: skip
_WRITTEN = (
    "key",
    "values",
    "schema_version",
    "lat",
    "lng",
    "cell",
    "place",
    "place_quality",
    "place_fault",
    *SLOTS,
    "updated_at",
    "updated_by",
)
_one = select(*SHOWN).where(records.c.dataset_id == bindparam("dataset"), records.c.id == bindparam("record"))
_one_locked = _one.with_for_update()
records_by_key = (
    select(*SHOWN)
    .where(records.c.dataset_id == bindparam("dataset"), in_param(records.c.key, "keys"))
    .order_by(records.c.key)
    .with_for_update()
)
_after = (
    select(*SHOWN)
    .where(records.c.dataset_id == bindparam("dataset"), records.c.id > bindparam("after"))
    .order_by(records.c.id)
    .limit(bindparam("count"))
)
_update = (
    update(records)
    .where(records.c.id == bindparam("record"))
    .values(
        **{name: bindparam(f"new_{name}", type_=records.c[name].type) for name in _WRITTEN},
        version=records.c.version + 1,
    )
)
_update_slots = (
    update(records)
    .where(records.c.id == bindparam("record"))
    .values(**{name: bindparam(f"new_{name}", type_=records.c[name].type) for name in SLOTS})
)
_PLACED = ("lat", "lng", "cell", "place", "place_quality", "place_fault")
_update_place = (
    update(records)
    .where(records.c.id == bindparam("record"), records.c.version == bindparam("seen"))
    .values(**{name: bindparam(f"new_{name}", type_=records.c[name].type) for name in _PLACED})
)
_update_words = update(words).where(words.c.id == bindparam("record")).values({WORDS: bindparam("new_words")})
_delete = delete(records).where(in_param(records.c.id, "ids"))
_delete_words = delete(words).where(in_param(words.c.id, "ids"))
_some_ids = select(records.c.id).where(records.c.dataset_id == bindparam("dataset")).limit(bindparam("count"))
_delete_versions = delete(versions).where(versions.c.dataset_id == bindparam("dataset"))
_versions = (
    select(versions)
    .where(versions.c.dataset_id == bindparam("dataset"), versions.c.record_id == bindparam("record"))
    .order_by(versions.c.version.desc())
    .limit(MAX_VERSIONS)
)
_to_place = (
    select(records.c.id, records.c.version, records.c["values"])
    .where(records.c.dataset_id == bindparam("dataset"), records.c.place == bindparam("place"))
    .where(records.c.id > bindparam("after"))
    .order_by(records.c.id)
    .limit(bindparam("count"))
)


class RecordRow(Row):
    """A record."""

    id: int
    dataset_id: int
    key: str | None
    values: dict[str, Any]
    schema_version: int
    version: int
    lat: float | None
    lng: float | None
    place: str
    place_quality: str | None
    place_fault: str | None
    created_at: datetime
    updated_at: datetime
    updated_by: int | None


class RecordVersionRow(Row):
    """A record as it once was."""

    version: int
    schema_version: int
    values: dict[str, Any]
    lat: float | None
    lng: float | None
    written_at: datetime
    written_by: int | None


class UnplacedRow(Row):
    """A record that has no place."""

    id: int
    version: int
    values: dict[str, Any]


async def get_record_row(work: UnitOfWork, dataset_id: int, id: int, *, lock: bool = False) -> RecordRow | None:
    """Return a record, or None."""
    return await work.first(_one_locked if lock else _one, RecordRow, dataset=dataset_id, record=id)


async def lock_records_by_key(work: UnitOfWork, dataset_id: int, keys: Collection[str]) -> dict[str, RecordRow]:
    """Lock and return records by key."""
    if not keys:
        return {}
    rows = await work.all(records_by_key, RecordRow, dataset=dataset_id, keys=list(keys))
    return {row.key or "": row for row in rows}


async def insert_records(work: UnitOfWork, rows: Sequence[Mapping[str, Any]], texts: Sequence[str]) -> list[int]:
    """Insert records with their words. Return their ids.

    Raises `UniqueConflict` for a key that exists.
    """
    ids = await work.insert_many(records, rows)
    await insert_words(work, words, [*zip(ids, texts, strict=True)])
    return ids


async def update_records(
    work: UnitOfWork, changed: Sequence[tuple[RecordRow, Mapping[str, Any]]], texts: Sequence[str]
) -> None:
    """Replace records with their words, and store their versions.

    Raises `UniqueConflict` for a key that exists.
    """
    await insert_versions(work, [row for row, _ in changed])
    written = [{"record": row.id, **{f"new_{name}": values[name] for name in _WRITTEN}} for row, values in changed]
    await work.run_many(_update, written)
    await work.run_many(
        _update_words, [{"record": row.id, "new_words": text} for (row, _), text in zip(changed, texts, strict=True)]
    )


async def insert_versions(work: UnitOfWork, rows: Sequence[RecordRow]) -> None:
    """Store the current versions of records before they change."""
    kept = ("version", "schema_version", "values", "lat", "lng", "dataset_id")
    await work.insert_many(
        versions,
        [
            {
                "record_id": row.id,
                **{name: getattr(row, name) for name in kept},
                "written_at": row.updated_at,
                "written_by": row.updated_by,
            }
            for row in rows
        ],
    )


async def delete_record_rows(work: UnitOfWork, ids: Collection[int]) -> None:
    """Delete records with their words."""
    await work.run(_delete_words, ids=list(ids))
    await work.run(_delete, ids=list(ids))


async def delete_some_records(work: UnitOfWork, dataset_id: int, count: int) -> bool:
    """Delete a batch of records. Return False if there were none.

    Their versions are deleted at the end.
    """
    ids = [row.id for row in await work.all(_some_ids, dataset=dataset_id, count=count)]
    if ids:
        await delete_record_rows(work, ids)
        return True
    await work.run(_delete_versions, dataset=dataset_id)
    return False


async def list_records_after(work: UnitOfWork, dataset_id: int, after: int, count: int) -> list[RecordRow]:
    """Return the next records by id."""
    return await work.all(_after, RecordRow, dataset=dataset_id, after=after, count=count)


async def update_sort_keys(work: UnitOfWork, rows: Sequence[tuple[int, Mapping[str, str | None]]]) -> None:
    """Write the sort keys of records."""
    await work.run_many(
        _update_slots, [{"record": id, **{f"new_{name}": key for name, key in keys.items()}} for id, keys in rows]
    )


async def list_record_version_rows(work: UnitOfWork, dataset_id: int, record_id: int) -> list[RecordVersionRow]:
    """Return the last hundred earlier versions of a record, newest first."""
    return await work.all(_versions, RecordVersionRow, dataset=dataset_id, record=record_id)


async def list_unplaced(work: UnitOfWork, dataset_id: int, place: str, after: int, count: int) -> list[UnplacedRow]:
    """Return the next records by id with this unknown place state."""
    return await work.all(_to_place, UnplacedRow, dataset=dataset_id, place=place, after=after, count=count)


async def update_places(work: UnitOfWork, rows: Sequence[tuple[UnplacedRow, Mapping[str, Any]]]) -> None:
    """Update the places of records that were not changed since they were read."""
    await work.run_many(
        _update_place,
        [
            {"record": row.id, "seen": row.version, **{f"new_{name}": place[name] for name in _PLACED}}
            for row, place in rows
        ],
    )
