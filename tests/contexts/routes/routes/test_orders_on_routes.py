"""Drivers of orders, and removal from routes on hold or cancellation."""

from typing import Any

from tests.support.app import App
from tests.support.transport import (
    make_driver,
    make_order,
    make_route,
    make_started_route,
    some_orders,
    status_and_code,
)

from haulier.contexts.orders.public import OrderPlacement


async def shown(app: App, order_id: int, who: str = "admin") -> Any:
    return (await app.answer(who, "get_order_detail", {"order_id": order_id})).order


async def stops_of(app: App, route_id: int) -> list[int]:
    route = (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route
    return [stop.order_id for stop in route.stops]


async def test_a_driver_has_one_id_in_orders_routes_and_drivers_even_without_an_account(app: App) -> None:
    await make_driver(app)  # so that ids of drivers and of users do not agree by chance
    for user in ("driver", None):
        driver = await make_driver(app, user=user, name=f"D {user}")
        first, second = await some_orders(app, 2)
        route = await make_route(app, order_ids=[first, second], driver_id=driver)
        order = await shown(app, second)
        assert (order.driver_id, order.driver_name, order.route_id, order.stop_number) == (
            driver,
            f"D {user}",
            route,
            2,
        )
        assert order.driver_user_id == (app.ids["driver"] if user else None)
        (listed,) = [each for each in (await app.answer("admin", "get_orders")).orders if each.id == second]
        assert [getattr(listed, name) for name in OrderPlacement.__struct_fields__] == [
            getattr(order, name) for name in OrderPlacement.__struct_fields__
        ]
        snapshot = await app.answer("admin", "order_snapshot", {"order_id": second})
        assert snapshot.holder == f"D {user}"


async def test_customers_cannot_see_the_driver(app: App) -> None:
    order_id = await make_order(app, "customer")
    await make_route(app, order_ids=[order_id], driver_id=await make_driver(app, user="driver"))
    order = await shown(app, order_id, "customer")
    assert (order.driver_id, order.driver_name, order.driver_user_id, order.route_id) == (None, None, None, None)


async def test_an_order_with_two_visits_shows_the_next_one(app: App) -> None:
    order_id = await make_order(app, type="P2P")
    route_id = (await make_started_route(app, [order_id])).id
    assert (await shown(app, order_id)).stop_number == 1
    pickup = (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route.stops[0]
    await app.answer("driver", "pick_up_at_stop", {"route_id": route_id, "stop_id": pickup.id})
    assert (await shown(app, order_id)).stop_number == 2


async def test_listing_orders_on_routes_uses_as_many_statements_as_off_routes(app: App) -> None:
    async def cost() -> int:
        await app.answer("admin", "get_orders", {"per_page": 200})
        before = app.statements
        await app.answer("admin", "get_orders", {"per_page": 200})
        return app.statements - before

    orders = await some_orders(app, 12)
    unplanned = await cost()
    for number in range(4):
        await make_route(app, order_ids=orders[number * 3 : number * 3 + 3], driver_id=await make_driver(app))
    assert await cost() == unplanned


async def test_holding_a_planned_order_removes_it_from_its_route(app: App) -> None:
    first, second = await some_orders(app, 2)
    route = await make_route(app, order_ids=[first, second], driver_id=await make_driver(app, user="driver"))
    assert "hold" in (await shown(app, first)).allowed_actions
    version = (await app.answer("admin", "get_route_detail", {"route_id": route})).route.version
    held = (await app.answer("admin", "hold_order", {"order_id": first})).order
    assert (held.status, held.route_id, held.driver_id) == ("HOLD", None, None)
    assert await stops_of(app, route) == [second]
    assert (await app.answer("admin", "get_route_detail", {"route_id": route})).route.version > version
    assert (await app.call("driver", "get_order_detail", {"order_id": first})).status == 404
    released = (await app.answer("admin", "release_order", {"order_id": first})).order
    assert released.status == "NEW_ORDER"


async def test_an_order_out_with_a_driver_cannot_be_held(app: App) -> None:
    order_id = await make_order(app)
    await make_started_route(app, [order_id])
    outcome = await app.call("admin", "hold_order", {"order_id": order_id})
    assert status_and_code(outcome) == (409, "ORDER_STEP_REFUSED")


async def test_a_cancelled_order_leaves_its_route_and_contractor_immediately(app: App) -> None:
    order_id = await make_order(app)
    held = {"order_ids": [order_id], "broker_id": app.ids["contractor"]}
    await app.answer("admin", "assign_orders_to_broker", held)
    route = await make_route(app, "contractor", order_ids=[order_id])
    await app.answer("admin", "cancel_order", {"order_id": order_id})
    assert await stops_of(app, route) == []
    (assignment,) = (await app.answer("admin", "list_broker_order_assignments", {"order_id": order_id})).assignments
    assert (assignment.status, assignment.end_reason) == ("revoked", "order_cancelled")


async def test_orders_are_held_and_released_in_bulk_with_individual_outcomes(app: App) -> None:
    waiting, planned, out, gone = await some_orders(app, 4)
    route = await make_route(app, order_ids=[planned], driver_id=await make_driver(app))
    await make_started_route(app, [out])
    await app.answer("admin", "cancel_order", {"order_id": gone})
    asked = {"order_ids": [waiting, planned, out, gone, 999_999, waiting], "reason": "The road is closed."}
    preview = await app.answer("admin", "hold_orders", asked, dry_run=True)
    held = await app.answer("admin", "hold_orders", asked)
    assert preview == held
    assert (held.changed, held.skipped, held.order_ids) == (2, 3, [waiting, planned])
    assert [(error.order_id, error.code) for error in held.errors] == [
        (out, "ORDER_STEP_REFUSED"),
        (gone, "ORDER_STEP_REFUSED"),
        (999_999, "NOT_FOUND"),
    ]
    assert await stops_of(app, route) == []
    released = await app.answer("admin", "release_orders", {"order_ids": [waiting, planned, out]})
    assert (released.order_ids, [error.order_id for error in released.errors]) == ([waiting, planned], [out])


async def test_another_business_cannot_hold_the_orders(app: App) -> None:
    order_id = await make_order(app)
    outcome = await app.answer("rival", "hold_orders", {"order_ids": [order_id]})
    assert (outcome.result, outcome.errors[0].code) == (False, "NOT_FOUND")
    assert (await shown(app, order_id)).status == "NEW_ORDER"
