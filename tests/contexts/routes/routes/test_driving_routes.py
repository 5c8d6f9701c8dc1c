"""Routes are driven: started, visited stop by stop, returned and finished."""

import asyncio
from typing import Any

import pytest
from tests.support.app import App
from tests.support.transport import (
    DAY,
    make_driver,
    make_order,
    make_route,
    make_started_route,
    order_row,
    set_order,
    some_orders,
    status_and_code,
)

ROAD = ["start_route", "return_route_to_depot", "finish_route"]
STOP = {
    "arrive_at_stop": {},
    "pick_up_at_stop": {},
    "deliver_stop": {},
    "fail_stop": {"reason": "recipient_absent", "outcome": "retry"},
}
PLANNED, PICKED_UP, OUT, DELIVERED, FAILED, RETURNED = 3, 4, 5, 6, 7, 8


async def at(app: App, operation: str, route: Any, stop: int = 0, who: str = "driver", **words: Any) -> Any:
    """Call an operation at a stop of a route; the outcome."""
    body = {"route_id": route.id, "stop_id": route.stops[stop].id, **STOP[operation], **words}
    return await app.call(who, operation, body)


async def done(app: App, operation: str, route: Any, stop: int = 0, **words: Any) -> Any:
    """The same, which must succeed; the stop as it is then."""
    outcome = await at(app, operation, route, stop, **words)
    assert outcome.error is None, outcome.error
    return outcome.answer.stop


async def on_road(app: App, operation: str, route_id: int, who: str = "driver", **words: Any) -> Any:
    return await app.call(who, operation, {"route_id": route_id, **words})


@pytest.mark.parametrize("operation", [*ROAD, *STOP])
async def test_customers_and_strangers_cannot_drive_routes(app: App, operation: str) -> None:
    route = await make_started_route(app, [await make_order(app)])
    body = {"route_id": route.id, **({"stop_id": route.stops[0].id, **STOP[operation]} if operation in STOP else {})}
    assert status_and_code(await app.call(None, operation, body)) == (401, "UNAUTHENTICATED")
    assert status_and_code(await app.call("customer", operation, body)) == (403, "ACCOUNT_NOT_ALLOWED")
    for who in ("rival", "rival_driver", "driver2", "contractor"):
        assert status_and_code(await app.call(who, operation, body)) == (404, "NOT_FOUND")


async def test_a_driver_acts_only_on_their_own_route(app: App) -> None:
    mine = await make_started_route(app, [await make_order(app)])
    theirs = await make_route(app, order_ids=[await make_order(app)], driver_id=await make_driver(app, user="driver2"))
    assert status_and_code(await on_road(app, "start_route", theirs)) == (404, "NOT_FOUND")
    other = (await app.answer("driver2", "get_route_detail", {"route_id": theirs})).route
    mixed = {"route_id": mine.id, "stop_id": other.stops[0].id}
    assert status_and_code(await app.call("driver", "deliver_stop", mixed)) == (404, "NOT_FOUND")


async def test_a_route_starts_once_and_only_with_stops(app: App) -> None:
    driver_id = await make_driver(app, user="driver")
    empty = await make_route(app, driver_id=driver_id)
    assert status_and_code(await on_road(app, "start_route", empty)) == (409, "ROUTE_EMPTY")
    draft = await make_route(app, order_ids=[await make_order(app)])
    assert status_and_code(await on_road(app, "start_route", draft, who="admin")) == (409, "ROUTE_CANNOT")
    route = await make_route(app, order_ids=[await make_order(app)], driver_id=driver_id)
    started = (await on_road(app, "start_route", route, occurred_at="2026-06-10T13:30:00Z")).answer
    assert (started.changed, started.route.status) == (1, "started")
    assert started.route.started_at.isoformat() == "2026-06-10T09:30:00-04:00"
    assert started.route.started_recorded_at == app.clock.now
    assert status_and_code(await on_road(app, "start_route", route)) == (409, "ROUTE_CANNOT")


