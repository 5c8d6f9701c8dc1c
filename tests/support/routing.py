"""Which nodes of a distributed database a statement needs, told from the statement itself.

A statement goes to one node where it names one client for each distributed table that it reads or writes. The tenant filter
does so by construction; a statement without it must do so itself.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Any

from sqlalchemy import Table
from sqlalchemy.sql import operators, visitors
from sqlalchemy.sql.dml import Insert
from sqlalchemy.sql.elements import BinaryExpression, BindParameter, ColumnClause

from haulier.kernel.data.tables import CLIENT_ID, Placement


class Route(Enum):
    """Which nodes a statement needs."""

    ONE_CLIENT = "the node of one client"
    ONE_COPY = "any one node: it reads and writes no distributed table"
    GATHERS = "the node of one client, once rows of local tables were brought there"
    ALL_SHARDS = "every shard"


def route_of(statement: Any, *, tenant_filtered: bool) -> Route:
    """Which nodes a statement needs."""
    sources = set(_sources(statement))
    by_client = {source for source in sources if _placement(source) is Placement.DISTRIBUTED}
    if not by_client:
        return Route.ONE_COPY
    if not tenant_filtered and not by_client <= _named(statement):
        return Route.ALL_SHARDS
    return Route.GATHERS if any(_placement(source) is Placement.LOCAL for source in sources) else Route.ONE_CLIENT


def tables_of(statement: Any) -> list[str]:
    """The names of the tables that a statement reads and writes."""
    return sorted({_table(source).name for source in _sources(statement)})


def _sources(statement: Any) -> Iterator[Any]:
    """The tables, and the aliases of tables, that a statement mentions."""
    if (written := getattr(statement, "table", None)) is not None:
        yield written
    for element in visitors.iterate(statement):
        if isinstance(element, Table):
            yield element
        elif isinstance(element, ColumnClause) and isinstance(_table(element.table), Table):
            yield element.table


def _table(source: Any) -> Any:
    return source if isinstance(source, Table) else getattr(source, "element", None)


def _placement(source: Any) -> Placement | None:
    return _table(source).info.get("placement")


def _named(statement: Any) -> set[Any]:
    """The tables and aliases whose client a statement names by a parameter, or as that of one whose client it names."""
    if isinstance(statement, Insert):
        return (
            {statement.table} if CLIENT_ID in {getattr(key, "key", key) for key in statement._values or ()} else set()
        )
    equal = [
        (element.left, element.right)
        for element in visitors.iterate(statement)
        if isinstance(element, BinaryExpression) and element.operator is operators.eq
    ]
    named = {
        column.table
        for pair in equal
        for column, value in (pair, pair[::-1])
        if _is_client(column) and isinstance(value, BindParameter)
    }
    for _ in equal:
        named |= {
            column.table
            for pair in equal
            for column, other in (pair, pair[::-1])
            if _is_client(column) and _is_client(other) and other.table in named
        }
    return named


def _is_client(element: Any) -> bool:
    return isinstance(element, ColumnClause) and element.name == CLIENT_ID
