"""Orders go out on another day, as often as the client allows."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_driver, make_order, make_route, status_and_code

WINDOW = {"window_start": "2026-06-12T13:00:00Z", "window_end": "2026-06-12T17:00:00Z"}


async def reschedule(app: App, *order_ids: int, **words: Any) -> Any:
    """Reschedule orders; the answer."""
    return await app.answer("admin", "reschedule_orders", {"order_ids": list(order_ids), **words})


async def order_of(app: App, order_id: int) -> Any:
    return (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order


async def make_failed_order(app: App, order_id: int, *, back: bool = True) -> Any:
    """Send an order out and let it fail; the order."""
    if "dan" not in app.ids:
        app.ids["dan"] = await make_driver(app, user="driver")
    route_id = await make_route(app, order_ids=[order_id], driver_id=app.ids["dan"])
    route = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    failed = {"stop_id": route.stops[0].id, "reason": "recipient_absent", "outcome": "retry"}
    await app.answer("driver", "fail_stop", {"route_id": route_id, **failed})
    if back:
        await app.answer("driver", "return_route_to_depot", {"route_id": route_id})
    return await order_of(app, order_id)


async def test_many_orders_can_be_rescheduled_by_id_number_or_reference(app: App) -> None:
    by_id, by_number, by_ref = [await make_order(app, order_ref=f"A-{n}") for n in range(3)]
    number = (await order_of(app, by_number)).tracking_number
    done = await app.answer(
        "admin",
        "reschedule_orders",
        {"order_ids": [by_id], "tracking_numbers": [number.lower()], "order_refs": ["A-2", "none"], **WINDOW},
    )
    assert (done.changed, done.skipped, str(done.scheduled_date)) == (3, 1, "2026-06-12")
    assert [(each.named, each.order_id, each.code) for each in done.outcomes] == [
        (str(by_id), by_id, None),
        (number.lower(), by_number, None),
        ("A-2", by_ref, None),
        ("none", None, "NOT_FOUND"),
    ]
    for order_id in (by_id, by_number, by_ref):
        order = await order_of(app, order_id)
        assert (str(order.scheduled_date), order.window_start.isoformat()) == (
            "2026-06-12",
            "2026-06-12T09:00:00-04:00",
        )
        assert order.steps[-1].step == "reschedule"


async def test_a_new_day_without_a_window_or_no_day_removes_the_old_window(app: App) -> None:
    order_id = await make_order(app)
    await reschedule(app, order_id, **WINDOW)
    for words, day in (({"scheduled_date": "2026-06-13"}, "2026-06-13"), ({}, "None")):
        await reschedule(app, order_id, **words)
        order = await order_of(app, order_id)
        assert (str(order.scheduled_date), order.window_start, order.window_end) == (day, None, None)


async def test_a_failed_order_is_planned_for_the_new_day_and_its_timeline_shows_it(app: App) -> None:
    order = await make_failed_order(app, await make_order(app))
    assert (order.status, order.attempts) == ("FAILED", 1)
    app.clock.forward(minutes=5)
    (outcome,) = (await reschedule(app, order.id, **WINDOW)).outcomes
    assert (outcome.changed, outcome.attempts, outcome.attempts_left) == (True, 1, 2)
    timeline = (await app.rest("admin", "GET", f"/v1/otep/trackings/{order.tracking_number}")).json()["data"]
    assert timeline["current_status"] == "delivery_rescheduled"
    route_id = await make_route(app, order_ids=[order.id], day="2026-06-12")
    assert (await order_of(app, order.id)).route_id == route_id


async def test_a_planned_order_whose_day_changes_leaves_its_route(app: App) -> None:
    same, other = await make_order(app), await make_order(app)
    route_id = await make_route(app, order_ids=[same, other])
    await reschedule(app, same, scheduled_date="2026-06-10")
    (outcome,) = (await reschedule(app, other, scheduled_date="2026-06-11")).outcomes
    assert outcome.left_route
    route = (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route
    assert [stop.order_id for stop in route.stops] == [same]
    assert (await order_of(app, other)).status == "NEW_ORDER"


async def test_an_order_already_scheduled_for_that_day_is_unchanged(app: App) -> None:
    same, other = await make_order(app), await make_order(app)
    for order_id in (same, other):
        await reschedule(app, order_id, **WINDOW)
    steps = len((await order_of(app, same)).steps)
    (outcome,) = (await reschedule(app, same, **WINDOW)).outcomes
    assert (outcome.changed, outcome.code) == (False, "ALREADY_SCHEDULED")
    assert len((await order_of(app, same)).steps) == steps
    later = {**WINDOW, "window_end": "2026-06-12T18:00:00Z"}
    await reschedule(app, other, **later)
    done = await reschedule(app, same, other, **later)
    assert (done.changed, done.skipped) == (1, 1)
    assert [each.changed for each in done.outcomes] == [True, False]


async def test_a_failed_order_is_rescheduled_to_the_same_day_once(app: App) -> None:
    order = await make_failed_order(app, await make_order(app))
    app.clock.forward(minutes=5)
    asked = {"scheduled_date": str(order.scheduled_date)}
    outcomes = [(await reschedule(app, order.id, **asked)).outcomes[0] for _ in range(2)]
    assert [(each.changed, each.code) for each in outcomes] == [(True, None), (False, "ALREADY_SCHEDULED")]


async def test_an_order_that_failed_today_on_a_started_route_is_reopened_instead(app: App) -> None:
    order = await make_failed_order(app, await make_order(app, "customer"), back=False)
    done = await reschedule(app, order.id, scheduled_date="2026-06-10")
    (outcome,) = done.outcomes
    assert (done.result, outcome.changed, outcome.code) == (False, False, "STILL_OUT_TODAY")
    asked = {"order_id": order.id, "scheduled_date": "2026-06-10"}
    refused = await app.call("customer", "request_redelivery", asked)
    assert status_and_code(refused) == (409, "STILL_OUT_TODAY")
    assert refused.error["next"] == ["reopen_stop"]
    (outcome,) = (await reschedule(app, order.id, scheduled_date="2026-06-11")).outcomes
    assert outcome.changed


async def test_orders_in_transit_or_finished_cannot_be_rescheduled(app: App) -> None:
    gone = await make_order(app)
    out = await make_order(app)
    await app.answer("admin", "cancel_order", {"order_id": gone})
    route_id = await make_route(app, order_ids=[out], driver_id=await make_driver(app, user="driver"))
    await app.answer("driver", "start_route", {"route_id": route_id})
    done = await reschedule(app, gone, out, **WINDOW)
    assert (done.result, [each.code for each in done.outcomes]) == (False, ["ORDER_IS_OVER", "ORDER_STEP_REFUSED"])


async def test_a_day_in_the_past_or_outside_its_window_is_refused(app: App) -> None:
    order_id = await make_order(app)
    for words, field in (
        ({"scheduled_date": "2026-06-09"}, "scheduled_date"),
        ({"window_start": "2026-06-09T13:00:00Z", "window_end": "2026-06-09T17:00:00Z"}, "scheduled_date"),
        ({"scheduled_date": "2026-06-11", **WINDOW}, "scheduled_date"),
        ({"window_start": WINDOW["window_start"]}, ""),
    ):
        outcome = await app.call("admin", "reschedule_orders", {"order_ids": [order_id], **words})
        assert status_and_code(outcome) == (422, "INVALID_REQUEST"), words
        assert outcome.error["errors"][0]["field"] == field


async def test_after_its_last_attempt_an_order_waits_for_a_decision(app: App) -> None:
    await app.answer("admin", "set_redelivery_policy", {"max_attempts": 2})
    order_id = await make_order(app)
    assert (await make_failed_order(app, order_id)).status == "FAILED"
    order = await make_failed_order(app, order_id)
    assert (order.status, order.attempts, order.steps[-1].reason) == ("HOLD", 2, "attempts_used_up")
    (refused,) = (await reschedule(app, order_id, **WINDOW)).outcomes
    assert (refused.changed, refused.code, refused.attempts_left) == (False, "ATTEMPTS_USED_UP", 0)
    (once_more,) = (await reschedule(app, order_id, **WINDOW, beyond_limit=True)).outcomes
    assert (once_more.changed, once_more.attempts_left) == (True, 1)
    assert (await order_of(app, order_id)).status == "NEW_ORDER"


async def test_another_attempt_can_be_requested_before_the_order_is_back(app: App) -> None:
    await app.answer("admin", "set_redelivery_policy", {"max_attempts": 1})
    order = await make_failed_order(app, await make_order(app), back=False)
    await reschedule(app, order.id, **WINDOW, beyond_limit=True)
    await app.answer("driver", "return_route_to_depot", {"route_id": order.route_id})
    assert (await order_of(app, order.id)).status == "FAILED"


async def test_an_order_handed_back_during_the_route_is_planned_for_the_next_day(app: App) -> None:
    app.ids["dan"] = await make_driver(app, user="driver")
    failing, going = await make_order(app), await make_order(app)
    route_id = await make_route(app, order_ids=[failing, going], driver_id=app.ids["dan"])
    route = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    failed = {"stop_id": route.stops[0].id, "reason": "recipient_absent", "outcome": "retry"}
    await app.answer("driver", "fail_stop", {"route_id": route_id, **failed})
    (aboard,) = (await reschedule(app, failing, scheduled_date="2026-06-11")).outcomes
    assert aboard.changed
    tomorrow = await make_route(app, day="2026-06-11")
    added = await app.answer("admin", "add_orders_to_route", {"route_id": tomorrow, "order_ids": [failing]})
    assert [error.code for error in added.errors] == ["ORDER_ON_ROUTE"]
    await app.answer("driver", "return_route_to_depot", {"route_id": route_id})
    added = await app.answer("admin", "add_orders_to_route", {"route_id": tomorrow, "order_ids": [failing]})
    assert (added.changed, added.warnings) == (1, [])
    assert (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route.status == "started"