async def test_a_day_with_a_delivery_a_retry_and_a_return_is_completed(app: App) -> None:
    good, again, back = [await make_order(app) for _ in range(3)]
    route = await make_started_route(app, [good, again, back])
    assert [(await order_row(app, id)).status for id in (good, again, back)] == [OUT] * 3
    assert (await done(app, "arrive_at_stop", route)).allowed_actions == ["deliver", "fail"]
    proof = {"recipient": "Ada", "signature_url": "https://s/1", "photo_urls": ["https://p/1"], "note": "at the door"}
    stop = await done(app, "deliver_stop", route, **proof, position={"lat": 43.65, "lng": -79.38})
    assert (stop.status, stop.proof.recipient, stop.proof.photo_urls) == ("completed", "Ada", ["https://p/1"])
    assert (stop.note, stop.ended_by, stop.allowed_actions) == ("at the door", app.ids["driver"], [])
    await done(app, "fail_stop", route, 1)
    await done(app, "fail_stop", route, 2, reason="damaged", outcome="return")
    assert status_and_code(await on_road(app, "finish_route", route.id)) == (409, "ROUTE_STILL_CARRIES")
    home = (await on_road(app, "return_route_to_depot", route.id)).answer
    assert (home.result, home.changed, home.skipped) == (True, 2, 0)
    assert [(await order_row(app, id)).status for id in (good, again, back)] == [DELIVERED, FAILED, RETURNED]
    assert (await order_row(app, again)).driver_id is None
    finished = (await on_road(app, "finish_route", route.id)).answer.route
    assert (finished.status, finished.stops_total, finished.stops_completed, finished.stops_failed) == (
        "finished",
        3,
        1,
        2,
    )
    (summary,) = (await app.answer("admin", "get_routes")).routes
    assert (summary.stops_total, summary.stops_completed, summary.stops_failed) == (3, 1, 2)
    assert [order.order_id for order in (await app.answer("admin", "planning_pool")).orders] == [again]
    assert (await make_route(app, order_ids=[again])) > route.id


async def test_a_pickup_is_handed_in_at_the_depot(app: App) -> None:
    order_id = await make_order(app, type="P")
    route = await make_started_route(app, [order_id])
    assert route.stops[0].allowed_actions == ["arrive", "pick_up", "fail"]
    assert status_and_code(await at(app, "deliver_stop", route)) == (409, "STOP_CANNOT")
    await done(app, "pick_up_at_stop", route)
    assert (await order_row(app, order_id)).status == PICKED_UP
    assert status_and_code(await on_road(app, "finish_route", route.id)) == (409, "ROUTE_STILL_CARRIES")
    home = (await on_road(app, "return_route_to_depot", route.id)).answer
    assert (home.changed, home.route.stops[0].status) == (1, "handed_in")
    assert (await order_row(app, order_id)).status == DELIVERED
    assert (await on_road(app, "finish_route", route.id)).answer.route.stops_completed == 1


async def test_an_uncollected_point_to_point_order_cannot_be_delivered(app: App) -> None:
    order_id = await make_order(app, type="P2P")
    route = await make_started_route(app, [order_id])
    assert status_and_code(await at(app, "deliver_stop", route, 1)) == (409, "NOT_PICKED_UP_YET")
    await done(app, "pick_up_at_stop", route)
    assert (await order_row(app, order_id)).status == OUT
    await done(app, "deliver_stop", route, 1)
    assert (await order_row(app, order_id)).status == DELIVERED
    assert (await on_road(app, "finish_route", route.id)).error is None


async def test_a_collected_undelivered_order_is_only_delivered_on_the_next_route(app: App) -> None:
    order_id = await make_order(app, type="P2P")
    route = await make_started_route(app, [order_id])
    await done(app, "pick_up_at_stop", route)
    await done(app, "fail_stop", route, 1)
    await on_road(app, "return_route_to_depot", route.id)
    again = await make_route(app, order_ids=[order_id])
    stops = (await app.answer("admin", "get_route_detail", {"route_id": again})).route.stops
    assert [stop.kind for stop in stops] == ["delivery"]


