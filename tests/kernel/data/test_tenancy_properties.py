"""Queries of any shape return the same rows as if there were no other clients.

Two SQLite databases contain the same rows of one client; one of them also contains another client's, which reference
the first client's. A generated query with the tenant filter on the full database must return the same rows as without
it on the other. This detects leaks and missing rows, as with an outer join filtered in its WHERE.
"""

from dataclasses import dataclass, field
from itertools import count
from typing import Any

import apsw
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import and_, exists, func, insert, select, union_all
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable
from tests.kernel.data.sample_tables import OURS, THEIRS, crates, labels, pieces, sample_metadata, zones
from tests.support.hypothesis_profiles import thorough

from haulier.kernel.data.statements import Statements

LINKS = {crates: "id", pieces: "crate_id", labels: "piece_id", zones: "id"}
tenant_filtered = Statements(sqlite.dialect(), tenant_filtered=True)
open_ = Statements(sqlite.dialect(), tenant_filtered=False)


def make_database(*clients: int) -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    for each in sample_metadata.sorted_tables:
        connection.execute(str(CreateTable(each).compile(dialect=sqlite.dialect())))

    def put(into: Any, **values: Any) -> None:
        prepared, literals = open_.prepare(insert(into).values(**values))
        connection.execute(prepared.sql, prepared.bind(literals))

    for number in range(1, 9):
        client = OURS if number % 2 else THEIRS
        if client in clients:
            put(crates, id=number, client_id=client, name=f"c{number}")
            put(pieces, id=number, client_id=client, crate_id=number % 5 or None, name=f"p{number}")
            put(labels, id=number, client_id=client, piece_id=9 - number, text=f"l{number}")
        put(zones, id=number, name=f"z{number}")
    return connection


crowded, lonely = make_database(OURS, THEIRS), make_database(OURS)


@dataclass
class Scope:
    """A FROM clause under construction, and the tables that can be joined to it."""

    source: Any
    leaves: list[tuple[Any, str]] = field(default_factory=list)


def wrapped(table: Any, how: str, number: int) -> Any:
    match how:
        case "alias":
            return table.alias(f"t{number}")
        case "subquery":
            return select(table).where(table.c.id > 1).subquery(f"t{number}")
        case "cte":
            return select(table).where(table.c.id < 8).cte(f"t{number}")
    inner = table.alias(f"i{number}")
    return select(inner, func.count().over().label("n")).subquery(f"t{number}")


@st.composite
def scopes(draw: st.DrawFn, numbers: Any = None, depth: int = 3) -> Scope:
    numbers = numbers or count(1)
    if depth == 0 or draw(st.booleans()):
        table = draw(st.sampled_from(list(LINKS)))
        leaf = wrapped(table, draw(st.sampled_from(["alias", "alias", "subquery", "cte", "window"])), next(numbers))
        return Scope(leaf, [(leaf, LINKS[table])])
    left, right = draw(scopes(numbers, depth - 1)), draw(scopes(numbers, depth - 1))
    (a, make_link), (b, b_link) = draw(st.sampled_from(left.leaves)), draw(st.sampled_from(right.leaves))
    on = draw(st.sampled_from([a.c.id == b.c[b_link], a.c[make_link] == b.c.id, a.c.id == b.c.id]))
    joined = left.source.join(right.source, on, isouter=draw(st.booleans()))
    return Scope(joined, left.leaves + right.leaves)


@st.composite
def queries(draw: st.DrawFn) -> Any:
    scope = draw(scopes())
    leaf, link = draw(st.sampled_from(scope.leaves))
    columns = [each.c.id for each, _ in scope.leaves][:4]
    extra = draw(st.sampled_from(["none", "count", "correlated"]))
    if extra == "count":
        columns.append(select(func.count()).select_from(pieces.alias("all")).scalar_subquery())
    elif extra == "correlated":
        near = crates.alias("near")
        columns.append(select(func.max(near.c.name)).where(near.c.id >= leaf.c.id).scalar_subquery())
    query = select(*(column.label(f"x{i}") for i, column in enumerate(columns))).select_from(scope.source)
    match draw(st.sampled_from(["none", "exists", "not exists", "in", "comma"])):
        case "exists":
            query = query.where(exists().where(labels.c.piece_id == leaf.c.id))
        case "not exists":
            query = query.where(~exists().where(and_(pieces.c.crate_id == leaf.c[link], pieces.c.id > 1)))
        case "in":
            query = query.where(leaf.c[link].in_(select(crates.c.id)))
        case "comma":
            query = query.where(crates.c.id == leaf.c[link])
    return query


def rows(connection: apsw.Connection, statements: Statements, query: Any) -> list[tuple]:
    prepared, literals = statements.prepare(query)
    found = connection.execute(prepared.sql, prepared.bind({**literals, "_client": OURS}))
    return sorted(found, key=repr)


@thorough
@given(queries())
def test_a_filtered_query_finds_the_same_rows_as_in_a_single_tenant_database(query):
    assert rows(crowded, tenant_filtered, query) == rows(lonely, open_, query)


@given(queries())
def test_unions_and_subqueries_are_filtered_too(query):
    nested = select(union_all(query, query).subquery())
    assert len(rows(crowded, tenant_filtered, nested)) == len(rows(lonely, open_, nested))
    assert rows(crowded, tenant_filtered, select(query.subquery())) == rows(lonely, open_, query)
