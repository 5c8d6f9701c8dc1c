"""Sample data: a day of the test business, loaded and removed as a whole."""

import asyncio

import pytest
from tests.contexts.control_tower.simulated_business.steps import open_test_mode
from tests.support.app import App
from tests.support.tables import rows_of
from tests.support.transport import make_order

from haulier.contexts.control_tower.sample_data.rules import ON_ROUTE, choose_city, place_near


async def test_an_empty_test_business_gets_a_day_under_way(app: App) -> None:
    who = await open_test_mode(app)
    loaded = await app.answer(who, "load_sample_data")
    assert (loaded.existing, loaded.message) == (False, "The sample data is loaded.")
    orders = (await app.answer(who, "get_orders", {"per_page": 100})).orders
    assert {order.city for order in orders} == {"Toronto"}
    counts = [order.status for order in orders]
    assert {status: counts.count(status) for status in counts} == {
        "NEW_ORDER": len(orders) - ON_ROUTE,
        "DELIVERED": 2,
        "FAILED": 1,
        "OUT_FOR_DELIVERY": ON_ROUTE - 3,
    }
    (route,) = (await app.answer(who, "get_routes")).routes
    assert (route.status, route.stops_total, route.driver_name) == ("started", ON_ROUTE, "Sam Carter")
    assert len((await app.answer(who, "find_customers")).customers) == 3
    assert (await app.answer(who, "get_drivers")).total == 2


async def test_the_orders_are_planned_around_the_present_hour(app: App) -> None:
    who = await open_test_mode(app)
    await app.answer(who, "load_sample_data")
    (route,) = (await app.answer(who, "get_routes")).routes
    stops = (await app.answer(who, "get_route_detail", {"route_id": route.id})).route.stops
    ended = [stop.ended_at for stop in stops if stop.ended_at]
    assert max(ended) <= app.clock()
    assert [stop.status for stop in stops][:4] == ["completed", "failed", "completed", "arrived"]
    assert stops[4].planned_arrival_at > app.clock()
    (event, *_) = (await app.answer(who, "get_order_detail", {"order_id": stops[0].order_id})).order.steps
    assert event.at < ended[0], "an order is created before it is delivered"


@pytest.mark.parametrize(
    ("country", "currency", "time_zone", "city", "address"),
    [
        ("DE", "EUR", "Europe/Berlin", "Berlin", "Bahnhofstraße 3"),
        ("FR", "EUR", "Europe/Paris", "Paris", "3 rue de la Gare"),
        ("US", "USD", "America/Denver", "Denver", "3 Station Street"),
        ("TW", "TWD", "Asia/Taipei", "台北", "中山路3號"),
    ],
)
async def test_it_is_in_the_country_currency_and_time_zone_of_the_business(
    app: App, country: str, currency: str, time_zone: str, city: str, address: str
) -> None:
    who = await open_test_mode(app)
    # The test business exists before its live business is set up.
    await app.answer("admin", "update_client", {"country": country, "currency": currency, "time_zone": time_zone})
    await app.answer(who, "load_sample_data")
    client = (await app.answer(who, "get_client")).client
    assert (client.country, client.currency, client.time_zone) == (country, currency, time_zone)
    (order,) = (await app.answer(who, "get_orders", {"search": "SAMPLE-01"})).orders
    assert (order.city, order.address) == (city, address)
    detail = (await app.answer(who, "get_order_detail", {"order_id": order.id})).order
    assert (detail.consignee.country, detail.currency) == (country, currency)


async def test_a_repeat_and_parallel_calls_load_it_once(app: App) -> None:
    who = await open_test_mode(app)
    answers = await asyncio.gather(*(app.answer(who, "load_sample_data") for _ in range(4)))
    assert sorted(answer.existing for answer in answers) == [False, True, True, True]
    assert (await app.answer(who, "get_routes")).total == 1
    assert (await app.answer(who, "load_sample_data")).existing


async def test_removal_takes_every_change_to_it_and_leaves_live_rows_alone(app: App, no_service: None) -> None:
    who = await open_test_mode(app)
    await make_order(app)
    await app.work_off()
    live = await rows_of(app, "demo")
    await app.answer(who, "load_sample_data")
    await _work_with_samples(app, who)
    removed = await asyncio.gather(*(app.answer(who, "remove_sample_data") for _ in range(3)))
    assert sorted(answer.deleted > 0 for answer in removed) == [False, False, True]
    for listing in ("get_orders", "get_routes", "get_drivers", "list_invoices"):
        assert (await app.answer(who, listing)).total == 0, listing
    after = await rows_of(app, "demo")
    assert [table for table in live if live[table] != after[table]] == []
    assert not (await app.answer(who, "load_sample_data")).existing, "it can be loaded again"


async def _work_with_samples(app: App, who: str) -> None:
    """Cancel, deliver and invoice sample orders, as a curious user does."""
    waiting = (await app.answer(who, "get_orders", {"status": "NEW_ORDER"})).orders
    await app.answer(who, "cancel_order", {"order_id": waiting[0].id}, confirmed=True)
    await app.answer(who, "advance_test_record", {"order_id": waiting[1].id, "to": "delivered"})
    customer = {"customer_id": waiting[1].customer_id}
    await app.answer(who, "set_credit_limit", {**customer, "limit_minor": 10_000})
    await app.answer(who, "adjust_credit", {**customer, "amount_minor": -500, "reference": "X", "reason": "Extra"})
    await app.answer(who, "issue_invoice", customer)
    await app.work_off()
    assert (await app.answer(who, "list_invoices")).total == 1


async def test_a_test_business_with_records_is_refused_and_never_emptied(app: App) -> None:
    who = await open_test_mode(app)
    order = await make_order(app, who)
    refused = await app.call(who, "load_sample_data")
    assert refused.error
    assert refused.error["code"] == "SAMPLE_DATA_NEEDS_EMPTY"
    assert (await app.answer(who, "remove_sample_data")).deleted == 0
    assert (await app.answer(who, "get_order_detail", {"order_id": order})).order.id == order


async def test_a_live_business_has_no_sample_data(app: App) -> None:
    for operation in ("load_sample_data", "remove_sample_data"):
        refused = await app.call("admin", operation)
        assert refused.error
        assert refused.error["code"] == "TEST_MODE_ONLY"


async def test_a_reset_removes_sample_data_too(app: App) -> None:
    who = await open_test_mode(app)
    await app.answer(who, "load_sample_data")
    await app.answer(who, "reset_test_data", confirmed=True)
    assert (await app.answer(who, "remove_sample_data")).deleted == 0
    await make_order(app, who)
    assert (await app.call(who, "load_sample_data")).status == 409


def test_every_business_gets_a_city_and_places_near_it() -> None:
    assert choose_city(None, "UTC").name == "London"
    assert choose_city("DE", "UTC").name == "Berlin"
    assert choose_city("XK", "UTC").country == "XK"
    center = (52.5, 13.4)
    assert len({place_near(center, number) for number in range(12)}) == 12
