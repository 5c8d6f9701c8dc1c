"""Stock reserved for items of orders: policy, nearest warehouse, shortages."""

import asyncio
from typing import Any

import pytest
from tests.contexts.warehouse.makers import inventory, make_product, make_warehouse, receive, some_locations
from tests.support.app import App
from tests.support.transport import make_order

NEAR, FAR = {"lat": 43.7, "lng": -79.4}, {"lat": 45.5, "lng": -73.6}


async def make_shelf(app: App, code: str, stock: dict[str, int], **place: float) -> tuple[int, int]:
    """A warehouse with stock on its shelf; the ids of both."""
    warehouse = await make_warehouse(app, code, **place)
    (shelf,) = await some_locations(app, warehouse, f"{code}-01")
    for sku, quantity in stock.items():
        await receive(app, shelf, quantity, sku)
    return warehouse, shelf


async def two_warehouses(app: App, near: dict[str, int], far: dict[str, int]) -> tuple[int, int]:
    for sku in ("MUG", "PLATE"):
        await make_product(app, sku)
    return (await make_shelf(app, "NEAR", near, **NEAR))[0], (await make_shelf(app, "FAR", far, **FAR))[0]


async def ordered(app: App, mugs: int, plates: int = 0, **words: Any) -> int:
    items = [{"sku": "MUG", "quantity": mugs}, *([{"sku": "PLATE", "quantity": plates}] if plates else [])]
    return await make_order(app, items=items, **words)


async def stock_of(app: App, order_id: int) -> Any:
    return await app.answer("admin", "get_order_stock", {"order_id": order_id})


async def reserve(app: App, order_id: int) -> list[tuple[int, str, int]]:
    answer = await app.answer("admin", "reserve_order_stock", {"order_id": order_id})
    return [(share.warehouse_id, share.sku, share.quantity) for share in answer.reserved]


async def short_orders(app: App) -> list[int]:
    answer = await app.answer("admin", "list_exceptions", {"kinds": ["stock_short"]})
    assert answer.counts.stock_short == len(answer.exceptions)
    return [each.order_id for each in answer.exceptions]


async def test_the_nearest_warehouse_with_all_items_is_chosen(app: App) -> None:
    near, far = await two_warehouses(app, {"MUG": 5}, {"MUG": 5, "PLATE": 5})
    assert await reserve(app, await ordered(app, 2)) == [(near, "MUG", 2)]
    assert await reserve(app, await ordered(app, 2, 1)) == [(far, "MUG", 2), (far, "PLATE", 1)]


async def test_stock_is_split_if_no_warehouse_has_all_items(app: App) -> None:
    near, far = await two_warehouses(app, {"MUG": 3}, {"MUG": 3, "PLATE": 5})
    assert await reserve(app, await ordered(app, 5)) == [(near, "MUG", 3), (far, "MUG", 2)]


async def test_missing_units_create_an_exception_with_an_owner_instead_of_a_refusal(app: App) -> None:
    near, _ = await two_warehouses(app, {"MUG": 2}, {})
    order_id = await ordered(app, 5)
    assert await reserve(app, order_id) == [(near, "MUG", 2)]
    assert [(line.sku, line.ordered, line.short) for line in (await stock_of(app, order_id)).lines] == [("MUG", 5, 3)]
    (shortage,) = (await app.answer("admin", "list_stock_shortages", {})).shortages
    assert (shortage.order_id, shortage.quantity, shortage.owner_id) == (order_id, 3, app.ids["admin"])
    assert await short_orders(app) == [order_id]
    (shelf,) = await some_locations(app, near, "NEAR-02")
    await receive(app, shelf, 10)
    assert await reserve(app, order_id) == [(near, "MUG", 5)]
    assert await short_orders(app) == []
    assert (await app.answer("admin", "list_stock_shortages", {})).shortages == []


async def test_a_repeat_reserves_nothing_twice_even_concurrently(app: App) -> None:
    await two_warehouses(app, {"MUG": 9}, {"MUG": 9})
    order_id = await ordered(app, 4)
    await asyncio.gather(*(app.answer("admin", "reserve_order_stock", {"order_id": order_id}) for _ in range(4)))
    await reserve(app, order_id)
    assert (await inventory(app))["MUG"] == (18, 4, 14)


async def test_parallel_orders_never_reserve_more_than_available(app: App) -> None:
    await two_warehouses(app, {"MUG": 5}, {"MUG": 5})
    orders = [await ordered(app, 3) for _ in range(5)]
    await asyncio.gather(*(app.answer("admin", "reserve_order_stock", {"order_id": id}) for id in orders))
    assert (await inventory(app))["MUG"] == (10, 10, 0)
    short = [line.short for id in orders for line in (await stock_of(app, id)).lines]
    assert sum(short) == 5


