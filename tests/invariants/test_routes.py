"""Each statement goes to the node of one client, or is listed as an exception.

The test suite checks every statement that the application compiles (`tests/support/routing.py`); this file tests the
classification.
"""

import re
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, MetaData, String, and_, bindparam, delete, exists, func, insert, select, update
from tests.support.routing import LISTED, Route, UnroutedStatement, require_no_copies, require_route, route_of

from haulier.app import load_tables
from haulier.kernel.data.tables import CLIENT_ID, Id, directory_table, metadata, shared_table, tenant_table

SOME = MetaData()
crates = tenant_table("crate", Column("name", String(9)), metadata=SOME)
pieces = tenant_table("piece", Column("crate_id", Id), metadata=SOME)
tickets = directory_table("ticket", Column("crate_id", Id), why="the code says whose it is", metadata=SOME)
countries = shared_table("country", everywhere=True, metadata=SOME)
OURS = crates.c[CLIENT_ID] == bindparam("us")
ours = crates.alias()

WITHOUT_FILTER: list[tuple[Any, Route]] = [
    (select(crates), Route.ALL_SHARDS),
    (select(crates).where(crates.c.id == 1), Route.ALL_SHARDS),
    (select(crates).where(OURS), Route.ONE_CLIENT),
    (select(func.count()).select_from(crates).where(OURS), Route.ONE_CLIENT),
    (select(crates.c.id).join_from(crates, pieces, pieces.c.crate_id == crates.c.id).where(OURS), Route.ALL_SHARDS),
    (
        select(crates.c.id)
        .join_from(crates, pieces, and_(pieces.c.crate_id == crates.c.id, pieces.c[CLIENT_ID] == crates.c[CLIENT_ID]))
        .where(OURS),
        Route.ONE_CLIENT,
    ),
    (select(ours).where(OURS), Route.ALL_SHARDS),
    (select(crates).where(OURS, exists().where(pieces.c.crate_id == crates.c.id)), Route.ALL_SHARDS),
    (update(crates).where(crates.c.id == 1).values(name="x"), Route.ALL_SHARDS),
    (update(crates).where(OURS).values(name="x"), Route.ONE_CLIENT),
    (delete(crates), Route.ALL_SHARDS),
    (insert(crates).values(name="x"), Route.ALL_SHARDS),
    (insert(crates).values(name="x", client_id=1), Route.ONE_CLIENT),
    (select(tickets).where(tickets.c.id == 1), Route.ONE_COPY),
    (select(countries), Route.ONE_COPY),
]
ROOT = Path(__file__).resolve().parents[2]
FILTERED: list[tuple[Any, Route]] = [
    (select(crates).where(crates.c.id == 1), Route.ONE_CLIENT),
    (insert(crates).values(name="x"), Route.ONE_CLIENT),
    (select(crates.c.id, countries.c.id).select_from(crates), Route.ONE_CLIENT),
    (select(crates.c.id).join_from(crates, tickets, tickets.c.crate_id == crates.c.id), Route.GATHERS),
    (select(tickets), Route.ONE_COPY),
]


@pytest.mark.parametrize(("filtered", "cases"), [(False, WITHOUT_FILTER), (True, FILTERED)])
def test_the_target_of_a_statement_is_derived_from_the_statement(
    *, filtered: bool, cases: list[tuple[Any, Route]]
) -> None:
    found = [(str(statement), route_of(statement, tenant_filtered=filtered)) for statement, _ in cases]
    assert found == [(str(statement), route) for statement, route in cases]


def test_a_statement_across_all_shards_is_refused_with_its_tables() -> None:
    load_tables()
    orders = metadata.tables["delivery_order"]
    with pytest.raises(UnroutedStatement, match="every shard answers this, of delivery_order; name the client in it"):
        require_route(select(orders.c.id), tenant_filtered=False)
    require_route(select(orders.c.id), tenant_filtered=True)


def test_rows_from_parameters_are_not_inserted_into_a_distributed_table_by_select() -> None:
    load_tables()
    words, accounts = metadata.tables["address_words"], metadata.tables["ledger_account"]
    given = select(func.unnest(bindparam("ids")), bindparam("words"))
    with pytest.raises(UnroutedStatement, match="Citus would copy these rows to address_words"):
        require_no_copies(insert(words).from_select(["id", "words"], given))
    require_no_copies(insert(words).from_select(["id", "words"], select(accounts.c.id, accounts.c.kind)))


def test_listed_exceptions_exist_and_are_documented_for_operators() -> None:
    load_tables()
    page = (ROOT / "docs/operate/citus.md").read_text()
    told = {
        tuple(sorted(re.findall(r"`(\w+)`", row.split("|")[1]))) for row in page.splitlines() if row.startswith("| `")
    }
    for _, tables in LISTED:
        assert set(tables) <= set(metadata.tables)
        assert tables in told, tables