async def test_a_failed_pickup_ends_its_delivery(app: App) -> None:
    order_id = await make_order(app, type="P2P")
    route = await make_started_route(app, [order_id])
    await done(app, "fail_stop", route, 0)
    shown = (await app.answer("driver", "get_route_detail", {"route_id": route.id})).route
    assert [(stop.status, stop.outcome) for stop in shown.stops] == [("failed", "retry")] * 2
    await on_road(app, "return_route_to_depot", route.id)
    again = await make_route(app, order_ids=[order_id])
    stops = (await app.answer("admin", "get_route_detail", {"route_id": again})).route.stops
    assert [stop.kind for stop in stops] == ["pickup", "delivery"]


@pytest.mark.parametrize("type", ["P", "P2P"])
async def test_a_failed_pickup_does_not_require_a_return_to_the_depot(app: App, type: str) -> None:
    order_id = await make_order(app, type=type)
    route = await make_started_route(app, [order_id])
    await done(app, "fail_stop", route, 0)
    finished = (await on_road(app, "finish_route", route.id)).answer.route
    assert {stop.status for stop in finished.stops} == {"brought_back"}
    assert (await order_row(app, order_id)).status == FAILED
    assert [order.order_id for order in (await app.answer("admin", "planning_pool")).orders] == [order_id]


async def test_a_repeated_report_gets_the_same_response_and_changes_nothing(app: App) -> None:
    route = await make_started_route(app, await some_orders(app, 2))
    first = await done(app, "deliver_stop", route, recipient="Ada")
    await done(app, "arrive_at_stop", route, 1)
    failed = await done(app, "fail_stop", route, 1, note="no answer")
    app.clock.forward(hours=3)
    assert await done(app, "deliver_stop", route, recipient="Bob") == first
    assert await done(app, "fail_stop", route, 1, note="again") == failed
    assert await done(app, "arrive_at_stop", route, 1) == failed
    await on_road(app, "return_route_to_depot", route.id)
    await on_road(app, "finish_route", route.id)
    assert (await done(app, "fail_stop", route, 1)).status == "brought_back"
    assert await done(app, "deliver_stop", route) == first


async def test_a_different_outcome_after_the_first_is_refused(app: App) -> None:
    route = await make_started_route(app, await some_orders(app, 2))
    await done(app, "deliver_stop", route)
    await done(app, "fail_stop", route, 1)
    assert status_and_code(await at(app, "fail_stop", route)) == (409, "STOP_CANNOT")
    assert status_and_code(await at(app, "deliver_stop", route, 1)) == (409, "STOP_CANNOT")
    assert status_and_code(await at(app, "fail_stop", route, 1, outcome="return")) == (409, "STOP_CANNOT")


