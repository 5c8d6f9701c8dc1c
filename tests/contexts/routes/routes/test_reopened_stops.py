"""Failed stops, reopened during the route by driver and staff."""

import asyncio
from typing import Any

import msgspec
import pytest
from tests.contexts.driver_app.makers import device_event, event_statuses, sync_events
from tests.support.app import App
from tests.support.transport import make_driver, make_order, make_route, status_and_code

FAILURE = {"reason": "recipient_absent", "outcome": "retry", "note": "Nobody opened"}


async def make_failed_stop(app: App, kind: str = "D", **failure: Any) -> tuple[dict[str, int], int]:
    """A stop that failed on a route under way, and its order; a second stop is open."""
    order_id, other = await make_order(app, type=kind), await make_order(app)
    route_id = await make_route(app, order_ids=[order_id, other], driver_id=await make_driver(app, user="driver"))
    started = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    stop = next(stop for stop in started.stops if stop.order_id == order_id)
    at = {"route_id": route_id, "stop_id": stop.id}
    app.clock.forward(minutes=5)
    await app.answer("driver", "fail_stop", {**at, **FAILURE, **failure})
    return at, order_id


async def test_concurrent_reopening_by_driver_and_office_is_one_new_attempt(app: App) -> None:
    at, order_id = await make_failed_stop(app)
    outcomes = await asyncio.gather(*(app.call(who, "reopen_stop", at) for who in ("driver", "admin") * 2))
    assert [outcome.status for outcome in outcomes] == [200] * 4
    assert all(len(outcome.answer.stop.earlier_attempts) == 1 for outcome in outcomes)
    steps = [step.step for step in (await order_of(app, order_id)).steps]
    assert steps.count("reopen") == 1


async def test_a_route_ending_concurrently_wins_or_waits_for_the_reopened_stop(app: App) -> None:
    at, order_id = await make_failed_stop(app)
    route = {"route_id": at["route_id"]}
    stops = (await app.answer("admin", "get_route_detail", route)).route.stops
    for stop in stops:
        if stop.status == "planned":
            await app.answer("driver", "deliver_stop", {**route, "stop_id": stop.id})
    unloaded, reopened = await asyncio.gather(
        app.call("driver", "return_route_to_depot", route), app.call("admin", "reopen_stop", at)
    )
    finished = await app.call("driver", "finish_route", route)
    assert unloaded.status == 200
    status = (await order_of(app, order_id)).status
    if reopened.error:
        assert (status_and_code(reopened), finished.status, status) == ((409, "STOP_CANNOT"), 200, "FAILED")
    else:
        assert (status_and_code(finished), status) == ((409, "ROUTE_HAS_OPEN_STOPS"), "OUT_FOR_DELIVERY")


async def test_stops_of_a_finished_route_cannot_be_reopened(app: App) -> None:
    at, _ = await make_failed_stop(app)
    route = {"route_id": at["route_id"]}
    await app.answer("driver", "return_route_to_depot", route)
    for stop in (await app.answer("admin", "get_route_detail", route)).route.stops:
        if stop.status == "planned":
            await app.answer("driver", "deliver_stop", {**route, "stop_id": stop.id})
    await app.answer("driver", "finish_route", route)
    assert status_and_code(await app.call("admin", "reopen_stop", at)) == (409, "ROUTE_CANNOT")


async def test_a_route_offers_reopening_while_a_failed_stop_is_on_board(app: App) -> None:
    at, _ = await make_failed_stop(app)
    route = (await app.answer("driver", "get_route_detail", {"route_id": at["route_id"]})).route
    assert "reopen_stops" in route.allowed_actions
    assert next(stop for stop in route.stops if stop.id == at["stop_id"]).allowed_actions == ["reopen"]
    await app.answer("driver", "reopen_stop", at)
    route = (await app.answer("driver", "get_route_detail", {"route_id": at["route_id"]})).route
    assert "reopen_stops" not in route.allowed_actions


async def test_a_held_order_can_be_reopened_after_its_release(app: App) -> None:
    at, order_id = await make_failed_stop(app)
    await app.answer("admin", "hold_order", {"order_id": order_id})
    assert status_and_code(await app.call("driver", "reopen_stop", at)) == (409, "ORDER_STEP_REFUSED")
    await app.answer("admin", "release_order", {"order_id": order_id})
    await app.answer("driver", "reopen_stop", at)
    assert (await order_of(app, order_id)).status == "OUT_FOR_DELIVERY"


async def test_an_order_with_a_requested_return_cannot_be_reopened(app: App) -> None:
    at, order_id = await make_failed_stop(app)
    await app.answer("admin", "return_order", {"order_id": order_id})
    assert status_and_code(await app.call("driver", "reopen_stop", at)) == (409, "ORDER_STEP_REFUSED")


