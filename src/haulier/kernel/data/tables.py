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
"""Mark for columns whose values differ between two runs of the same write: random or time-based values, and numbers
of new records. See `ColumnMarks`."""


def seconds_in(*members: str) -> dict[str, Any]:
    """Mark members of a JSON column as timestamps in seconds since 1970.

    Example: `Column("question", Json, info=seconds_in("shift"))`.
    """
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

    Personal data in these tables is exported, erased and deleted, too.
    """
    _sources[:] = [declare]


def declare_all_tables() -> None:
    """Declare the tables of modules that are not loaded."""
    for declare in _sources:
        declare()


Id = BigInteger().with_variant(Integer(), "sqlite")
"""A record id or a reference to one: 64 bits on both databases."""


# Collation "C" compares bytes, as SQLite does, so that sort keys order equally on both.
SortKey: Any = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that sorts like another value; see `kernel/values/sort_keys.py`."""


def is_id(type_: object) -> bool:
    """Return True if a column type is `Id`."""
    return isinstance(type_, BigInteger) and "sqlite" in type_._variant_mapping


ValueProcessor = Callable[[Any], Any]


def is_sqlite(dialect: Dialect) -> bool:
    """Return True for SQLite's dialect. Every other dialect is PostgreSQL."""
    return dialect.name == "sqlite"


def _to_text(value: datetime | None) -> str | None:
    aware = _aware(value)
    return aware and _utc_text(aware.astimezone(UTC))


@lru_cache(maxsize=256)  # most columns of a write hold the same moment, that of the call
def _utc_text(moment: datetime) -> str:
    # Only UTC: in other zones, two moments in the repeated hour of a clock change compare equal and would share a
    # key.
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
    """A timestamp, always aware and in UTC.

    `timestamptz` on PostgreSQL, sortable ISO 8601 text on SQLite.
    """

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return text on SQLite, a timestamp with time zone otherwise."""
        return dialect.type_descriptor(Text() if is_sqlite(dialect) else DateTime(timezone=True))

    def bind_processor(self, dialect: Dialect) -> Any:
        """Return the conversion to the database. Naive times raise `ValueError`."""
        return _to_text if is_sqlite(dialect) else _aware

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Return the conversion from the database.

        PostgreSQL's drivers already return aware UTC times.
        """
        return _from_text if is_sqlite(dialect) else None


class Json(TypeDecorator[Any]):
    """A document: JSONB on PostgreSQL, text on SQLite.

    Accepts whatever msgspec encodes; returns plain values.
    """

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return JSONB on PostgreSQL, text on SQLite."""
        return dialect.type_descriptor(Text() if is_sqlite(dialect) else JSONB())

    def bind_processor(self, dialect: Dialect) -> Any:
        """Return the encoder. None is stored as NULL, never as the document `null`."""
        return _encode

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Return the decoder. Both drivers return documents as text."""
        return _decode


