"""Statements compiled once from SQLAlchemy Core.

A compiled statement has SQL text, a parameter order and a row factory.

Module constants are found by identity, other statements by SQLAlchemy's cache key, which excludes literal values. So
ad-hoc filters are neither compiled again nor fill the cache.
"""

import collections
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from operator import itemgetter
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import (
    Boolean,
    DateTime,
    Float,
    Integer,
    PrimaryKeyConstraint,
    Select,
    String,
    Table,
    UniqueConstraint,
    bindparam,
    insert,
)
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import operators
from sqlalchemy.sql.base import Executable
from sqlalchemy.sql.elements import BinaryExpression, ColumnElement
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.util import LRUCache

from haulier.kernel.data.tables import CLIENT_ID, ArrayParam, ValueProcessor, key_columns
from haulier.kernel.data.tenancy import CorrelatedRows, PortableCompiler, TenantFilterCompiler, TenantIsolationError
from haulier.kernel.data.touched_tables import touched_tables

MISSING: Any = object()
row_class: Any = collections.namedtuple  # the columns of a row are known only when its statement is compiled
CACHED_SHAPES = 2000
"""Maximum number of compiled ad-hoc statements."""


def in_param(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Return `column IN (…)` with all values in one parameter.

    Example: `in_param(orders.c.id, "ids")`.
    """
    values = bindparam(name, type_=ArrayParam(column.type))
    return BinaryExpression(column, values, operators.in_op, type_=Boolean(), negate=operators.not_in_op)


class Compared(FunctionElement[Any]):
    """A column that SQLite compares in already found rows, without an index lookup.

    Given two lists, SQLite looks up each pair: ten thousand lookups for a hundred values each. PostgreSQL does not.
    """

    inherit_cache = True

    def __init__(self, column: ColumnElement[Any]) -> None:
        super().__init__(column)
        self.type = column.type


@compiles(Compared)
def _render_column(element: Compared, compiler: Any, **kw: Any) -> str:
    return compiler.process(element.clauses, **kw)


@compiles(Compared, "sqlite")
def _render_compared_column(element: Compared, compiler: Any, **kw: Any) -> str:
    return "+" + compiler.process(element.clauses, **kw)


def in_correlated(column: ColumnElement[Any], rows: Select[Any]) -> ColumnElement[bool]:
    """Return `column IN (SELECT …)` for a select that depends on another joined table.

    The select is evaluated for each row of that table, and its values are looked up by the column's index. This
    replaces a lateral join, which SQLite lacks. A plain IN makes PostgreSQL scan the column's table for each row of
    the other.
    """
    values = CorrelatedRows(rows.scalar_subquery())
    return BinaryExpression(column, values, operators.in_op, type_=Boolean())


def contains(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Return the condition that a column contains a text.

    The parameter is its `contains_pattern`.
    """
    return column.like(bindparam(name), escape="/")


def contains_pattern(text: str) -> str:
    """Return the parameter of `contains` for a text, with LIKE wildcards escaped."""
    return "%" + text.replace("/", "//").replace("%", "/%").replace("_", "/_") + "%"


class Row:
    """The typed columns that code reads from a row.

    Example: `class DepotRow(Row): id: int; name: str`.

    Only a type for the type checker, never instantiated: rows are named tuples of all columns of their statement.
    Columns that no code reads by name need no declaration.
    """

    @classmethod
    def column_names(cls) -> frozenset[str]:
        """Return the declared and inherited names."""
        return frozenset(name for base in cls.__mro__ for name in getattr(base, "__annotations__", ()))


class PreparedStatement:
    """A compiled statement."""

    __slots__ = (
        "_defaults",
        "_make",
        "_pick",
        "_processors",
        "_results",
        "_single",
        "_typed",
        "announced",
        "keys",
        "names",
        "returns_as_given",
        "sql",
        "tables",
        "tenant",
        "touched",
        "writes",
    )

    def __init__(self, compiled: Any, dialect: Dialect) -> None:
        if compiled.post_compile_params or compiled.literal_execute_params:
            raise TypeError("a statement whose text depends on its values; use `in_param`")
        self.sql: str = str(compiled)
        self.writes: bool = compiled.writes
        self.tenant: bool = bool(compiled.rendered_tables)
        self.announced: frozenset[str] = frozenset(compiled.announced)
        """The channels on which the commit of this write is announced."""
        self.tables = frozenset(table.name for table in compiled.read_tables | compiled.written_tables)
        """Names of the tables that it reads or writes."""
        self.touched = touched_tables(compiled.read_tables, compiled.written_tables)
        """Effects on cached answers; None for a plain read of the client's own rows."""
        parameters = _parameters(compiled)
        self.names = frozenset(key for key, *_ in parameters)
        self._defaults = {key: default for key, _, default in parameters if default is not MISSING}
        self._pick = _picker([key for key, *_ in parameters])
        self._processors = tuple((i, process) for i, (_, process, _) in enumerate(parameters) if process)
        entries = compiled._result_columns
        self.keys: tuple[str, ...] = tuple(entry.keyname for entry in entries)
        row: Any = row_class("Row", self.keys, rename=True)
        self._make: Callable[[Any], Any] = partial(tuple.__new__, row)  # `_make` without the length check
        # Skip floats: drivers return them as they are, and SQLAlchemy's PostgreSQL processor would require the wire
        # type.
        kinds = [entry.type for entry in entries]
        self.returns_as_given = all(isinstance(kind, String | Integer) for kind in kinds)
        """True if it returns only text and integers, which databases store unchanged."""
        processors = (
            None if isinstance(kind, Float) else kind._cached_result_processor(dialect, None) for kind in kinds
        )
        self._results = tuple((i, process) for i, process in enumerate(processors) if process)
        self._single = dict(self._results).get(0)
        self._typed: set[type[Row]] = set()

    def require_columns(self, row_type: type["Row"]) -> None:
        """Raise `TypeError` if a row type has columns that this statement does not select.

        Checked once per type.
        """
        if row_type in self._typed:
            return
        if missing := sorted(row_type.column_names() - set(self.keys)):
            raise TypeError(f"{row_type.__name__} names {', '.join(missing)}, which is not selected by {self.sql}")
        self._typed.add(row_type)

    def bind(self, params: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the values in parameter order.

        Raises `TypeError` for a missing parameter.
        """
        try:
            picked = self._pick({**self._defaults, **params} if self._defaults else params)
        except KeyError as error:
            raise self._no_value(error) from None
        if not self._processors:
            return picked
        values = list(picked)
        for i, process in self._processors:
            values[i] = process(values[i])
        return tuple(values)

    def bind_each(self, rows: Sequence[Mapping[str, Any]], common: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Return the values of many rows, as `bind` does.

        `common` overrides the parameters of every row.
        """
        try:
            picked = [self._pick({**self._defaults, **row, **common}) for row in rows]
        except KeyError as error:
            raise self._no_value(error) from None
        if not self._processors or not rows:
            return picked
        columns: list[Any] = list(zip(*picked, strict=True))  # column by column, so that every loop runs in C
        for i, process in self._processors:
            columns[i] = map(process, columns[i])
        return list(zip(*columns, strict=True))

    def _no_value(self, error: KeyError) -> TypeError:
        return TypeError(f"no value for the parameter {error.args[0]!r} of {self.sql}")

    def rows(self, raw: Sequence[Sequence[Any]]) -> list[Any]:
        """Return named rows for the rows of a driver."""
        if not self._results or not raw:
            return list(map(self._make, raw))
        columns: list[Any] = list(zip(*raw, strict=True))  # column by column, so that every loop runs in C
        for i, process in self._results:
            columns[i] = map(process, columns[i])
        return list(map(self._make, zip(*columns, strict=True)))

    def row(self, raw: Sequence[Any]) -> Any:
        """Return one named row."""
        if self._results:
            raw = list(raw)
            for i, process in self._results:
                raw[i] = process(raw[i])
        return self._make(raw)

    def scalar(self, raw: Sequence[Any]) -> Any:
        """Return the first column of one row."""
        return self._single(raw[0]) if self._single else raw[0]


def _picker(keys: Sequence[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Return a function that picks the values of some keys in order."""
    if len(keys) > 1:
        return itemgetter(*keys)  # its loop runs in C
    return lambda params: tuple(params[key] for key in keys)


def _parameters(compiled: Any) -> tuple[tuple[str, ValueProcessor | None, Any], ...]:
    """Return key, processor and default value of each parameter in order."""
    defaults = {column.key: column.default for column in compiled.prefetch}
    places: list[tuple[str, ValueProcessor | None, Any]] = []
    for name in compiled.positiontup:
        bind = compiled.binds[name]
        if isinstance(bind.type, DateTime):
            raise TypeError(f"a moment without a column's type; use `literal(moment, UTCDateTime())`: {compiled}")
        process = compiled._bind_processors.get(name)
        value = MISSING if bind.required else bind.value
        if bind.key in defaults and bind.value is None:
            process, value = _column_default(defaults[bind.key], process)
        places.append((bind.key, process, value))
    return tuple(places)


def _column_default(default: Any, process: ValueProcessor | None) -> tuple[ValueProcessor | None, Any]:
    """Return a column's Python default: a constant or a function."""
    if default.is_scalar:
        return process, default.arg
    if not default.is_callable:
        raise TypeError(f"a default that cannot be computed here: {default!r}")

    def computed(value: Any) -> Any:
        value = default.arg(None) if value is None else value
        return process(value) if process else value

    return computed, None


StatementWithLiterals = tuple[PreparedStatement, Mapping[str, Any]]
NO_LITERALS: Mapping[str, Any] = {}


@cache
def get_statements(dialect: Callable[[], Dialect], *, tenant_filtered: bool) -> "Statements":
    """Return the compiled statements shared by all databases of a dialect."""
    return Statements(dialect(), tenant_filtered=tenant_filtered)


class Statements:
    """The compiled statements of a dialect, with or without the tenant filter."""

    def __init__(self, dialect: Dialect, *, tenant_filtered: bool) -> None:
        half = TenantFilterCompiler if tenant_filtered else PortableCompiler
        self.dialect = dialect
        self.tenant_filtered = tenant_filtered
        self.dialect.statement_compiler = type("Compiler", (half, dialect.statement_compiler), {})
        self._by_identity: WeakKeyDictionary[Executable, StatementWithLiterals] = WeakKeyDictionary()
        self._by_shape: Any = LRUCache(CACHED_SHAPES)
        self._inserts: dict[tuple[Table, tuple[str, ...], bool], PreparedStatement] = {}
        self._inserts_of_new: dict[tuple[Table, tuple[str, ...], tuple[str, ...]], PreparedStatement] = {}
        self._upserts: dict[tuple[Table, tuple[str, ...], tuple[str, ...]], PreparedStatement] = {}

    def prepare(self, statement: Executable) -> StatementWithLiterals:
        """Return the compiled statement and its literal values."""
        return self._by_identity.get(statement) or self._prepare(statement)

    def _prepare(self, statement: Executable) -> StatementWithLiterals:
        shape: Any = statement._generate_cache_key()  # type: ignore[attr-defined]
        compiled: Any = self._by_shape.get(shape.key) if shape else None
        if compiled is None:
            compiled = self._compile(statement), tuple(bind.key for bind in shape.bindparams) if shape else ()
            if shape:
                self._by_shape[shape.key] = compiled
        prepared, keys = compiled
        literals: Mapping[str, Any] = NO_LITERALS
        if shape:
            values = zip(keys, shape.bindparams, strict=True)
            literals = {key: bind.effective_value for key, bind in values if not bind.required}
        self._by_identity[statement] = entry = (prepared, literals)
        return entry

    def _compile(self, statement: Executable) -> PreparedStatement:
        compiled: Any = statement.compile(dialect=self.dialect)  # type: ignore[attr-defined]
        if compiled.tenant_filtered and compiled.rendered_tables != compiled.filtered_tables:
            raise TenantIsolationError(f"a tenant table without its predicate in: {compiled}")
        return PreparedStatement(compiled, self.dialect)

    def prepare_insert(self, table: Table, names: tuple[str, ...], *, returning: bool = True) -> PreparedStatement:
        """Return the INSERT of these columns, which returns the new row's `id`."""
        prepared = self._inserts.get((table, names, returning))
        if prepared is None:
            statement = insert(table).values({name: bindparam(name, type_=table.c[name].type) for name in names})
            if returning:
                statement = statement.returning(table.c.id)
            prepared = self._inserts[table, names, returning] = self._compile(statement)
        return prepared

    def prepare_insert_new(
        self, table: Table, names: tuple[str, ...], returning: tuple[str, ...] = ()
    ) -> PreparedStatement:
        """Return an INSERT that skips rows whose unique key is taken.

        It returns the columns in `returning` of each new row, or all of them.
        """
        prepared = self._inserts_of_new.get((table, names, returning))
        if prepared is None:
            first = upsert(table).values({name: bindparam(name, type_=table.c[name].type) for name in names})
            returned = [table.c[name] for name in returning or table.c.keys()]
            statement = first.on_conflict_do_nothing().returning(*returned)
            prepared = self._inserts_of_new[table, names, returning] = self._compile(statement)
        return prepared

    def prepare_upsert(self, table: Table, key: tuple[str, ...], names: tuple[str, ...]) -> PreparedStatement:
        """Return an INSERT that updates the row with the same key if it exists."""
        prepared = self._upserts.get((table, key, names))
        if prepared is None:
            unique = _unique_columns(table, key, self.dialect)
            first = upsert(table).values({name: bindparam(name, type_=table.c[name].type) for name in names})
            changed = {name: first.excluded[name] for name in names if name not in unique}
            statement = first.on_conflict_do_update(index_elements=unique, set_=changed)
            prepared = self._upserts[table, key, names] = self._compile(statement)
        return prepared


def _unique_columns(table: Table, key: tuple[str, ...], dialect: Dialect) -> list[str]:
    """Return the columns of the unique constraint over a key.

    The constraint may include the client. Raises `TypeError` if there is none.
    """
    for constraint in table.constraints:
        if isinstance(constraint, UniqueConstraint | PrimaryKeyConstraint):
            columns = [column.name for column in constraint.columns]
            if constraint is table.primary_key:
                columns = [*key_columns(table, dialect)]
            if {*columns} - {CLIENT_ID} == {*key} - {CLIENT_ID}:
                return columns
    raise TypeError(f"no unique constraint of {table.name} over {', '.join(key) or CLIENT_ID}")