async def order_of(app: App, order_id: int) -> Any:
    return (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order


@pytest.mark.parametrize("who", ["driver", "admin"])
async def test_a_reopened_stop_can_be_delivered_and_keeps_the_failed_attempt(app: App, who: str) -> None:
    at, order_id = await make_failed_stop(app)
    reopened = (await app.answer(who, "reopen_stop", at)).stop
    assert (reopened.status, reopened.reason, reopened.ended_at) == ("planned", None, None)
    (earlier,) = reopened.earlier_attempts
    assert (earlier.reason, earlier.note, earlier.ended_at) == ("recipient_absent", "Nobody opened", app.clock.now)
    order = await order_of(app, order_id)
    assert (order.status, order.attempts) == ("OUT_FOR_DELIVERY", 1)
    delivered = (await app.answer("driver", "rider_deliver", {**at, "recipient": "Ada"})).stop
    assert (delivered.status, delivered.proof.recipient, len(delivered.earlier_attempts)) == ("completed", "Ada", 1)


async def test_the_timeline_has_both_attempts(app: App) -> None:
    at, order_id = await make_failed_stop(app)
    app.clock.forward(minutes=10)
    await app.answer("driver", "reopen_stop", at)
    app.clock.forward(minutes=10)
    await app.answer("driver", "rider_deliver", {**at, "recipient": "Ada"})
    told = await app.answer("admin", "otep_client_tracking", {"order_id": order_id})
    codes = [event["status_code"] for event in msgspec.to_builtins(told.trackings[0].data)["events"]]
    assert codes[-4:] == ["out_for_delivery", "delivery_failed", "out_for_delivery", "delivered"]


async def test_delivering_at_a_failed_stop_points_to_reopening(app: App) -> None:
    at, _ = await make_failed_stop(app)
    outcome = await app.call("driver", "rider_deliver", {**at, "recipient": "Ada"})
    assert status_and_code(outcome) == (409, "STOP_CANNOT")
    assert "reopen_stop" in outcome.error["next"]


async def test_reopening_twice_changes_nothing(app: App) -> None:
    at, _ = await make_failed_stop(app)
    for _ in range(2):
        answer = await app.answer("driver", "reopen_stop", at)
    assert len(answer.stop.earlier_attempts) == 1


async def test_a_stop_that_failed_twice_keeps_both_attempts(app: App) -> None:
    at, order_id = await make_failed_stop(app)
    await app.answer("driver", "reopen_stop", at)
    await app.answer("driver", "fail_stop", {**at, **FAILURE, "reason": "access_denied"})
    stop = (await app.answer("driver", "reopen_stop", at)).stop
    assert [each.reason for each in stop.earlier_attempts] == ["recipient_absent", "access_denied"]
    assert (await order_of(app, order_id)).attempts == 2


async def test_a_refused_parcel_can_still_be_delivered(app: App) -> None:
    at, order_id = await make_failed_stop(app, reason="refused", outcome="return")
    assert (await order_of(app, order_id)).status == "REJECTED"
    await app.answer("driver", "reopen_stop", at)
    await app.answer("driver", "rider_deliver", {**at, "recipient": "Ada"})
    assert (await order_of(app, order_id)).status == "DELIVERED"


async def test_both_stops_of_a_point_to_point_order_are_reopened(app: App) -> None:
    at, _ = await make_failed_stop(app, kind="P2P")
    await app.answer("driver", "reopen_stop", at)
    stops = (await app.answer("admin", "get_route_detail", {"route_id": at["route_id"]})).route.stops
    assert {stop.status for stop in stops} == {"planned"}


async def test_returned_or_completed_stops_cannot_be_reopened(app: App) -> None:
    at, _ = await make_failed_stop(app)
    await app.answer("driver", "return_route_to_depot", {"route_id": at["route_id"]})
    assert status_and_code(await app.call("admin", "reopen_stop", at)) == (409, "STOP_CANNOT")


async def test_a_stop_can_be_reopened_and_delivered_offline(app: App) -> None:
    at, order_id = await make_failed_stop(app)
    route_id, stop = at["route_id"], {"stop_id": at["stop_id"]}
    answer = await sync_events(
        app,
        device_event("reopen", "reopen", "13:50", route_id, **stop),
        device_event("deliver", "deliver", "13:55", route_id, **stop, after="device-1-reopen", recipient="Ada"),
    )
    assert event_statuses(answer) == {"reopen": "applied", "deliver": "applied"}
    assert (await order_of(app, order_id)).status == "DELIVERED"
