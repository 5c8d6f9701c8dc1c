"""Statements compiled once: SQLAlchemy Core in, SQL text, an order of parameters and a maker of rows out.

A module constant is found by identity. A statement built on the spot is found by SQLAlchemy's own cache key, which leaves its
literal values out, so ad-hoc filters neither compile again nor fill the cache.
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
"""At most this many shapes of statements that are built on the spot stay compiled."""


def in_param(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """`column IN (…)` whose values come in one parameter, a collection: `in_param(orders.c.id, "ids")`."""
    values = bindparam(name, type_=ArrayParam(column.type))
    return BinaryExpression(column, values, operators.in_op, type_=Boolean(), negate=operators.not_in_op)


class Compared(FunctionElement[Any]):
    """A column that SQLite compares in the rows that other conditions find, instead of looking its values up in an index.

    Given two lists, SQLite looks up each pair: ten thousand pairs for a hundred of each. PostgreSQL does not.
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
    """`column IN (SELECT …)`, for a column of one table and a select that depends on the row of another table joined to it.

    Read for each row of that other table, and then looked up by the column's index. What a lateral join would do, which SQLite
    lacks; a plain IN makes PostgreSQL read every row of the column's table for each row of the other.
    """
    values = CorrelatedRows(rows.scalar_subquery())
    return BinaryExpression(column, values, operators.in_op, type_=Boolean())


