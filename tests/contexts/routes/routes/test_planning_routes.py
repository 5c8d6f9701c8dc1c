"""Route planning: create, fill from the own pool, reorder, assign, cancel."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import select
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import (
    DAY,
    make_depot,
    make_driver,
    make_order,
    make_route,
    order_row,
    set_order,
    some_orders,
    status_and_code,
)

from haulier.contexts.routes.stops.store import stops

PLANNING = {
    "create_route": {"day": DAY, "depot_id": 1},
    "add_orders_to_route": {"route_id": 1, "order_ids": [1]},
    "remove_orders_from_route": {"route_id": 1, "order_ids": [1]},
    "reorder_stops": {"route_id": 1, "stop_ids": [1]},
    "assign_route_driver": {"route_id": 1, "driver_id": 1},
    "cancel_route": {"route_id": 1},
}


async def assign(app: App, *order_ids: int, to: str = "contractor") -> None:
    body = {"order_ids": order_ids, "broker_id": app.ids[to]}
    assert (await app.answer("admin", "assign_orders_to_broker", body)).errors == []


async def add(app: App, who: str, route_id: int, *order_ids: int) -> Any:
    return await app.answer(who, "add_orders_to_route", {"route_id": route_id, "order_ids": order_ids})


async def detail(app: App, route_id: int, who: str = "admin") -> Any:
    return (await app.answer(who, "get_route_detail", {"route_id": route_id})).route


@for_every("operation", PLANNING)
async def test_planning_is_for_planners(app: App, operation: str) -> None:
    assert status_and_code(await app.call(None, operation, PLANNING[operation])) == (401, "UNAUTHENTICATED")
    for who in ("driver", "customer"):
        assert status_and_code(await app.call(who, operation, PLANNING[operation])) == (403, "ACCOUNT_NOT_ALLOWED")


@pytest.mark.parametrize("who", ["rival", "contractor2"])
async def test_a_foreign_route_is_not_found(app: App, who: str) -> None:
    order_id = await make_order(app)
    await assign(app, order_id)
    route_id = await make_route(app, who="contractor", order_ids=[order_id])
    stop_id = (await detail(app, route_id)).stops[0].id
    calls = {**PLANNING, "reorder_stops": {"stop_ids": [stop_id]}, "get_route_detail": {}}
    del calls["create_route"]
    for operation, body in calls.items():
        assert status_and_code(await app.call(who, operation, {**body, "route_id": route_id})) == (404, "NOT_FOUND")
    assert (await app.answer(who, "get_routes")).total == 0


async def test_a_new_route_is_a_draft_and_with_a_driver_waits_for_acceptance(app: App) -> None:
    draft = await detail(app, await make_route(app, name="East"))
    assert (draft.name, draft.status, draft.depot_name, draft.stops) == ("East", "draft", "Main depot", [])
    assert draft.allowed_actions == ["add_orders", "assign_driver", "cancel", "lock", "unpublish"]
    driver_id = await make_driver(app)
    assigned = await detail(app, await make_route(app, driver_id=driver_id))
    assert (assigned.status, assigned.driver_name, assigned.contractor_id) == ("assigned", "Dan", None)


async def test_orders_become_stops_in_the_given_order_and_leave_the_pool(app: App) -> None:
    first, second = await make_order(app), await make_order(app)
    both = await make_order(app, type="P2P")
    route_id = await make_route(app)
    outcome = await add(app, "employee", route_id, second, both, first, second)
    assert (outcome.result, outcome.changed, outcome.skipped) == (True, 3, 0)
    visits = [(stop.position, stop.order_id, stop.kind, stop.status) for stop in outcome.route.stops]
    assert visits == [
        (1, second, "delivery", "planned"),
        (2, both, "pickup", "planned"),
        (3, both, "delivery", "planned"),
        (4, first, "delivery", "planned"),
    ]
    assert (await app.answer("admin", "planning_pool")).total == 0
    assert (await order_row(app, first)).status == 3


async def test_refused_orders_are_reported_and_the_rest_are_planned(app: App) -> None:
    good, held, on_hold, elsewhere = [await make_order(app) for _ in range(4)]
    await assign(app, held)
    await set_order(app, on_hold, status=2)
    await make_route(app, order_ids=[elsewhere])
    outcome = await add(app, "admin", await make_route(app), good, held, on_hold, elsewhere, 999_999)
    assert (outcome.result, outcome.changed, outcome.skipped) == (True, 1, 4)
    assert {error.order_id: error.code for error in outcome.errors} == {
        held: "ORDER_HELD_BY_CONTRACTOR",
        on_hold: "ORDER_NOT_PLANNABLE",
        elsewhere: "ORDER_ON_ROUTE",
        999_999: "ORDER_UNKNOWN",
    }


async def test_a_contractor_plans_held_orders_and_those_matching_their_rules(app: App) -> None:
    held, ruled, his = [await make_order(app) for _ in range(3)]
    await assign(app, held)
    await assign(app, his, to="contractor2")
    rule = {"contractor_id": app.ids["contractor"], "name": "All"}
    route_id = await make_route(app, who="contractor")
    assert [error.code for error in (await add(app, "contractor", route_id, ruled)).errors] == ["ORDER_UNKNOWN"]
    await app.answer("admin", "create_contractor_rule", rule)
    outcome = await add(app, "contractor", route_id, held, ruled, his)
    assert (outcome.changed, [error.code for error in outcome.errors]) == (2, ["ORDER_UNKNOWN"])
    assert (await order_row(app, ruled)).contractor_id == app.ids["contractor"]
    off = {"route_id": route_id, "order_ids": [held, ruled]}
    assert (await app.answer("admin", "remove_orders_from_route", off)).changed == 2
    assert (await order_row(app, held)).contractor_id == app.ids["contractor"]
    assert (await order_row(app, ruled)).contractor_id is None


async def test_the_office_cannot_plan_a_contractors_route(app: App) -> None:
    order_id = await make_order(app)
    route_id = await make_route(app, who="contractor")
    body = {"route_id": route_id, "order_ids": [order_id]}
    assert status_and_code(await app.call("admin", "add_orders_to_route", body)) == (403, "ROUTE_NOT_YOURS_TO_PLAN")
    assert (await detail(app, route_id)).allowed_actions == ["cancel"]


async def test_a_removed_order_returns_to_the_pool(app: App) -> None:
    on, off, never = [await make_order(app) for _ in range(3)]
    driver_id = await make_driver(app, user="driver")
    route_id = await make_route(app, order_ids=[on, off], driver_id=driver_id)
    assert (await order_row(app, off)).driver_id == app.ids["driver"]
    outcome = await app.answer(
        "admin", "remove_orders_from_route", {"route_id": route_id, "order_ids": [off, never, off]}
    )
    assert (outcome.changed, outcome.skipped, outcome.errors[0].code) == (1, 1, "ORDER_NOT_ON_ROUTE")
    assert [stop.order_id for stop in outcome.route.stops] == [on]
    row = await order_row(app, off)
    assert (row.status, row.driver_id) == (1, None)
    assert [order.order_id for order in (await app.answer("admin", "planning_pool")).orders] == [off, never]


async def test_stops_are_visited_in_the_given_order(app: App) -> None:
    route_id = await make_route(app, order_ids=await some_orders(app, 4))
    ids = [stop.id for stop in (await detail(app, route_id)).stops]
    wanted = [ids[2], ids[0], ids[3], ids[1]]
    route = (await app.answer("admin", "reorder_stops", {"route_id": route_id, "stop_ids": wanted})).route
    assert [(stop.position, stop.id) for stop in route.stops] == list(enumerate(wanted, start=1))
    missing = {"route_id": route_id, "stop_ids": ids[:3]}
    assert status_and_code(await app.call("admin", "reorder_stops", missing)) == (409, "STOPS_DO_NOT_MATCH")


async def test_a_route_can_be_assigned_only_to_an_active_driver_of_its_owner(app: App) -> None:
    route_id, hers = await make_route(app), await make_driver(app, who="contractor")
    idle = await make_driver(app)
    await app.answer("admin", "update_driver", {"driver_id": idle, "active": False})
    for driver_id in (hers, idle, 999_999):
        outcome = await app.call("admin", "assign_route_driver", {"route_id": route_id, "driver_id": driver_id})
        assert status_and_code(outcome) == (422, "INVALID_REQUEST")
        assert outcome.error
        assert outcome.error["errors"][0]["field"] == "driver_id"


async def test_the_driver_of_a_route_has_its_orders_until_it_is_unassigned(app: App) -> None:
    order_id, driver_id = await make_order(app), await make_driver(app, user="driver")
    route_id = await make_route(app, order_ids=[order_id])
    given = await app.answer("admin", "assign_route_driver", {"route_id": route_id, "driver_id": driver_id})
    assert (given.route.status, given.route.driver_id) == ("assigned", driver_id)
    assert (await order_row(app, order_id)).driver_id == app.ids["driver"]
    assert (await app.answer("driver", "get_routes")).total == 1
    taken = await app.answer("admin", "assign_route_driver", {"route_id": route_id, "driver_id": None})
    assert (taken.route.status, taken.route.driver_id) == ("draft", None)
    assert (await order_row(app, order_id)).driver_id is None
    assert status_and_code(await app.call("driver", "get_route_detail", {"route_id": route_id})) == (404, "NOT_FOUND")


async def test_a_cancelled_route_releases_its_orders_and_ends(app: App) -> None:
    order_id = await make_order(app)
    route_id = await make_route(app, order_ids=[order_id])
    route = (await app.answer("admin", "cancel_route", {"route_id": route_id, "reason": "snow"})).route
    assert (route.status, route.cancel_reason, route.stops, route.allowed_actions) == ("cancelled", "snow", [], [])
    assert (await order_row(app, order_id)).status == 1
    again = {"route_id": route_id, "order_ids": [order_id]}
    assert status_and_code(await app.call("admin", "add_orders_to_route", again)) == (409, "ROUTE_CANNOT")


async def test_concurrent_planning_never_puts_an_order_on_two_routes(app: App) -> None:
    ids = await some_orders(app, 8)
    depot_id = await make_depot(app)
    routes = [await make_route(app, depot_id=depot_id) for _ in range(4)]
    bodies = [{"route_id": route_id, "order_ids": ids[:: 1 if n % 2 else -1]} for n, route_id in enumerate(routes)]
    outcomes = await asyncio.gather(*(app.call("admin", "add_orders_to_route", body) for body in bodies))
    assert {outcome.status for outcome in outcomes} == {200}
    async with app.database.read(app.clients["demo"]) as work:
        standing = [row.order_id for row in await work.all(select(stops))]
    assert sorted(standing) == sorted(ids)
    assert sum(outcome.answer.changed for outcome in outcomes if outcome.answer) == len(ids)  # type: ignore[attr-defined]


async def test_concurrent_assigning_and_planning_leave_no_held_order_on_an_office_route(app: App) -> None:
    order_id = await make_order(app)
    route_id = await make_route(app)
    given = {"order_ids": [order_id], "broker_id": app.ids["contractor"]}
    assigned, planned = await asyncio.gather(
        app.call("admin", "assign_orders_to_broker", given),
        app.call("admin", "add_orders_to_route", {"route_id": route_id, "order_ids": [order_id]}),
    )
    results = [outcome.answer.result for outcome in (assigned, planned) if outcome.answer]  # type: ignore[attr-defined]
    assert sorted(results) == [False, True]
