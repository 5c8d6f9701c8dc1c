"""Backorders: items that wait become an order of their own."""

from typing import Any

from tests.contexts.orders.backorder_makers import (
    backordered,
    fulfilled_parts,
    make_shelf,
    make_short_order,
    ordered_units,
    show_order,
)
from tests.contexts.shipping.makers import make_parcelo_account
from tests.contexts.warehouse.makers import inventory, receive
from tests.support.app import App
from tests.support.transport import make_order, status_and_code


async def refused(app: App, operation: str, **values: Any) -> tuple[int, str | None]:
    return status_and_code(await app.call("admin", operation, values, confirmed=True))


async def test_the_short_units_wait_in_an_order_of_their_own_and_the_rest_can_ship(app: App) -> None:
    await make_shelf(app, MUG=2, PLATE=1)
    order_id = await make_short_order(app, MUG=2, PLATE=3)
    made = await backordered(app, order_id, expected_on="2026-12-24")
    assert [(line.sku, line.quantity) for line in made.items] == [("PLATE", 2)]
    assert await ordered_units(app, order_id) == {"MUG": 2, "PLATE": 1}
    first, second = await fulfilled_parts(app, order_id)
    assert (first.part_number, first.part_count, first.status, first.backorder_id) == (1, 2, "waiting", None)
    assert (second.part_number, second.order_id, second.backorder_id) == (2, made.backorder_order_id, made.id)
    assert first.tracking_numbers != second.tracking_numbers
    assert (await show_order(app, made.backorder_order_id)).status == "HOLD"
    assert (await inventory(app))["PLATE"] == (1, 1, 0)


async def test_the_parts_of_an_order_are_the_same_seen_from_each(app: App) -> None:
    await make_shelf(app, MUG=1)
    order_id = await make_short_order(app, MUG=2)
    made = await backordered(app, order_id)
    seen = [[each.id for each in await fulfilled_parts(app, id)] for id in (order_id, made.backorder_order_id)]
    assert seen[0] == seen[1] == [f"order-{order_id}", f"order-{made.backorder_order_id}"]


async def test_price_and_cash_on_delivery_are_divided_and_merged_again(app: App) -> None:
    await make_shelf(app, MUG=1)
    order_id = await make_short_order(app, MUG=3, cod_minor=1000)
    before = await show_order(app, order_id)
    made = await backordered(app, order_id)
    parts = [await show_order(app, id) for id in (order_id, made.backorder_order_id)]
    assert sum(part.shipping_price for part in parts) == before.shipping_price
    assert [part.cod_minor for part in parts] == [334, 666]
    merged = (await app.answer("admin", "merge_backorder", {"backorder_id": made.id})).backorder
    after = await show_order(app, order_id)
    assert (merged.state, after.shipping_price, after.cod_minor) == ("merged", before.shipping_price, 1000)
    assert after.price_details == before.price_details
    assert await ordered_units(app, order_id) == {"MUG": 3}
    assert (await show_order(app, made.backorder_order_id)).status == "CANCELLED"
    assert len(await fulfilled_parts(app, order_id)) == 1


async def test_reserved_stock_goes_with_its_items(app: App) -> None:
    await make_shelf(app, MUG=4)
    order_id = await make_short_order(app, MUG=4)
    made = await backordered(app, order_id, items=[{"number": 1, "quantity": 3}], auto_release=False)
    stock = await app.answer("admin", "get_order_stock", {"order_id": made.backorder_order_id})
    assert [(line.reserved, line.short) for line in stock.lines] == [(3, 0)]
    await app.answer("admin", "merge_backorder", {"backorder_id": made.id})
    await app.work_off()
    stock = await app.answer("admin", "get_order_stock", {"order_id": order_id})
    assert [(line.reserved, line.short) for line in stock.lines] == [(4, 0)]
    assert (await inventory(app))["MUG"] == (4, 4, 0)


async def test_arriving_stock_releases_the_oldest_backorder_first(app: App) -> None:
    shelf = await make_shelf(app, MUG=0)
    waiting = [await backordered(app, await make_short_order(app, MUG=2)) for _ in range(2)]
    await receive(app, shelf, 3, "MUG")
    await app.work_off()
    orders = [await show_order(app, made.backorder_order_id) for made in waiting]
    assert [order.status for order in orders] == ["NEW_ORDER", "HOLD"]
    assert (await inventory(app))["MUG"] == (3, 3, 0)
    await receive(app, shelf, 1, "MUG")
    await app.work_off()
    states = [(await app.answer("admin", "get_backorder", {"backorder_id": each.id})).backorder for each in waiting]
    assert [each.state for each in states] == ["released", "released"]


