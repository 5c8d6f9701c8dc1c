"""Determines from a statement which nodes of a distributed database it needs.

A statement goes to one node if it names one client for each distributed table that it uses. The tenant filter ensures
that; statements without it must do so themselves.
"""

import os
import sys
from collections.abc import Iterator
from enum import Enum
from typing import Any

import pytest
from sqlalchemy import Table
from sqlalchemy.sql import operators
from sqlalchemy.sql.dml import Insert
from sqlalchemy.sql.elements import BinaryExpression, BindParameter, ColumnClause
from sqlalchemy.sql.selectable import AliasedReturnsRows

from haulier.kernel.data.statements import Statements
from haulier.kernel.data.tables import CLIENT_ID, Placement, metadata


class Route(Enum):
    """Nodes that a statement needs."""

    ONE_CLIENT = "the node of one client"
    ONE_COPY = "any one node: it reads and writes no distributed table"
    GATHERS = "the node of one client, once rows of local tables were brought there"
    ALL_SHARDS = "every shard"


def route_of(statement: Any, *, tenant_filtered: bool) -> Route:
    """Return the nodes that a statement needs."""
    sources = set(_sources(statement))
    by_client = {source for source in sources if _placement(source) is Placement.DISTRIBUTED}
    if not by_client:
        return Route.ONE_COPY
    if not tenant_filtered and not by_client <= _named(statement):
        return Route.ALL_SHARDS
    return Route.GATHERS if any(_placement(source) is Placement.LOCAL for source in sources) else Route.ONE_CLIENT


def tables_of(statement: Any) -> list[str]:
    """Return the names of the tables that a statement uses."""
    return sorted({_table(source).name for source in _sources(statement)})


def _sources(statement: Any) -> Iterator[Any]:
    """Yield the tables and table aliases in a statement."""
    if (written := getattr(statement, "table", None)) is not None:
        yield written
    for element in _elements(statement):
        source = element.table if isinstance(element, ColumnClause) else element
        if isinstance(_table(source), Table):
            yield source


def _elements(element: Any) -> Iterator[Any]:
    """Yield an element of a statement and everything in it.

    An alias counts instead of its table.
    """
    yield element
    if not isinstance(element, AliasedReturnsRows) or not isinstance(element.element, Table):
        for child in element.get_children():
            yield from _elements(child)


def _table(source: Any) -> Any:
    return source.element if isinstance(source, AliasedReturnsRows) else source


def _placement(source: Any) -> Placement | None:
    return _table(source).info.get("placement")


def _named(statement: Any) -> set[Any]:
    """Return the tables and aliases whose client a statement names.

    A client may be named directly or through another table.
    """
    if isinstance(statement, Insert):
        return (
            {statement.table} if CLIENT_ID in {getattr(key, "key", key) for key in statement._values or ()} else set()
        )
    equal = [
        (element.left, element.right)
        for element in _elements(statement)
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


class UnroutedStatement(AssertionError):
    """Raised for an unlisted statement of the application that needs several nodes."""


LISTED: dict[tuple[Route, tuple[str, ...]], str] = {
    (Route.GATHERS, ("delivery_order", "order_piece_exception", "user_account")): (
        "which orders wait with a disabled contractor: the ids of the client's disabled users are sent with the question"
    ),
    (Route.GATHERS, ("job", "plan_search")): (
        "how far the job of one search for a packing or load plan is, as of one build"
    ),
    (Route.GATHERS, ("job", "route_build")): (
        "how far the job of one build is: one row of the ledger, found by its key, is sent with the question"
    ),
}
"""Statements that need several nodes, by their tables, with the reason and cost.

`docs/operate/citus.md` has the same list for operators.
"""


COPIES = f"{os.sep}adapters{os.sep}database_copy.py"
"""Reads and writes whole tables, as a copy of a database has to."""


def require_route(statement: Any, *, tenant_filtered: bool) -> None:
    """Raise `UnroutedStatement` for an unlisted statement that needs several nodes.

    Only statements on declared tables count.
    """
    if any(_table(source).metadata is not metadata for source in _sources(statement)):
        return
    route, tables = route_of(statement, tenant_filtered=tenant_filtered), tuple(tables_of(statement))
    if route in {Route.GATHERS, Route.ALL_SHARDS} and (route, tables) not in LISTED:
        raise UnroutedStatement(
            f"{route.value} answers this, of {', '.join(tables)}; name the client in it: {statement}"
        )


def require_no_copies(statement: Any) -> None:
    """Raise `UnroutedStatement` for rows copied into a distributed table.

    Citus copies such rows to the shards, which PostgreSQL refuses under row-level security.
    """
    selecting = (each for each in _elements(statement) if isinstance(each, Insert) and each.select is not None)
    for written in selecting:
        if _is_distributed(written.table) and not any(map(_is_distributed, _sources(written.select))):
            raise UnroutedStatement(f"Citus would copy these rows to {written.table.name}: {statement}")


def _is_distributed(source: Any) -> bool:
    return _placement(source) is Placement.DISTRIBUTED


def watch_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the route of every statement of the application from now on.

    Statements of tests are not checked.
    """
    compile_ = Statements._compile

    def watched(self: Statements, statement: Any) -> Any:
        if _is_application_query():
            require_route(statement, tenant_filtered=self.tenant_filtered)
            if self.dialect.name != "sqlite":
                require_no_copies(statement)
        return compile_(self, statement)

    monkeypatch.setattr(Statements, "_compile", watched)


def _is_application_query() -> bool:
    """Return True if the nearest caller outside the data port is the application."""
    frame: Any = sys._getframe(2)
    while frame is not None and f"{os.sep}kernel{os.sep}data{os.sep}" in frame.f_code.co_filename:
        frame = frame.f_back
    if frame is None:
        return False
    name = frame.f_code.co_filename
    return f"{os.sep}src{os.sep}haulier{os.sep}" in name and not name.endswith(COPIES)
