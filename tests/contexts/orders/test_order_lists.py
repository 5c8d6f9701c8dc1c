"""What lists of orders cost, and how long ones are counted."""

import apsw
import pytest
from sqlalchemy import select
from sqlalchemy.dialects import sqlite
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App

from haulier.contexts.orders.delivery_orders.operations import query
from haulier.contexts.orders.delivery_orders.store import lists as store
from haulier.contexts.orders.delivery_orders.store.tables import orders
from haulier.kernel.data.long_lists import KNOWN_FOR_S
from haulier.kernel.data.statements import get_statements
from haulier.kernel.values import pagination

KNOWING_THE_CALLER = 1


async def some_orders(app: App, count: int) -> list[int]:
    return [
        (await app.answer("admin", "create_order", {"consignee": ADDRESS, "order_ref": f"L-{number}"})).order.id
        for number in range(count)
    ]


async def test_a_page_of_orders_takes_two_statements_and_an_order_in_full_one(app: App) -> None:
    ids = await some_orders(app, 3)
    costs = []
    for operation, values in (
        ("get_orders", {}),
        ("get_orders", {"status": "NEW_ORDER", "order_ref": "L-1"}),
        ("get_orders", {"text": "L-"}),
        ("get_orders", {"page": 2, "per_page": 3}),
        ("get_order_detail", {"order_id": ids[0]}),
    ):
        before = app.statements
        answer = await app.answer("admin", operation, values)
        costs.append(app.statements - before - KNOWING_THE_CALLER)
        if values.get("page"):
            assert (answer.total, answer.orders) == (3, [])
    assert costs == [2, 2, 2, 2, 1]


async def test_a_list_that_is_long_is_taken_for_long_for_a_minute(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (store, query, pagination):
        monkeypatch.setattr(module, "MAX_COUNT", 2)
    store._known_page_statements.cache_clear()
    app.application.long_lists.seconds = lambda: app.clock.now.timestamp()
    ids = await some_orders(app, 3)

    async def told(who: str = "admin") -> tuple[int, object]:
        answer = await app.answer(who, "get_orders", {"status": "NEW_ORDER"})
        return answer.total, answer.total_is_floor

    try:
        assert await told() == (2, True)
        await app.answer("admin", "hold_orders", {"order_ids": ids[:2], "reason": "Storm"})
        assert await told() == (2, True)
        assert (await told("customer"))[0] == (await told("rival"))[0] == 0
        app.clock.forward(seconds=KNOWN_FOR_S + 1)
        assert (await told())[0] == 1
    finally:
        store._known_page_statements.cache_clear()


async def test_sqlite_finds_a_clients_newest_orders_among_its_own(sqlite_app: App) -> None:
    newest = select(orders).order_by(orders.c.id.desc()).limit(20)
    prepared, literals = get_statements(sqlite.dialect, tenant_filtered=True).prepare(newest)
    connection = apsw.Connection(sqlite_app.database_url.removeprefix("sqlite:///"))
    plan = connection.execute(
        f"EXPLAIN QUERY PLAN {prepared.sql}", prepared.bind({**literals, "_client": 1})
    ).fetchall()
    connection.close()
    assert "SEARCH delivery_order USING INDEX" in str(plan), plan