async def test_concurrent_repeats_of_a_delivery_count_once(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    outcomes = await asyncio.gather(*(at(app, "deliver_stop", route, recipient=f"R{n}") for n in range(6)))
    assert {outcome.status for outcome in outcomes} == {200}
    assert len({outcome.answer.stop.proof.recipient for outcome in outcomes}) == 1


async def test_offline_work_keeps_its_own_time_and_the_receipt_time(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    app.clock.forward(hours=5)
    stop = await done(app, "deliver_stop", route, occurred_at="2026-06-10T14:20:00+00:00")
    assert stop.ended_at.isoformat() == "2026-06-10T10:20:00-04:00"
    assert stop.ended_recorded_at == app.clock.now


async def test_a_time_without_a_time_zone_is_a_validation_error(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    outcome = await at(app, "deliver_stop", route, occurred_at="2026-06-10T14:00:00")
    assert status_and_code(outcome) == (422, "INVALID_REQUEST")
    assert outcome.error["errors"][0]["field"] == "occurred_at"


async def test_an_order_cancelled_before_the_start_is_left_behind(app: App) -> None:
    good, gone = await make_order(app), await make_order(app)
    driver_id = await make_driver(app, user="driver")
    route_id = await make_route(app, order_ids=[good, gone], driver_id=driver_id)
    await app.answer("admin", "cancel_order", {"order_id": gone})
    started = (await on_road(app, "start_route", route_id)).answer
    assert (started.changed, started.skipped, started.errors) == (1, 0, [])
    assert [stop.order_id for stop in started.route.stops] == [good]


async def test_dispatch_is_notified_of_a_cancelled_order(app: App) -> None:
    planned, held = await make_order(app), await make_order(app)
    route_id = await make_route(app, order_ids=[planned])
    await app.answer("admin", "assign_orders_to_broker", {"order_ids": [held], "broker_id": app.ids["contractor"]})
    for order_id in (planned, held):
        await app.answer("admin", "cancel_order", {"order_id": order_id})
    await app.work_off()
    assert (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route.stops == []
    (record,) = (await app.answer("admin", "list_broker_order_assignments")).assignments
    assert (record.status, record.end_reason) == ("revoked", "order_cancelled")


async def test_the_office_can_act_for_the_driver(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    assert (await done(app, "deliver_stop", route, who="employee")).ended_by == app.ids["employee"]


async def test_a_contractors_driver_can_drive_the_contractors_route(app: App) -> None:
    order_id = await make_order(app)
    await app.answer("admin", "assign_orders_to_broker", {"order_ids": [order_id], "broker_id": app.ids["contractor"]})
    driver_id = await make_driver(app, user="driver2", contractor_id=app.ids["contractor"])
    route_id = await make_route(app, who="contractor", order_ids=[order_id], driver_id=driver_id)
    route = (await on_road(app, "start_route", route_id, who="driver2")).answer.route
    await done(app, "fail_stop", route, who="driver2")
    await on_road(app, "return_route_to_depot", route_id, who="contractor")
    row = await order_row(app, order_id)
    assert (row.status, row.contractor_id, row.driver_id) == (FAILED, app.ids["contractor"], None)


async def test_a_driver_sees_todays_routes_in_the_business_time_zone(app: App) -> None:
    driver_id = await make_driver(app, user="driver")
    today = await make_route(app, order_ids=[await make_order(app)], driver_id=driver_id)
    await make_route(app, driver_id=driver_id, day="2026-06-11")
    cancelled = await make_route(app, driver_id=driver_id)
    await app.answer("admin", "cancel_route", {"route_id": cancelled})
    app.clock.forward(hours=13)  # 03:00 UTC, still the 10th in Toronto
    found = await app.answer("driver", "get_driver_routes_today", {"driver_id": driver_id})
    assert (str(found.day), [route.id for route in found.routes]) == (DAY, [today])
    assert found.routes[0].allowed_actions == ["start"]
    own = await app.rest("driver", "GET", "/v1/drivers/me/routes/today")
    assert (own.json()["driver_id"], [route["id"] for route in own.json()["routes"]]) == (driver_id, [today])
    assert (await app.answer("driver", "who_am_i")).driver_id == driver_id
    assert (await app.answer("admin", "who_am_i")).driver_id is None
    assert (await app.call("admin", "get_driver_routes_today")).status == 422
    for who in ("driver2", "contractor", "rival"):
        outcome = await app.call(who, "get_driver_routes_today", {"driver_id": driver_id})
        assert status_and_code(outcome) == (404, "NOT_FOUND")


async def test_routes_can_be_filtered_by_day_status_driver_and_depot(app: App) -> None:
    driver_id = await make_driver(app)
    early = await make_route(app, day="2026-06-01", driver_id=driver_id)
    late = await make_route(app, who="contractor", day="2026-06-20")
    asked = {
        "all": {},
        "early": {"date_to": "2026-06-10"},
        "late": {"date_from": "2026-06-10"},
        "draft": {"status": "draft"},
        "driver": {"driver_id": driver_id},
        "hers": {"contractor_id": app.ids["contractor"]},
        "nowhere": {"depot_id": 999_999},
    }
    found = {
        name: [r.id for r in (await app.answer("admin", "get_routes", body)).routes] for name, body in asked.items()
    }
    assert found == {
        "all": [late, early],
        "early": [early],
        "late": [late],
        "draft": [late],
        "driver": [early],
        "hers": [late],
        "nowhere": [],
    }
    assert [route.id for route in (await app.answer("contractor", "get_routes")).routes] == [late]


async def test_an_order_changed_elsewhere_is_reported(app: App) -> None:
    order_id = await make_order(app)
    route = await make_started_route(app, [order_id])
    await set_order(app, order_id, status=DELIVERED)
    assert status_and_code(await at(app, "deliver_stop", route)) == (409, "ORDER_STEP_REFUSED")
    assert (await app.answer("driver", "get_route_detail", {"route_id": route.id})).route.stops[0].status == "planned"
