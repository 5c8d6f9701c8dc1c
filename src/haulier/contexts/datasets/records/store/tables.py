"""The tables of records, their words and their earlier versions."""

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
    cast,
    func,
    text,
)

from haulier.contexts.datasets.records.rules.persons import (
    names_of,
    tells_of,
    values_tell_of,
    without_person,
    words_without_person,
)
from haulier.contexts.datasets.records.rules.shapes import SLOTS
from haulier.kernel.data.full_text import search_table
from haulier.kernel.data.personal_data import PersonKeys, RecordKind, any_of, personal_data
from haulier.kernel.data.statements import contains_pattern
from haulier.kernel.data.tables import Json, SortKey, UTCDateTime, tenant_table
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
    """Rows whose values hold a text that a person is known by; telephone numbers are looked for as they are written."""
    document = cast(table.c["values"], Text)
    texts = {form for name in names_of(keys) for form in (name, name.lower())}
    return any_of(
        column.like(contains_pattern(each), escape="/")
        for each in sorted(texts)
        for column in (document, func.lower(document))
    )


def _words_telling_of(keys: PersonKeys) -> ColumnElement[bool] | None:
    """The words of records that tell of a person: all those by which one of the names would be found."""
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