async def test_a_younger_backorder_takes_nothing_that_an_older_one_misses(app: App) -> None:
    shelf = await make_shelf(app, MUG=0)
    old, young = [await backordered(app, await make_short_order(app, MUG=units)) for units in (5, 1)]
    await receive(app, shelf, 4, "MUG")
    await app.work_off()
    assert [(await show_order(app, each.backorder_order_id)).status for each in (old, young)] == ["HOLD", "HOLD"]


async def test_a_backorder_with_automatic_release_off_waits_for_staff(app: App) -> None:
    shelf = await make_shelf(app, MUG=1)
    made = await backordered(app, await make_short_order(app, MUG=2), auto_release=False)
    await receive(app, shelf, 5, "MUG")
    await app.work_off()
    assert (await show_order(app, made.backorder_order_id)).status == "HOLD"
    await app.answer("admin", "release_order", {"order_id": made.backorder_order_id})
    shown = (await app.answer("admin", "get_backorder", {"backorder_id": made.id})).backorder
    assert shown.state == "released"


async def test_an_order_that_waits_as_a_whole_is_held_itself(app: App) -> None:
    await make_shelf(app, MUG=0)
    order_id = await make_short_order(app, MUG=2)
    made = await backordered(app, order_id)
    assert (made.backorder_order_id, (await show_order(app, order_id)).status) == (order_id, "HOLD")
    assert await refused(app, "merge_backorder", backorder_id=made.id) == (409, "BACKORDER_STEP_REFUSED")


async def test_a_cancelled_part_ends_its_backorder_and_frees_its_stock(app: App) -> None:
    await make_shelf(app, MUG=2)
    order_id = await make_short_order(app, MUG=2)
    made = await backordered(app, order_id, items=[{"number": 1, "quantity": 1}], auto_release=False)
    await app.answer("admin", "cancel_order", {"order_id": made.backorder_order_id}, confirmed=True)
    await app.work_off()
    shown = (await app.answer("admin", "get_backorder", {"backorder_id": made.id})).backorder
    assert shown.state == "cancelled"
    assert (await inventory(app))["MUG"] == (2, 1, 1)
    assert await refused(app, "update_backorder", backorder_id=made.id, note="Late") == (409, "BACKORDER_STEP_REFUSED")


async def test_backorders_have_an_owner_and_are_overdue_after_their_day(app: App) -> None:
    await make_shelf(app, MUG=1)
    made = await backordered(app, await make_short_order(app, MUG=2), expected_on=app.clock.now.date().isoformat())
    owner = {"backorder_id": made.id, "owner_id": app.ids["employee"], "note": "Call the supplier"}
    shown = (await app.answer("admin", "update_backorder", owner)).backorder
    assert (made.owner_id, shown.owner_id, shown.overdue) == (app.ids["admin"], app.ids["employee"], False)
    app.clock.forward(days=2)
    late = await app.answer("employee", "list_backorders", {"overdue": True, "owner_id": app.ids["employee"]})
    assert [(each.id, each.overdue) for each in late.backorders] == [(made.id, True)]


async def test_nothing_is_backordered_of_an_order_in_stock_or_on_its_way(app: App) -> None:
    await make_shelf(app, MUG=5)
    order_id = await make_short_order(app, MUG=2)
    assert await refused(app, "create_backorder", order_id=order_id) == (409, "NOTHING_TO_BACKORDER")
    many = [{"number": 1, "quantity": 3}, {"number": 2, "quantity": 1}]
    reply = await app.rest("admin", "POST", f"/v1/orders/{order_id}/backorders", {"items": many})
    assert [fault["field"] for fault in reply.json()["errors"]] == ["items.1.number", "items.0.quantity"]
    plain = await make_order(app)
    assert await refused(app, "create_backorder", order_id=plain) == (409, "NOTHING_TO_BACKORDER")


async def test_an_order_with_a_label_is_not_divided(app: App) -> None:
    await make_parcelo_account(app)
    order_id = await make_order(app, items=[{"description": "Mug", "quantity": 2}])
    await app.answer("employee", "ship_order", {"order_id": order_id})
    asked = {"order_id": order_id, "items": [{"number": 1, "quantity": 1}]}
    assert await refused(app, "create_backorder", **asked) == (409, "ORDER_NOT_DIVISIBLE")
