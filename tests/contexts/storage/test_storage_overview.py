"""Goods in storage by customer: packages, start date and cost."""

from tests.contexts.storage.makers import later, make_order, make_shelf, make_tariff, order_now, stored, today
from tests.support.app import App


async def overview(app: App, **wanted: object) -> object:
    return await app.answer("admin", "get_storage_overview", wanted)


async def test_the_overview_shows_packages_the_oldest_day_and_the_monthly_cost(app: App) -> None:
    await make_tariff(app)
    order, shelf = await make_order(app), await make_shelf(app)
    (first, _) = await stored(app, order.id, shelf, count=2)
    since = today(app)
    await later(app, 3)
    (row,) = (await overview(app)).customers
    assert (row.customer_id, row.storage_orders, row.packages) == (app.ids["customer"], 1, 2)
    assert (row.weight_g, row.volume_mm3, str(row.stored_since)) == (24_000, 2 * 600 * 400 * 400, since)
    assert (row.month_minor, row.currency) == (2 * 4 * 50, "CAD")
    await app.answer("admin", "return_stored_package", {"package_id": first})
    (row,) = (await overview(app)).customers
    assert (row.packages, row.month_minor) == (1, (3 + 4) * 50)


async def test_the_preview_matches_the_next_monthly_charge(app: App) -> None:
    await make_tariff(app)
    order, shelf = await make_order(app, packages=1, days=1), await make_shelf(app)
    await stored(app, order.id, shelf, count=2)
    told = await overview(app)
    (row,) = told.customers
    assert row.next_charge_minor > 0
    days = (told.next_charge_on - app.clock().date()).days
    await later(app, days + 1)
    assert (await order_now(app, order.id)).owed_minor == row.owed_minor + row.next_charge_minor


async def test_customers_are_paged_and_filtered_and_see_nothing_of_others(app: App) -> None:
    await make_tariff(app)
    order, shelf = await make_order(app), await make_shelf(app)
    assert (await overview(app)).total == 0
    await stored(app, order.id, shelf)
    assert (await overview(app, customer_id=app.ids["customer"])).total == 1
    assert (await overview(app, customer_id=app.ids["admin"])).customers == []
    assert (await app.call("customer", "get_storage_overview", {})).status == 403
    assert (await app.answer("rival", "get_storage_overview", {})).total == 0


async def test_statement_count_is_constant_for_orders_and_packages(app: App) -> None:
    await make_tariff(app)
    shelf, counted = await make_shelf(app), []
    for _ in range(3):
        order = await make_order(app)
        await stored(app, order.id, shelf, count=2)
        before = app.statements
        await overview(app)
        counted.append(app.statements - before)
    assert counted[0] == counted[1] == counted[2]
