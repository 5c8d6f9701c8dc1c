"""Costs of order lists, and the limit of their count."""

from contextlib import AsyncExitStack
from time import monotonic
from typing import Any

import apsw
import pytest
from sqlalchemy import select
from sqlalchemy.dialects import sqlite
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App
from tests.support.transport import make_order

from haulier.app import begin_to_remember
from haulier.contexts.orders.delivery_orders.store import lists as lists_store
from haulier.contexts.orders.delivery_orders.store.tables import orders
from haulier.kernel.data import list_totals
from haulier.kernel.data.statements import get_statements
from haulier.kernel.values import pagination

KNOWING_THE_CALLER = 1


async def some_orders(app: App, count: int) -> list[int]:
    return [
        (await app.answer("admin", "create_order", {"consignee": ADDRESS, "order_ref": f"L-{number}"})).order.id
        for number in range(count)
    ]


async def test_a_page_of_orders_takes_two_statements_and_a_full_order_one(app: App) -> None:
    ids = await some_orders(app, 3)
    costs = []
    for operation, values in (
        ("get_orders", {}),
        ("get_orders", {"status": "NEW_ORDER", "order_ref": "L-1"}),
        ("get_orders", {"search": "L-"}),
        ("get_orders", {"page": 2, "per_page": 3}),
        ("get_order_detail", {"order_id": ids[0]}),
    ):
        before = app.statements
        answer = await app.answer("admin", operation, values)
        costs.append(app.statements - before - KNOWING_THE_CALLER)
        if values.get("page"):
            assert (answer.total, answer.orders) == (3, [])
    assert costs == [2, 2, 2, 2, 1]


async def test_a_large_total_is_cached_for_a_minute(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (lists_store, pagination):
        monkeypatch.setattr(module, "MAX_COUNT", 2)
    lists_store._known_page_statements.cache_clear()
    app.application.list_totals.seconds = lambda: app.clock.now.timestamp()
    app.application.list_totals.max_count = 2
    ids = await some_orders(app, 3)

    async def told(who: str = "admin") -> tuple[int, object]:
        answer = await app.answer(who, "get_orders", {"status": "NEW_ORDER"})
        return answer.total, answer.total_is_floor

    try:
        assert await told() == (2, True)
        await app.answer("admin", "hold_orders", {"order_ids": ids[:2], "reason": "Storm"})
        assert await told() == (2, True)
        assert (await told("customer"))[0] == (await told("rival"))[0] == 0
        app.clock.forward(seconds=list_totals.LONG_FOR_S + 1)
        assert (await told())[0] == 1
    finally:
        lists_store._known_page_statements.cache_clear()


async def test_a_total_is_counted_once_until_the_next_write(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = monotonic()
    app.application.list_totals.seconds = lambda: seconds
    given: list[int | None] = []
    read_page = lists_store.list_order_rows_page

    async def noting(*arguments: Any, **named: Any) -> Any:
        given.append(arguments[-1])
        return await read_page(*arguments, **named)

    monkeypatch.setattr(lists_store, "list_order_rows_page", noting)

    async def total(page: int, who: str = "admin", **filters: str) -> int:
        return (await app.answer(who, "get_orders", {"page": page, "per_page": 2, **filters})).total

    async with AsyncExitStack() as stack:
        await begin_to_remember(app.application, stack)
        ids = await some_orders(app, 3)
        assert [await total(page) for page in (1, 2, 9)] == [3, 3, 3]
        assert [await total(1, status="CANCELLED"), await total(2, "rival"), await total(1, "customer")] == [0, 0, 0]
        assert given == [None, 3, 3, None, None, None], "each list is counted for itself, and once"
        await app.answer("admin", "cancel_order", {"order_id": ids[0], "reason": "Storm"})
        assert [await total(1), await total(1, status="CANCELLED"), await total(9)] == [3, 1, 3]
        assert given[6:] == [None, None, 3]
        seconds += list_totals.KNOWN_FOR_S + 1
        assert await total(2) == 3
        assert given[9:] == [None]


async def test_first_pages_of_any_length_match_later_pages(app: App) -> None:
    ids = await some_orders(app, 5)
    for per_page in (1, 2, 3, 5, 7):
        found: list[int] = []
        for page in range(1, 6):
            answer = await app.answer(
                "admin", "get_orders", {"page": page, "per_page": per_page, "status": "NEW_ORDER"}
            )
            assert answer.total == len(ids)
            found += [order.id for order in answer.orders]
        assert found == [*reversed(ids)]


async def test_sqlite_uses_an_index_for_a_clients_newest_orders(sqlite_app: App) -> None:
    newest = select(orders).order_by(orders.c.id.desc()).limit(20)
    prepared, literals = get_statements(sqlite.dialect, tenant_filtered=True).prepare(newest)
    connection = apsw.Connection(sqlite_app.database_url.removeprefix("sqlite:///"))
    plan = connection.execute(
        f"EXPLAIN QUERY PLAN {prepared.sql}", prepared.bind({**literals, "_client": 1})
    ).fetchall()
    connection.close()
    assert "SEARCH delivery_order USING INDEX" in str(plan), plan


async def test_a_cursor_skips_no_order_while_the_list_changes(app: App) -> None:
    made = [await make_order(app) for _ in range(12)]
    seen: list[int] = []
    cursor = None
    while cursor or not seen:
        page = await app.answer("admin", "get_orders", {"status": "NEW_ORDER", "per_page": 4, "cursor": cursor})
        seen += [order.id for order in page.orders]
        for order in page.orders:
            await app.answer("admin", "hold_order", {"order_id": order.id})
        await make_order(app)
        cursor = page.next_cursor
    assert seen == sorted(made, reverse=True)


async def test_a_cursor_of_another_list_is_refused(app: App) -> None:
    refused = await app.call("admin", "get_orders", {"cursor": "WzE3XQ"})
    assert refused.status == 422
    assert refused.error
    assert refused.error["errors"][0]["code"] == "CURSOR_INVALID"
