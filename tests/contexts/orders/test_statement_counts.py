"""Statement counts of operations, independent of the amount of data."""

from contextlib import AsyncExitStack
from typing import Any

import pytest
from tests.support.app import App
from tests.support.transport import make_contact, make_order, some_orders

from haulier.app import begin_to_remember

PACKAGES = 60
MOST_STATEMENTS = 15
"""Without cached data: the caller; custom fields; the price; the depots; the order, its package and first step; its number,
timeline and first event; the audit in two; endpoints and recipients of the news; the sums by day."""
REMEMBERED = 5
"""Cached data of a serving process: callers, custom fields, rate cards, depots, messages."""


async def cost(app: App, who: str, operation: str, values: dict[str, Any] | None = None) -> int:
    """Return the number of statements of one call, in all units of work."""
    before = app.statements
    await app.answer(who, operation, values)
    return app.statements - before


async def make_new_order(app: App, packages: int) -> int:
    return await cost(app, "admin", "create_order", {"consignee": make_contact(), "packages": [{}] * packages})


async def warm(app: App) -> None:
    """Let what is read once per process be read."""
    order_id = await make_order(app)
    await app.answer("admin", "get_orders")
    await app.answer("admin", "get_order_detail", {"order_id": order_id})


@pytest.mark.parametrize("who", ["admin", "customer"])
async def test_a_list_uses_a_constant_number_of_statements(app: App, who: str) -> None:
    await warm(app)
    await make_order(app, "customer")
    await app.answer(who, "get_orders", {"per_page": 200})
    few = await cost(app, who, "get_orders", {"per_page": 200})
    orders = [{"consignee": make_contact(), "packages": [{}] * 3, "customer_id": app.ids["customer"]}] * 60
    await app.answer("admin", "bulk_create_orders", {"orders": orders})
    assert (await app.answer(who, "get_orders", {"per_page": 200})).total > 60
    assert 0 < await cost(app, who, "get_orders", {"per_page": 200}) == few


async def test_a_detail_uses_a_constant_number_of_statements_for_packages_and_steps(app: App) -> None:
    await warm(app)
    small, large = await make_order(app), await make_order(app, packages=[{}] * PACKAGES)
    for _ in range(10):
        await app.answer("admin", "hold_order", {"order_id": large})
        await app.answer("admin", "release_order", {"order_id": large})
    shown = (await app.answer("admin", "get_order_detail", {"order_id": large})).order
    assert (len(shown.packages), len(shown.steps)) == (PACKAGES, 21)
    few = await cost(app, "admin", "get_order_detail", {"order_id": small})
    assert 0 < await cost(app, "admin", "get_order_detail", {"order_id": large}) == few


async def test_creating_an_order_uses_a_constant_number_of_statements(app: App) -> None:
    await warm(app)
    few = await make_new_order(app, 1)
    assert 0 < await make_new_order(app, PACKAGES) == few
    await some_orders(app, 200)
    assert await make_new_order(app, 1) == few


async def test_creating_many_orders_uses_as_many_statements_as_two(app: App) -> None:
    await warm(app)
    costs = [
        await cost(app, "admin", "bulk_create_orders", {"orders": [{"consignee": make_contact()}] * count})
        for count in (2, 100)
    ]
    assert costs[0] == costs[1]


async def test_an_order_is_created_in_a_dozen_statements_plus_two_for_an_idempotency_key(app: App) -> None:
    await warm(app)
    order = {"consignee": make_contact(), "order_ref": "1001"}
    assert await cost(app, "admin", "create_order", order) <= MOST_STATEMENTS
    before = app.statements
    await app.answer("admin", "create_order", {**order, "order_ref": "1002"}, idempotency_key="once")
    assert app.statements - before <= MOST_STATEMENTS + 2
    async with AsyncExitStack() as stack:
        await begin_to_remember(app.application, stack)
        await make_new_order(app, 1)
        assert await make_new_order(app, 1) <= MOST_STATEMENTS - REMEMBERED
