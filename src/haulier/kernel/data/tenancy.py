"""The tenant filter.

No statement on a tenant table can be rendered without its predicate.

The filter is part of the SQL compiler. At that point SQLAlchemy knows which tables a statement reads, even if they
are joined, aliased, correlated or only mentioned in a WHERE. `client_id = :_client` is added scope by scope: in WHERE
for tables that the scope reads, in ON for the optional side of an outer join. Finally, the number of rendered tables
must equal the number of predicates; otherwise the statement is refused.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import BigInteger, Table, and_, bindparam, func, literal_column
from sqlalchemy.sql import operators
from sqlalchemy.sql.compiler import OPERATORS
from sqlalchemy.sql.elements import BinaryExpression, BindParameter
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.selectable import AliasedReturnsRows, FromGrouping, Join

from haulier.kernel.data.tables import CLIENT_ID, ArrayParam, announcement_of, is_sqlite, is_tenant_table

_EVEN: Any = literal_column("0.5")
CLIENT_PARAM: BindParameter[Any] = bindparam("_client", type_=BigInteger())
"""Parameter for the client, set by units of work."""


class TenantIsolationError(Exception):
    """Raised for a statement without the tenant filter. Always a programming error."""


class CorrelatedRows(FunctionElement[Any]):
    """The right side of `statements.in_correlated`.

    It is a select that depends on a table of the outer scope.
    """

    inherit_cache = True


class PortableCompiler:
    """Compiler mixin that makes statements portable and records their tables."""

    dialect: Any
    writes: bool = False
    tenant_filtered: bool = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.rendered_tables: Counter[Table] = Counter()
        self.filtered_tables: Counter[Table] = Counter()
        self.announced: set[str] = set()
        self.read_tables: set[Table] = set()
        self.written_tables: set[Table] = set()
        super().__init__(*args, **kwargs)

    def visit_table(self, table: Any, asfrom: bool = False, **kw: Any) -> str:
        if asfrom and isinstance(table, Table):
            self.read_tables.add(table)
            if is_tenant_table(table):
                self.rendered_tables[table] += 1
        return super().visit_table(table, asfrom=asfrom, **kw)  # type: ignore[misc]

    def visit_insert(self, insert_stmt: Any, **kw: Any) -> str:
        self.writes = True
        self.written_tables.add(insert_stmt.table)
        announcement = announcement_of(insert_stmt.table)
        if announcement and (announcement.new_rows or insert_stmt._post_values_clause is not None):
            self.announced.add(announcement.channel)
        if is_tenant_table(insert_stmt.table):
            self.rendered_tables[insert_stmt.table] += 1
        return super().visit_insert(insert_stmt, **kw)  # type: ignore[misc]

    def visit_update(self, update_stmt: Any, **kw: Any) -> str:
        self.writes = True
        self.written_tables.add(update_stmt.table)
        announcement = announcement_of(update_stmt.table)
        if announcement and not _written_columns(update_stmt) <= announcement.silent_columns:
            self.announced.add(announcement.channel)
        return super().visit_update(update_stmt, **kw)  # type: ignore[misc]

    def visit_delete(self, delete_stmt: Any, **kw: Any) -> str:
        self.writes = True
        self.written_tables.add(delete_stmt.table)
        if announcement := announcement_of(delete_stmt.table):
            self.announced.add(announcement.channel)
        return super().visit_delete(delete_stmt, **kw)  # type: ignore[misc]

    def visit_in_op_binary(self, binary: Any, operator: Any, **kw: Any) -> str:
        return self._membership(binary, ("= ANY", "IN"), operators.in_op, kw)

    def visit_not_in_op_binary(self, binary: Any, operator: Any, **kw: Any) -> str:
        return f"({self._membership(binary, ('<> ALL', 'NOT IN'), operators.not_in_op, kw)})"

    def _membership(self, binary: BinaryExpression[Any], keywords: tuple[str, str], operator: Any, kw: Any) -> str:
        """Render `x IN (…)` with one parameter for any number of values.

        The text, plan and cache entry are then the same for all of them.
        """
        this: Any = self
        many: Any = binary.right
        if isinstance(many, CorrelatedRows):
            left, (rows,) = this.process(binary.left, **kw), (this.process(each, **kw) for each in many.clauses)
            return f"{left} IN {rows}" if is_sqlite(self.dialect) else f"{left} = ANY (ARRAY{rows})"
        if isinstance(many, BindParameter) and many.expanding and not many.type._is_tuple_type:
            many = many._clone(maintain_key=True)
            many.expanding, many.type = False, ArrayParam(binary.left.type)
        if not (isinstance(many, BindParameter) and isinstance(many.type, ArrayParam)):
            return this._generate_generic_binary(binary, OPERATORS[operator], **kw)
        left, values = this.process(binary.left, **kw), this.process(many, **kw)
        if is_sqlite(self.dialect):
            return f"{left} {keywords[1]} (SELECT value FROM json_each({values}))"
        return f"{left} {keywords[0]} ({values})"


class TenantFilterCompiler(PortableCompiler):
    """Compiler mixin that adds the tenant filter."""

    tenant_filtered = True

    def _compose_select_body(
        self, text: str, select: Any, state: Any, columns: Any, froms: list[Any], *rest: Any, **kw: Any
    ) -> str:
        select = self._add_tenant_predicates(select, froms)
        return super()._compose_select_body(text, select, state, columns, froms, *rest, **kw)  # type: ignore[misc]

    def visit_join(self, join: Any, **kw: Any) -> str:
        if join.full and any(_tenant_sources(join.left)) | any(_tenant_sources(join.right)):
            raise TenantIsolationError("a full join of tenant tables: make each side a subquery first")
        if join.isouter and (predicates := self._predicates(_tenant_sources(join.right))):
            join = join._clone()
            join.onclause = and_(join.onclause, *predicates)
        return super().visit_join(join, **kw)  # type: ignore[misc]

    def visit_update(self, update_stmt: Any, **kw: Any) -> str:
        state = update_stmt._compile_state_factory(update_stmt, self)
        if is_tenant_table(update_stmt.table) and CLIENT_ID in {
            _column_name(key) for key in state._dict_parameters or ()
        }:
            raise TenantIsolationError("a row never moves to another client")
        return super().visit_update(
            self._add_tenant_predicates(update_stmt, [update_stmt.table, *state._extra_froms]), **kw
        )

    def visit_delete(self, delete_stmt: Any, **kw: Any) -> str:
        state = delete_stmt._compile_state_factory(delete_stmt, self)
        return super().visit_delete(
            self._add_tenant_predicates(delete_stmt, [delete_stmt.table, *state._extra_froms]), **kw
        )

    def visit_insert(self, insert_stmt: Any, **kw: Any) -> str:
        table = insert_stmt.table
        if is_tenant_table(table):
            self.filtered_tables[table] += 1
            insert_stmt = _insert_with_client(insert_stmt)
        return super().visit_insert(insert_stmt, **kw)

    def visit_on_conflict_do_update(self, on_conflict: Any, **kw: Any) -> str:
        this: Any = self
        table = this.stack[-1]["selectable"].table
        if is_tenant_table(table):
            of_tenant = table.c[CLIENT_ID] == CLIENT_PARAM
            where = on_conflict.update_whereclause
            on_conflict = on_conflict._clone()
            on_conflict.update_whereclause = of_tenant if where is None else and_(where, of_tenant)
        return super().visit_on_conflict_do_update(on_conflict, **kw)  # type: ignore[misc]

    def visit_table(self, table: Any, asfrom: bool = False, **kw: Any) -> str:
        if not isinstance(table, Table):
            raise TenantIsolationError(f"{table.name!r} is only a name: use the declared table")
        return super().visit_table(table, asfrom=asfrom, **kw)

    def visit_textclause(self, textclause: Any, *args: Any, **kw: Any) -> str:
        _reject_raw_sql(textclause.text, table=kw.get("asfrom", False))
        return super().visit_textclause(textclause, *args, **kw)  # type: ignore[misc]

    def visit_column(self, column: Any, *args: Any, **kw: Any) -> str:
        if column.is_literal:
            _reject_raw_sql(column.name)
        return super().visit_column(column, *args, **kw)  # type: ignore[misc]

    def _add_tenant_predicates(self, statement: Any, froms: Iterable[Any]) -> Any:
        predicates = self._predicates(source for element in froms for source in _tenant_sources(element))
        return statement.where(*predicates) if predicates else statement

    def _predicates(self, sources: Iterable[tuple[Any, Table]]) -> list[Any]:
        """Return the predicates of sources.

        Without statistics, SQLite assumes that an equality is selective and reads all rows of the client. A
        likelihood of 0.5 corrects this and still allows `client_id` as the head of an index. With likely(), SQLite
        would search the newest rows of all clients for those of one.
        """
        predicates: list[Any] = []
        for source, table in sources:
            self.filtered_tables[table] += 1
            of_tenant = source.c[CLIENT_ID] == CLIENT_PARAM
            predicates.append(func.likelihood(of_tenant, _EVEN) if is_sqlite(self.dialect) else of_tenant)
        return predicates


def _reject_raw_sql(sql: str, *, table: bool = False) -> None:
    """Refuse text that may read a table, because it is opaque to the tenant filter."""
    if table or re.search(r"(?i)\b(select|from|join|update|into|table|using)\b", sql):
        raise TenantIsolationError(f"raw SQL that may read a table: {sql!r}")


def _tenant_sources(source: Any) -> Iterator[tuple[Any, Table]]:
    """Yield the tenant tables that a FROM element always reads.

    Optional sides of outer joins are filtered in ON.
    """
    match source:
        case Table() if is_tenant_table(source):
            yield source, source
        case Join():
            yield from _tenant_sources(source.left)
            if not source.isouter:
                yield from _tenant_sources(source.right)
        case FromGrouping():
            yield from _tenant_sources(source.element)
        case AliasedReturnsRows(element=Table() as table) if is_tenant_table(table):
            yield source, table
        case _:  # a subquery, CTE, VALUES or function has its own scope
            return


def _written_columns(statement: Any) -> set[str]:
    """Return the columns that an UPDATE sets; all columns if it names none."""
    return {_column_name(key) for key in statement._values or statement.table.c}


def _column_name(key: Any) -> str:
    return key if isinstance(key, str) else key.key


def _insert_with_client(statement: Any) -> Any:
    """Return the INSERT with the client filled in."""
    if statement._multi_values:
        raise TenantIsolationError("insert many rows with `UnitOfWork.insert_many`")
    if statement.select is not None:
        names = [_column_name(name) for name in statement._select_names]
        if CLIENT_ID in names:
            raise TenantIsolationError("the tenant filter fills in client_id")
        return _insert_from_select(statement, names)
    if CLIENT_ID in {_column_name(key) for key in statement._values or ()}:
        raise TenantIsolationError("the tenant filter fills in client_id")
    return statement.values({CLIENT_ID: CLIENT_PARAM})


def _insert_from_select(statement: Any, names: list[str]) -> Any:
    filled = statement._clone()
    filled._select_names = [*names, CLIENT_ID]
    filled.select = statement.select.add_columns(CLIENT_PARAM.label(CLIENT_ID))
    return filled
