"""Tables and column types, declared once for both databases."""

from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    DateTime,
    Identity,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeDecorator, TypeEngine

CLIENT_ID = "client_id"

VOLATILE = {"volatile": True}
"""`Column(…, info=VOLATILE)`: each run of a write makes its value anew, at random or from the moment and the numbers of new
records. Two runs of a write may differ in it and still do the same; see `ColumnMarks`."""


def seconds_in(*members: str) -> dict[str, Any]:
    """`Column("question", Json, info=seconds_in("shift"))`: these members of a document are moments, in seconds since 1970."""
    return {"seconds_in": frozenset(members)}


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

_sources: list[Callable[[], None]] = []


def set_table_source(declare: Callable[[], None]) -> None:
    """Set the function that declares the tables of modules that are not loaded.

    Personal data in them is exported, erased and deleted, too.
    """
    _sources[:] = [declare]


def declare_all_tables() -> None:
    """Declare the tables of modules that are not loaded."""
    for declare in _sources:
        declare()


Id = BigInteger().with_variant(Integer(), "sqlite")
"""A record's number, or a reference to one: 64 bits on both databases."""


# Why "C": PostgreSQL then compares bytes, as SQLite does, so that sort keys mean the same on both.
SortKey: Any = Text().with_variant(Text(collation="C"), "postgresql")
"""A text that sorts as some value does; see `kernel/values/sort_keys.py`."""


def is_id(type_: object) -> bool:
    """Whether a column type is `Id`."""
    return isinstance(type_, BigInteger) and "sqlite" in type_._variant_mapping


ValueProcessor = Callable[[Any], Any]


def is_sqlite(dialect: Dialect) -> bool:
    """Whether a dialect is SQLite's; everything else is PostgreSQL."""
    return dialect.name == "sqlite"


def _to_text(value: datetime | None) -> str | None:
    aware = _aware(value)
    return aware and _utc_text(aware.astimezone(UTC))


@lru_cache(maxsize=256)  # one moment, that of the call, stands in most columns of most rows of a write
def _utc_text(moment: datetime) -> str:
    # Why only of UTC: elsewhere the two moments that share an hour when clocks go back are equal, and so one key.
    return moment.isoformat(timespec="microseconds")[:-6] + "Z"


def _aware(value: datetime | None) -> datetime | None:
    if value is not None and value.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone")
    return value


def _from_text(value: str | None) -> datetime | None:
    return None if value is None else datetime.fromisoformat(value)