@pytest.mark.parametrize(("policy", "reserved"), [("manual", 0), ("at_creation", 2), ("at_release", 0)])
async def test_orders_are_reserved_at_creation_only_under_that_policy(app: App, policy: str, reserved: int) -> None:
    await two_warehouses(app, {"MUG": 5}, {})
    assert (await app.answer("admin", "get_order_stock_policy")).reserve == "manual"
    await app.answer("admin", "set_order_stock_policy", {"reserve": policy})
    await ordered(app, 2)
    await app.work_off()
    assert (await inventory(app))["MUG"] == (5, reserved, 5 - reserved)


async def test_held_orders_are_reserved_at_release_under_that_policy(app: App) -> None:
    await two_warehouses(app, {"MUG": 5}, {})
    await app.answer("admin", "set_order_stock_policy", {"reserve": "at_release"})
    order_id = await ordered(app, 2)
    await app.answer("admin", "hold_order", {"order_id": order_id})
    await app.answer("admin", "release_order", {"order_id": order_id})
    await app.work_off()
    assert (await inventory(app))["MUG"] == (5, 2, 3)


async def test_a_cancelled_order_releases_its_stock_and_closes_its_shortages(app: App) -> None:
    await two_warehouses(app, {"MUG": 5}, {})
    order_id = await ordered(app, 7)
    await reserve(app, order_id)
    await app.answer("admin", "cancel_order", {"order_id": order_id})
    await app.work_off()
    assert (await inventory(app))["MUG"] == (5, 0, 5)
    assert (await app.answer("admin", "list_stock_shortages", {})).shortages == []
    refused = await app.call("admin", "reserve_order_stock", {"order_id": order_id})
    assert (refused.status, refused.error["code"]) == (409, "ORDER_IS_OVER")  # type: ignore[index]
    assert (await inventory(app))["MUG"] == (5, 0, 5)


async def test_shipping_consumes_the_reservation(app: App) -> None:
    near, _ = await two_warehouses(app, {"MUG": 5}, {})
    order_id = await ordered(app, 2)
    await reserve(app, order_id)
    reference = (await stock_of(app, order_id)).reference
    shipped = {"warehouse_id": near, "reference": reference, "unpicked": True}
    await app.answer("admin", "ship_stock", shipped)
    assert await reserve(app, order_id) == []
    assert [(line.reserved, line.shipped, line.short) for line in (await stock_of(app, order_id)).lines] == [(0, 2, 0)]
    assert (await inventory(app))["MUG"] == (3, 0, 3)


async def test_corrected_items_are_reserved_again(app: App) -> None:
    await two_warehouses(app, {"MUG": 5, "PLATE": 5}, {})
    order_id = await ordered(app, 2)
    await reserve(app, order_id)
    items = [{"sku": "MUG", "quantity": 1}, {"sku": "PLATE", "quantity": 3}]
    await app.answer("admin", "correct_order", {"order_id": order_id, "items": items})
    await app.work_off()
    assert [(line.sku, line.reserved, line.short) for line in (await stock_of(app, order_id)).lines] == [
        ("MUG", 1, 0),
        ("PLATE", 3, 0),
    ]
    assert (await inventory(app))["MUG"] == (5, 1, 4)


async def test_picked_items_cannot_be_corrected(app: App) -> None:
    near, _ = await two_warehouses(app, {"MUG": 5}, {})
    order_id = await ordered(app, 2)
    await reserve(app, order_id)
    reference = (await stock_of(app, order_id)).reference
    await app.answer("admin", "ship_stock", {"warehouse_id": near, "reference": reference, "unpicked": True})
    asked = {"order_id": order_id, "items": [{"sku": "MUG", "quantity": 1}]}
    refused = await app.call("admin", "correct_order", asked)
    assert refused.status == 409
    assert [(each["field"], each["code"]) for each in refused.error["errors"]] == [  # type: ignore[index]
        ("items", "ITEMS_PICKED")
    ]
    await app.answer("admin", "correct_order", {"order_id": order_id, "cod_minor": 500})


async def test_released_stock_is_available_again(app: App) -> None:
    await two_warehouses(app, {"MUG": 5}, {})
    order_id = await ordered(app, 2)
    await reserve(app, order_id)
    assert (await app.answer("admin", "release_order_stock", {"order_id": order_id})).reserved == []
    assert (await inventory(app))["MUG"] == (5, 0, 5)


async def test_items_without_a_known_product_reserve_nothing(app: App) -> None:
    order_id = await make_order(app, items=[{"sku": "UNKNOWN"}, {"description": "Card"}])
    assert await reserve(app, order_id) == []
    assert await short_orders(app) == []


async def test_another_business_can_neither_see_nor_reserve_stock(app: App) -> None:
    await two_warehouses(app, {"MUG": 5}, {})
    order_id = await ordered(app, 2)
    for operation in ("get_order_stock", "reserve_order_stock", "release_order_stock"):
        assert (await app.call("rival", operation, {"order_id": order_id})).status == 404
