"""Disabling users and modules lists open work; a dry run shows it first."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_driver, make_order, make_route, status_and_code

MODULE = "broker_order_assignments"


async def order_of(app: App, order_id: int) -> Any:
    return (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order


async def held_by_contractor(app: App, count: int) -> list[int]:
    """Orders that the contractor holds."""
    order_ids = [await make_order(app) for _ in range(count)]
    held = {"order_ids": order_ids, "broker_id": app.ids["contractor"]}
    await app.answer("admin", "assign_orders_to_broker", held)
    return order_ids


async def test_a_disabled_contractor_releases_pending_orders_and_keeps_those_in_transit(app: App) -> None:
    held, planned, driven = await held_by_contractor(app, 3)
    waiting = await make_route(app, who="contractor", order_ids=[planned])
    driver_id = await make_driver(app, user="driver2", contractor_id=app.ids["contractor"])
    going = await make_route(app, who="contractor", order_ids=[driven], driver_id=driver_id)
    await app.answer("driver2", "start_route", {"route_id": going})
    asked = {"user_id": app.ids["contractor"]}
    rehearsed = (await app.call("admin", "disable_user", asked, dry_run=True)).answer.left_behind
    assert (await order_of(app, held)).contractor_id == app.ids["contractor"]
    done = (await app.answer("admin", "disable_user", asked)).left_behind
    assert rehearsed == done
    assert (done.orders_given_back, done.orders_on_routes) == (2, 1)
    assert (done.routes_given_back, done.routes_under_way) == ([waiting], [going])
    for order_id in (held, planned):
        order = await order_of(app, order_id)
        assert (order.status, order.contractor_id, "plan" in order.allowed_actions) == ("NEW_ORDER", None, True)
    ended = (await app.answer("admin", "list_broker_order_assignments", {"status": "revoked"})).assignments
    assert {record.end_reason for record in ended} == {"contractor_disabled"}
    route = (await app.answer("admin", "get_route_detail", {"route_id": going})).route
    assert "hand_over" in route.allowed_actions


async def test_the_cash_held_by_a_disabled_driver_is_reported_before_and_after(app: App) -> None:
    order_id = await make_order(app, cod_minor=2500)
    await app.answer("admin", "assign_orders_to_broker", {"order_ids": [order_id], "broker_id": app.ids["contractor"]})
    driver_id = await make_driver(app, user="driver", contractor_id=app.ids["contractor"])
    route_id = await make_route(app, "contractor", [order_id], driver_id=driver_id)
    route = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    at = {"route_id": route.id, "stop_id": route.stops[0].id}
    await app.answer("driver", "rider_deliver", {**at, "cod": [{"method": "cash", "amount_minor": 2500}]})
    for who in ("driver", "contractor"):
        asked = {"user_id": app.ids[who]}
        assert (await app.answer("admin", "list_held_work", asked)).held.cash_minor == 2500, who
        assert (await app.answer("admin", "disable_user", asked)).left_behind.cash_minor == 2500, who
    counted = {"driver_id": route.driver_id, "counted_minor": 2500}
    await app.answer("admin", "hand_in_cash", counted)
    held = (await app.answer("admin", "list_held_work", {"user_id": app.ids["driver"]})).held
    assert (held.active, held.cash_minor) == (False, 0)


async def test_routes_of_a_disabled_driver_wait_for_reassignment(app: App) -> None:
    driver_id = await make_driver(app, user="driver")
    waiting = await make_route(app, order_ids=[await make_order(app)], driver_id=driver_id)
    done = (await app.answer("admin", "disable_user", {"user_id": app.ids["driver"]})).left_behind
    assert (done.routes_given_back, done.routes_under_way) == ([waiting], [])
    route = (await app.answer("admin", "get_route_detail", {"route_id": waiting})).route
    assert (route.status, route.driver_id) == ("draft", None)


async def test_disabling_a_module_releases_records_only_it_can_handle(app: App) -> None:
    held, planned = await held_by_contractor(app, 2)
    await make_route(app, who="contractor", order_ids=[planned])
    asked = {"module": MODULE, "enabled": False}
    refused = await app.call("admin", "set_module", asked)
    assert status_and_code(refused) == (409, "MODULE_HOLDS_WORK")
    assert "1 orders" in refused.error["message"]
    assert MODULE in (await app.answer("admin", "get_client")).client.modules
    asked["give_back"] = True
    rehearsed = (await app.call("admin", "set_module", asked, dry_run=True)).answer.left_behind
    assert (rehearsed.orders_given_back, rehearsed.orders_on_routes) == (1, 1)
    assert (await order_of(app, held)).contractor_id == app.ids["contractor"]
    assert (await app.answer("admin", "set_module", asked)).left_behind == rehearsed
    order = await order_of(app, held)
    assert (order.contractor_id, "plan" in order.allowed_actions) == (None, True)
    await make_route(app, order_ids=[held])
    again = (await app.answer("admin", "set_module", {"module": MODULE, "enabled": True})).left_behind
    assert again.orders_given_back == 0