def _encode(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


def _decode(value: str | None) -> Any:
    return None if value is None else msgspec.json.decode(value)


class UTCDateTime(TypeDecorator[datetime]):
    """An instant. Aware in, aware UTC out; `timestamptz` on PostgreSQL, sortable ISO 8601 text with Z on SQLite."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Text on SQLite, a time stamp with time zone elsewhere."""
        return dialect.type_descriptor(Text() if is_sqlite(dialect) else DateTime(timezone=True))

    def bind_processor(self, dialect: Dialect) -> Any:
        """Refuses naive times with `ValueError`."""
        return _to_text if is_sqlite(dialect) else _aware

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """The drivers of PostgreSQL already give aware UTC times."""
        return _from_text if is_sqlite(dialect) else None


class Json(TypeDecorator[Any]):
    """A document: JSONB on PostgreSQL, text on SQLite. Anything msgspec encodes goes in; plain values come out."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """JSONB on PostgreSQL, text on SQLite."""
        return dialect.type_descriptor(Text() if is_sqlite(dialect) else JSONB())

    def bind_processor(self, dialect: Dialect) -> Any:
        """Absent stays NULL; it is never written as the document `null`."""
        return _encode

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Both drivers hand documents out as text."""
        return _decode


class ArrayParam(TypeDecorator[Any]):
    """Many values in one parameter: an array on PostgreSQL, a JSON array on SQLite. See `statements.in_param`."""

    impl = Text
    cache_ok = True

    def __init__(self, item: TypeEngine[Any]) -> None:
        super().__init__()
        self.item = item

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """An array of the item's own type on PostgreSQL."""
        return dialect.type_descriptor(Text() if is_sqlite(dialect) else ARRAY(self.item))

    def bind_processor(self, dialect: Dialect) -> Any:
        """Any collection of plain values goes in."""
        item: ValueProcessor | None = self.item.dialect_impl(dialect).bind_processor(dialect)

        def listed(values: Any) -> list[Any]:
            return [item(value) for value in values] if item else list(values)

        return (lambda values: _encode(listed(values))) if is_sqlite(dialect) else listed


class Placement(StrEnum):
    """Where the rows of a table are once the database is distributed; see `haulier db distribute`."""

    DISTRIBUTED = "distributed"
    """By client: all rows of a client, of all these tables, are on one node."""
    REFERENCE = "reference"
    """All rows on every node, because statements on distributed tables join them. Each write goes to every node."""
    LOCAL = "local"
    """All rows on the coordinator alone."""


class TenantKey(PrimaryKeyConstraint):
    """The primary key of a tenant table: the columns given, and on PostgreSQL the client before them.

    # Why: a database that is distributed by client can hold no key that does not name the client. SQLite is never
    # distributed, and there an integer that is a key by itself is the row's own address.
    """


@compiles(TenantKey, "postgresql")
def _with_client(key: TenantKey, compiler: Any, **kw: Any) -> str:
    return compiler.visit_primary_key_constraint(key, **kw).replace("KEY (", f"KEY ({CLIENT_ID}, ", 1)


def key_columns(table: Table, dialect: Dialect) -> tuple[str, ...]:
    """The columns of a table's primary key on one kind of database, in their order."""
    names = tuple(column.name for column in table.primary_key)
    return names if is_sqlite(dialect) or not isinstance(table.primary_key, TenantKey) else (CLIENT_ID, *names)


def shared_table(
    name: str,
    *items: SchemaItem,
    everywhere: bool = False,
    derived: bool = False,
    unlogged: bool = False,
    machinery: bool = False,
    metadata: MetaData = metadata,
) -> Table:
    """A table outside the tenant filter, with `id` as its primary key.

    `everywhere` is for one that statements on tenant tables join, and that is seldom written: in a distributed database it
    is a reference table, any other is local. `derived` is for one that only repeats what other rows say, so that they are
    found: a dry run does not show its changes. `unlogged` is for one that need not survive a crash of PostgreSQL.
    `machinery` is for what calls leave behind in passing (jobs, counts, the audit trail): its writes make no kept answer
    old, and no answer that was read from it is kept (`TouchedTables`).
    """
    table = _table_with_id(name, PrimaryKeyConstraint("id"), *items, metadata=metadata)
    table.info |= {
        "placement": Placement.REFERENCE if everywhere else Placement.LOCAL,
        "derived": derived,
        "unlogged": unlogged,
        "machinery": machinery,
    }
    return table


def _table_with_id(name: str, key: PrimaryKeyConstraint, *items: SchemaItem, metadata: MetaData) -> Table:
    return Table(name, metadata, Column("id", Id, Identity()), *items, key, sqlite_autoincrement=True)


def append_only_table(
    name: str, *items: SchemaItem, key: tuple[str, str], partitions: int = 0, metadata: MetaData = metadata
) -> Table:
    """A table of a client that only ever grows, kept in the order of its key: the rows of one `key[0]` lie side by side.

    Clustered by the key on SQLite; on PostgreSQL in so many `partitions`, by a hash of `key[0]`. It has no `id` of its own.
    """
    columns = (Column(CLIENT_ID, Id, nullable=False), *items, TenantKey(*key))
    options: Any = {"postgresql_partition_by": f"HASH ({key[0]})"} if partitions else {}
    table = Table(name, metadata, *columns, sqlite_with_rowid=False, **options)
    table.info |= {"tenant": True, "placement": Placement.DISTRIBUTED, "partitions": partitions}
    return table


def tenant_table(name: str, *items: SchemaItem, metadata: MetaData = metadata) -> Table:
    """A table whose rows belong to a client: adds `id` and `client_id`, which are its key (`TenantKey`).

    The data port writes the tenant predicate into every statement on it. What is unique in it is so within a client: each
    unique constraint begins with `client_id`. What must be unique on the whole platform is in a `directory_table`.
    `client_id` is indexed on its own only when no index or unique constraint starts with it.
    """
    table = _table_of_clients(name, TenantKey("id"), *items, metadata=metadata)
    table.info["placement"] = Placement.DISTRIBUTED
    return table


def directory_table(
    name: str, *items: SchemaItem, why: str, everywhere: bool = False, metadata: MetaData = metadata
) -> Table:
    """A table whose rows belong to a client, but are found before the client is known, or name two clients.

    As a `tenant_table`, save that its constraints hold on the whole platform; so a distributed database keeps it in one
    piece, and it must stay small beside the tables of the business. `why` says what asks for it without a client;
    `everywhere` is as for `shared_table`.
    """
    if not why:
        raise ValueError("a directory needs a reason")
    table = _table_of_clients(name, PrimaryKeyConstraint("id"), *items, metadata=metadata)
    table.info |= {"directory": why, "placement": Placement.REFERENCE if everywhere else Placement.LOCAL}
    return table


def _table_of_clients(name: str, key: PrimaryKeyConstraint, *items: SchemaItem, metadata: MetaData) -> Table:
    table = _table_with_id(name, key, Column(CLIENT_ID, Id, nullable=False), *items, metadata=metadata)
    table.info["tenant"] = True
    leading = [tuple(index.columns)[:1] for index in table.indexes]
    leading += [tuple(c.columns)[:1] for c in table.constraints if isinstance(c, UniqueConstraint)]
    if (table.c[CLIENT_ID],) not in leading:
        Index(None, table.c[CLIENT_ID])
    return table


def partial_unique_index(name: str, condition: str | ColumnElement[bool], *columns: Column[Any]) -> Index:
    """A unique index on these columns among the rows that match a condition; it also holds under parallel writes.

    That of a tenant table is of each client by itself.
    """
    fits = text(condition) if isinstance(condition, str) else condition
    table: Any = columns[0].table
    first = [table.c[CLIENT_ID]] if placement_of(table) is Placement.DISTRIBUTED else []
    return Index(name, *first, *columns, unique=True, sqlite_where=fits, postgresql_where=fits)


class Announcement(msgspec.Struct, frozen=True):
    """Which writes of a table are announced, and on which channel."""

    channel: str
    new_rows: bool
    silent_columns: frozenset[str]


def announce_writes(
    table: Table, channel: str, *, new_rows: bool = True, silent_columns: Collection[str] = frozenset()
) -> None:
    """Have every write of a table told on a channel after its commit, whoever writes: nobody has to remember to.

    The subject is the client whose rows they are, or everything where a write is not confined to one. Silent are writes of
    nothing but `silent_columns` and, without `new_rows`, plain inserts.
    """
    table.info["announcement"] = Announcement(channel, new_rows, frozenset(silent_columns))


def announcement_of(table: Any) -> Announcement | None:
    """How writes of a table are announced; None where they are not."""
    return table.info.get("announcement")


def tenant_tables(metadata: MetaData = metadata) -> list[Table]:
    """Every declared table whose rows belong to a client."""
    return [table for table in metadata.sorted_tables if is_tenant_table(table)]


class ColumnMarks(msgspec.Struct, frozen=True, kw_only=True):
    """Which columns are volatile and which hold moments, by table: for the comparison of two runs of a write."""

    volatile: Mapping[str, frozenset[str]]
    """The columns whose values each run makes anew."""
    seconds: Mapping[str, frozenset[str]]
    """The members of documents that are moments in seconds since 1970."""


def column_marks(metadata: MetaData = metadata) -> ColumnMarks:
    """The marks of all declared columns."""
    tables = metadata.tables.items()
    return ColumnMarks(
        volatile={name: frozenset(c.name for c in table.c if c.info.get("volatile")) for name, table in tables},
        seconds={
            name: frozenset[str]().union(*(c.info.get("seconds_in", ()) for c in table.c)) for name, table in tables
        },
    )


def is_derived(table: Table) -> bool:
    """Whether a table only repeats what other rows say."""
    return bool(table.info.get("derived"))


def is_unlogged(table: Table) -> bool:
    """Whether a table need not survive a crash of the database."""
    return bool(table.info.get("unlogged"))


def is_machinery(table: Any) -> bool:
    """Whether a table holds only what calls leave behind in passing."""
    return bool(table.info.get("machinery"))


def is_tenant_table(table: Any) -> bool:
    """Whether a table's rows belong to a client."""
    return bool(table.info.get("tenant"))


def placement_of(table: Table) -> Placement:
    """Where a table's rows are once the database is distributed. Raises `KeyError` for a table that no maker here made."""
    return table.info["placement"]