def contains(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Whether a column holds a text, wherever it stands; the parameter is its `pattern`."""
    return column.like(bindparam(name), escape="/")


def contains_pattern(text: str) -> str:
    """The parameter of `contains` for a text; signs that mean something to LIKE are escaped."""
    return "%" + text.replace("/", "//").replace("%", "/%").replace("_", "/_") + "%"


class Row:
    """What the code reads of a row, by name and type: `class DepotRow(Row): id: int; name: str`.

    A shape for the type checker, never made: rows are named tuples of all columns of their statement, so a column that no
    code reads by name needs no line here, and still reaches `record`.
    """

    @classmethod
    def column_names(cls) -> frozenset[str]:
        """The names that it declares or inherits."""
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
        """The names of the tables that it reads or writes."""
        self.touched = touched_tables(compiled.read_tables, compiled.written_tables)
        """What kept answers must know of it; None of a plain read of the client's own rows."""
        parameters = _parameters(compiled)
        self.names = frozenset(key for key, *_ in parameters)
        self._defaults = {key: default for key, _, default in parameters if default is not MISSING}
        self._pick = _picker([key for key, *_ in parameters])
        self._processors = tuple((i, process) for i, (_, process, _) in enumerate(parameters) if process)
        entries = compiled._result_columns
        self.keys: tuple[str, ...] = tuple(entry.keyname for entry in entries)
        row: Any = row_class("Row", self.keys, rename=True)
        self._make: Callable[[Any], Any] = partial(tuple.__new__, row)  # `_make` without its check of the length
        # Drivers hand out floats as they are; SQLAlchemy's PostgreSQL processor would ask for the wire type to say so.
        kinds = [entry.type for entry in entries]
        self.returns_as_given = all(isinstance(kind, String | Integer) for kind in kinds)
        """Whether what it returns are texts and whole numbers alone, which databases store as they are given."""
        processors = (
            None if isinstance(kind, Float) else kind._cached_result_processor(dialect, None) for kind in kinds
        )
        self._results = tuple((i, process) for i, process in enumerate(processors) if process)
        self._single = dict(self._results).get(0)
        self._typed: set[type[Row]] = set()

    def require_columns(self, row_type: type["Row"]) -> None:
        """Raises `TypeError` when a row type names what this statement does not select. Looked up once a type."""
        if row_type in self._typed:
            return
        if missing := sorted(row_type.column_names() - set(self.keys)):
            raise TypeError(f"{row_type.__name__} names {', '.join(missing)}, which is not selected by {self.sql}")
        self._typed.add(row_type)

    def bind(self, params: Mapping[str, Any]) -> tuple[Any, ...]:
        """The values in the order of the text. Raises `TypeError` for a parameter without a value."""
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
        """As `bind`, of many rows; `common` are parameters that all of them have, whatever the rows say."""
        try:
            picked = [self._pick({**self._defaults, **row, **common}) for row in rows]
        except KeyError as error:
            raise self._no_value(error) from None
        if not self._processors or not rows:
            return picked
        columns: list[Any] = list(zip(*picked, strict=True))  # by columns: every loop then runs in C
        for i, process in self._processors:
            columns[i] = map(process, columns[i])
        return list(zip(*columns, strict=True))

    def _no_value(self, error: KeyError) -> TypeError:
        return TypeError(f"no value for the parameter {error.args[0]!r} of {self.sql}")

    def rows(self, raw: Sequence[Sequence[Any]]) -> list[Any]:
        """Rows with named columns, from what a driver returned."""
        if not self._results or not raw:
            return list(map(self._make, raw))
        columns: list[Any] = list(zip(*raw, strict=True))  # by columns: every loop then runs in C
        for i, process in self._results:
            columns[i] = map(process, columns[i])
        return list(map(self._make, zip(*columns, strict=True)))

    def row(self, raw: Sequence[Any]) -> Any:
        """One row with named columns."""
        if self._results:
            raw = list(raw)
            for i, process in self._results:
                raw[i] = process(raw[i])
        return self._make(raw)

    def scalar(self, raw: Sequence[Any]) -> Any:
        """The first column of one row."""
        return self._single(raw[0]) if self._single else raw[0]


def _picker(keys: Sequence[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """What takes the values of some keys, in their order, out of parameters."""
    if len(keys) > 1:
        return itemgetter(*keys)  # its loop runs in C
    return lambda params: tuple(params[key] for key in keys)


def _parameters(compiled: Any) -> tuple[tuple[str, ValueProcessor | None, Any], ...]:
    """For each place in the text: the parameter's key, its processor, and its value when it has one."""
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
    """A column's own default in Python: a constant, or a function called for each statement."""
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
    """What is compiled for one database serves every other of its kind."""
    return Statements(dialect(), tenant_filtered=tenant_filtered)


class Statements:
    """The compiled statements of one kind of database, with or without the tenant filter."""

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
        """The compiled statement and the literal values that stand in it."""
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
        """The INSERT of these columns of a table, returning the new row's `id`."""
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
        """The INSERT of these columns that leaves out a row whose unique key is taken, returning some columns of the new row.

        Without `returning` all of them.
        """
        prepared = self._inserts_of_new.get((table, names, returning))
        if prepared is None:
            first = upsert(table).values({name: bindparam(name, type_=table.c[name].type) for name in names})
            returned = [table.c[name] for name in returning or table.c.keys()]
            statement = first.on_conflict_do_nothing().returning(*returned)
            prepared = self._inserts_of_new[table, names, returning] = self._compile(statement)
        return prepared

    def prepare_upsert(self, table: Table, key: tuple[str, ...], names: tuple[str, ...]) -> PreparedStatement:
        """The INSERT of these columns that updates the row with the same key instead, where there is one."""
        prepared = self._upserts.get((table, key, names))
        if prepared is None:
            unique = _unique_columns(table, key, self.dialect)
            first = upsert(table).values({name: bindparam(name, type_=table.c[name].type) for name in names})
            changed = {name: first.excluded[name] for name in names if name not in unique}
            statement = first.on_conflict_do_update(index_elements=unique, set_=changed)
            prepared = self._upserts[table, key, names] = self._compile(statement)
        return prepared


def _unique_columns(table: Table, key: tuple[str, ...], dialect: Dialect) -> list[str]:
    """The columns of the constraint by which a key is unique, within its client or beyond. Raises `TypeError` without one."""
    for constraint in table.constraints:
        if isinstance(constraint, UniqueConstraint | PrimaryKeyConstraint):
            columns = [column.name for column in constraint.columns]
            if constraint is table.primary_key:
                columns = [*key_columns(table, dialect)]
            if {*columns} - {CLIENT_ID} == {*key} - {CLIENT_ID}:
                return columns
    raise TypeError(f"no unique constraint of {table.name} over {', '.join(key) or CLIENT_ID}")
