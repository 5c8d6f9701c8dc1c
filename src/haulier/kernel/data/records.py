"""Records: a table and its typed row in one declaration."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Self, Union, get_args, get_origin, get_type_hints

from sqlalchemy import (
    BigInteger,
    Boolean,
    ClauseElement,
    Column,
    ColumnElement,
    Date,
    Delete,
    Float,
    Integer,
    LargeBinary,
    Select,
    Table,
    Update,
    bindparam,
    delete,
    func,
    select,
    update,
)
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import CLIENT_ID, Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

Reference = Annotated[int, Id]
"""Id of another record."""
BigInt = Annotated[int, BigInteger]
"""A 64-bit integer, such as an amount of money in minor units."""
COLUMN_TYPES: Mapping[Any, Any] = {
    bool: Boolean,
    int: Integer,
    float: Float,
    datetime: UTCDateTime,
    date: Date,
    bytes: LargeBinary,
    list: Json,
    dict: Json,
}
"""Column types by annotation. Text must name its length: `Annotated[str, String(120)]`."""
NOT_DECLARED = frozenset({"id", CLIENT_ID})
"""Columns that the table adds."""
_SET = "set_"
"""Prefix of parameters with new values, because SQLAlchemy reserves the column names."""


class Record(Row):
    """A row of a table, and the table itself.

    `class DepotRow(Record, table="depot"): name: Annotated[str, String(120)]` declares the tenant table `depot`,
    available as `DepotRow.table`. `| None` makes a column nullable. `items` are indexes and constraints; `kind` and
    `options` select another function of `tables.py` and its arguments. A subclass without `table` is a result row of
    a statement on the same table.
    """

    table: ClassVar[Table]
    id: int

    def __init_subclass__(
        cls,
        *,
        table: str | None = None,
        items: Sequence[SchemaItem] = (),
        kind: Callable[..., Table] = tenant_table,
        **options: Any,
    ) -> None:
        super().__init_subclass__()
        if table is not None:
            cls.table = kind(table, *_columns(cls), *items, **options)

    @classmethod
    def column_names(cls) -> frozenset[str]:
        """Return the declared and inherited names, without the table itself."""
        return super().column_names() - {"table"}

    @classmethod
    async def get(cls, work: UnitOfWork, id: int) -> Self | None:
        """Return the record, or None."""
        return await work.first(_by_id(cls), cls, id=id)

    @classmethod
    async def lock(cls, work: UnitOfWork, id: int) -> Self | None:
        """Return the record, locked until the transaction ends, or None."""
        return await work.first(_by_id_for_update(cls), cls, id=id)

    @classmethod
    async def get_many(cls, work: UnitOfWork, ids: Collection[int]) -> dict[int, Self]:
        """Return records by id; ids without a record are absent."""
        rows = await work.all(_by_ids(cls), cls, ids=list(ids)) if ids else []
        return {row.id: row for row in rows}

    @classmethod
    async def lock_many(cls, work: UnitOfWork, ids: Collection[int]) -> dict[int, Self]:
        """Return records by id, locked by ascending id to rule out deadlocks."""
        rows = await work.all(_by_ids_for_update(cls), cls, ids=list(ids)) if ids else []
        return {row.id: row for row in rows}

    @classmethod
    async def find_by(cls, work: UnitOfWork, **key: Any) -> Self | None:
        """Return the record with these values in the columns of a unique key, or None."""
        return await work.first(_by_key(cls, tuple(key)), cls, **key)

    @classmethod
    async def lock_or_insert(cls, work: UnitOfWork, first: Mapping[str, Any], **key: Any) -> Self:
        """Return the record with a unique key, locked until the transaction ends.

        Inserts it with the values in `first` if it does not exist. No key means the only record of the client.
        """
        await work.insert_new(cls.table, [{**first, **key}], cls)
        row = await work.first(_by_key_for_update(cls, tuple(key)), cls, **key)
        assert row is not None  # inserted above
        return row

    @classmethod
    async def insert(cls, work: UnitOfWork, **values: Any) -> int:
        """Insert a record and return its id.

        Raises `UniqueConflict` when a unique key is taken.
        """
        return await work.insert(cls.table, **values)

    @classmethod
    async def insert_many(cls, work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> list[int]:
        """Insert records of the same columns in one exchange; return their ids."""
        return await work.insert_many(cls.table, rows)

    @classmethod
    async def update(cls, work: UnitOfWork, id: int, values: Mapping[str, Any]) -> bool:
        """Set columns. Returns False if the record does not exist.

        Raises `UniqueConflict` when a unique key is taken.
        """
        if not values:
            return True
        if any(isinstance(value, ClauseElement) for value in values.values()):
            statement = update(cls.table).where(cls.table.c.id == bindparam("record_id")).values(**values)
            return await work.run(statement, record_id=id) > 0
        params = {_SET + name: value for name, value in values.items()}
        return await work.run(_update_by_id(cls, tuple(values)), record_id=id, **params) > 0

    @classmethod
    async def delete(cls, work: UnitOfWork, id: int) -> bool:
        """Delete the record. Returns False if it does not exist."""
        return await work.run(_delete_by_id(cls), id=id) > 0

    @classmethod
    async def list_page(
        cls,
        work: UnitOfWork,
        *clauses: ColumnElement[bool],
        order_by: Sequence[ColumnElement[Any]],
        limit: int,
        offset: int,
        **params: Any,
    ) -> tuple[Sequence[Self], int]:
        """Return a page of the records that match all clauses, and their total number.

        They are sorted by `order_by`, then by id.
        """
        listed = select(cls.table).where(*clauses).order_by(*order_by, cls.table.c.id)
        listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
        rows = await work.all(listed, cls, **params, page_size=limit, skipped=offset)
        return rows, await work.value(select(func.count()).select_from(cls.table).where(*clauses), **params)


@cache
def _by_id(record: type[Record]) -> Select[Any]:
    return select(record.table).where(record.table.c.id == bindparam("id"))


@cache
def _by_id_for_update(record: type[Record]) -> Select[Any]:
    return _by_id(record).with_for_update()


@cache
def _by_ids(record: type[Record]) -> Select[Any]:
    return select(record.table).where(in_param(record.table.c.id, "ids"))


@cache
def _by_ids_for_update(record: type[Record]) -> Select[Any]:
    return _by_ids(record).order_by(record.table.c.id).with_for_update()


@cache
def _by_key(record: type[Record], names: tuple[str, ...]) -> Select[Any]:
    columns = [record.table.c[name] for name in names]
    return select(record.table).where(*(column == bindparam(column.name, type_=column.type) for column in columns))


@cache
def _by_key_for_update(record: type[Record], names: tuple[str, ...]) -> Select[Any]:
    return _by_key(record, names).with_for_update()


@cache
def _update_by_id(record: type[Record], names: tuple[str, ...]) -> Update:
    columns = record.table.c
    values = {name: bindparam(_SET + name, type_=columns[name].type) for name in names}
    return update(record.table).where(columns.id == bindparam("record_id")).values(values)


@cache
def _delete_by_id(record: type[Record]) -> Delete:
    return delete(record.table).where(record.table.c.id == bindparam("id"))


def _columns(record: type[Record]) -> list[Column[Any]]:
    hints = get_type_hints(record, include_extras=True)
    return [_column(name, hints[name]) for name in record.__annotations__ if name not in NOT_DECLARED]


def _column(name: str, hint: Any) -> Column[Any]:
    """Return the column of an annotation.

    An annotation may carry a column type or, for anything unusual, the column itself.
    Raises `TypeError` for an annotation without a column type.
    """
    plain, nullable, marks = _parts(hint)
    declared = next((mark for mark in marks if isinstance(mark, Column)), None)
    if declared is not None:
        return declared
    types = [mark for mark in marks if isinstance(mark, TypeEngine) or _is_type_class(mark)]
    column_type = types[0] if types else COLUMN_TYPES.get(get_origin(plain) or plain)
    if column_type is None:
        raise TypeError(f"{name}: annotate the column type, as in Annotated[str, String(120)]")
    return Column(name, column_type, nullable=nullable)


def _parts(hint: Any) -> tuple[Any, bool, tuple[Any, ...]]:
    """Return the plain type of an annotation, True if it allows None, and its marks."""
    if get_origin(hint) is Annotated:
        plain, nullable, marks = _parts(hint.__origin__)
        return plain, nullable, marks + hint.__metadata__
    if get_origin(hint) in (Union, UnionType):
        left = [part for part in get_args(hint) if part is not NoneType]
        plain, _, marks = _parts(left[0])
        return plain, len(left) < len(get_args(hint)), marks
    return hint, False, ()


def _is_type_class(mark: Any) -> bool:
    return isinstance(mark, type) and issubclass(mark, TypeEngine)