class ArrayParam(TypeDecorator[Any]):
    """A collection in one parameter: an array on PostgreSQL, a JSON array on SQLite.

    See `statements.in_param`.
    """

    impl = Text
    cache_ok = True

    def __init__(self, item: TypeEngine[Any]) -> None:
        super().__init__()
        self.item = item

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return an array of the item type on PostgreSQL, text on SQLite."""
        return dialect.type_descriptor(Text() if is_sqlite(dialect) else ARRAY(self.item))

    def bind_processor(self, dialect: Dialect) -> Any:
        """Return the encoder of a collection of plain values."""
        item: ValueProcessor | None = self.item.dialect_impl(dialect).bind_processor(dialect)

        def listed(values: Any) -> list[Any]:
            return [item(value) for value in values] if item else list(values)

        return (lambda values: _encode(listed(values))) if is_sqlite(dialect) else listed


class Placement(StrEnum):
    """Placement of a table's rows in a distributed database.

    See `haulier db distribute`.
    """

    DISTRIBUTED = "distributed"
    """Distributed by client: all rows of a client in these tables are on one node."""
    REFERENCE = "reference"
    """Replicated to every node, because distributed tables join them. Each write goes to every node."""
    LOCAL = "local"
    """All rows on the coordinator."""


class TenantKey(PrimaryKeyConstraint):
    """The primary key of a tenant table.

    It has the given columns, preceded by the client on PostgreSQL.

    In a database distributed by client, every key must include the client. SQLite is never distributed, and a single
    integer key is the row id there.
    """


@compiles(TenantKey, "postgresql")
def _with_client(key: TenantKey, compiler: Any, **kw: Any) -> str:
    return compiler.visit_primary_key_constraint(key, **kw).replace("KEY (", f"KEY ({CLIENT_ID}, ", 1)


def key_columns(table: Table, dialect: Dialect) -> tuple[str, ...]:
    """Return the columns of a table's primary key on a dialect, in order."""
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
    """Declare a table outside the tenant filter, with `id` as its primary key.

    `everywhere` makes it a reference table in a distributed database, for rarely written tables that tenant tables
    join; others are local. `derived` tables only repeat data for lookups, so a dry run does not show their changes.
    `unlogged` tables may be lost in a crash of PostgreSQL. `machinery` is for by-products of calls (jobs, counts, the
    audit trail): their writes do not invalidate cached answers, and answers read from them are not cached
    (`TouchedTables`).
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
    """Declare an append-only tenant table, stored in key order.

    Rows with the same `key[0]` are stored together.

    Clustered by the key on SQLite, hash-partitioned by `key[0]` on PostgreSQL. It has no `id` column.
    """
    columns = (Column(CLIENT_ID, Id, nullable=False), *items, TenantKey(*key))
    options: Any = {"postgresql_partition_by": f"HASH ({key[0]})"} if partitions else {}
    table = Table(name, metadata, *columns, sqlite_with_rowid=False, **options)
    table.info |= {"tenant": True, "placement": Placement.DISTRIBUTED, "partitions": partitions}
    return table


def tenant_table(name: str, *items: SchemaItem, metadata: MetaData = metadata) -> Table:
    """Declare a table whose rows belong to a client.

    Adds `id` and `client_id` as its key (`TenantKey`).

    The data port adds the tenant predicate to every statement. Unique constraints apply per client and begin with
    `client_id`; use a `directory_table` for platform-wide uniqueness. `client_id` is only indexed separately if no
    index or unique constraint starts with it.
    """
    table = _table_of_clients(name, TenantKey("id"), *items, metadata=metadata)
    table.info["placement"] = Placement.DISTRIBUTED
    return table


def directory_table(
    name: str, *items: SchemaItem, why: str, everywhere: bool = False, metadata: MetaData = metadata
) -> Table:
    """Declare a table that is searched before the client is known.

    Its rows belong to a client, or name two clients.

    Like a `tenant_table`, but with platform-wide constraints, so a distributed database does not split it and it must
    stay small. `why` names the lookup without a client; `everywhere` is as for `shared_table`.
    """
    if not why:
        raise ValueError("a directory needs a reason")
    table = _table_of_clients(name, PrimaryKeyConstraint("id"), *items, metadata=metadata)
    table.info |= {"directory": why, "placement": Placement.REFERENCE if everywhere else Placement.LOCAL}
    return table


def _table_of_clients(name: str, key: PrimaryKeyConstraint, *items: SchemaItem, metadata: MetaData) -> Table:
    table = _table_with_id(name, key, Column(CLIENT_ID, Id, nullable=False), *items, metadata=metadata)
    table.info["tenant"] = True
    whole = [index for index in table.indexes if index.dialect_options["postgresql"]["where"] is None]
    leading = [tuple(index.columns)[:1] for index in whole]
    leading += [tuple(c.columns)[:1] for c in table.constraints if isinstance(c, UniqueConstraint)]
    if (table.c[CLIENT_ID],) not in leading:
        Index(None, table.c[CLIENT_ID])
    return table


def partial_unique_index(name: str, condition: str | ColumnElement[bool], *columns: Column[Any]) -> Index:
    """Return a unique index over the rows that match a condition.

    It also holds under parallel writes.

    On a tenant table it applies per client.
    """
    fits = text(condition) if isinstance(condition, str) else condition
    table: Any = columns[0].table
    first = [table.c[CLIENT_ID]] if placement_of(table) is Placement.DISTRIBUTED else []
    return Index(name, *first, *columns, unique=True, sqlite_where=fits, postgresql_where=fits)


class Announcement(msgspec.Struct, frozen=True):
    """The writes of a table that are announced, and their channel."""

    channel: str
    new_rows: bool
    silent_columns: frozenset[str]


def notify_writes(
    table: Table, channel: str, *, new_rows: bool = True, silent_columns: Collection[str] = frozenset()
) -> None:
    """Announce every write of a table on a channel after its commit.

    The subject is the client, or everything if a write is not limited to one. Writes of only `silent_columns` are not
    announced and, without `new_rows`, neither are plain inserts.
    """
    table.info["announcement"] = Announcement(channel, new_rows, frozenset(silent_columns))


def announcement_of(table: Any) -> Announcement | None:
    """Return the announcement of a table's writes, or None."""
    return table.info.get("announcement")


def tenant_tables(metadata: MetaData = metadata) -> list[Table]:
    """Return all tables whose rows belong to a client."""
    return [table for table in metadata.sorted_tables if is_tenant_table(table)]


class ColumnMarks(msgspec.Struct, frozen=True, kw_only=True):
    """Volatile columns and timestamp members by table.

    Used to compare two runs of a write.
    """

    volatile: Mapping[str, frozenset[str]]
    """Columns whose values differ in each run."""
    seconds: Mapping[str, frozenset[str]]
    """Members of documents that are timestamps in seconds since 1970."""


def column_marks(metadata: MetaData = metadata) -> ColumnMarks:
    """Return the marks of all declared columns."""
    tables = metadata.tables.items()
    return ColumnMarks(
        volatile={name: frozenset(c.name for c in table.c if c.info.get("volatile")) for name, table in tables},
        seconds={
            name: frozenset[str]().union(*(c.info.get("seconds_in", ()) for c in table.c)) for name, table in tables
        },
    )


def is_derived(table: Table) -> bool:
    """Return True if a table only repeats data of other rows."""
    return bool(table.info.get("derived"))


def is_unlogged(table: Table) -> bool:
    """Return True if a table may be lost in a crash of the database."""
    return bool(table.info.get("unlogged"))


def is_machinery(table: Any) -> bool:
    """Return True if a table only holds by-products of calls."""
    return bool(table.info.get("machinery"))


def is_tenant_table(table: Any) -> bool:
    """Return True if a table's rows belong to a client."""
    return bool(table.info.get("tenant"))


def placement_of(table: Table) -> Placement:
    """Return a table's placement.

    Raises `KeyError` if no function of this module declared it.
    """
    return table.info["placement"]
