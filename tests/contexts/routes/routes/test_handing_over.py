"""Handover of stops and goods of a route under way to another driver."""

from datetime import timedelta
from typing import Any

from tests.contexts.routes.routes.makers import get_route
from tests.support.app import App
from tests.support.transport import (
    make_driver,
    make_order,
    make_route,
    make_started_route,
    order_row,
    status_and_code,
)

OUT_FOR_DELIVERY = 5


async def hand_over(app: App, route_id: int, who: str = "admin", **words: Any) -> Any:
    """Hand stops over; the outcome."""
    return await app.call(who, "hand_over_stops", {"route_id": route_id, "reason": "The van broke down", **words})


async def test_a_whole_route_can_be_handed_to_another_driver_who_starts_immediately(app: App) -> None:
    done, first, second = [await make_order(app) for _ in range(3)]
    route = await make_started_route(app, [done, first, second])
    await app.answer("driver", "deliver_stop", {"route_id": route.id, "stop_id": route.stops[0].id})
    other = await make_driver(app, user="driver2", name="Eve")
    taking, left = (await hand_over(app, route.id, driver_id=other)).answer.routes
    assert (taking.status, taking.driver_id, taking.day) == ("started", other, route.day)
    assert [stop.order_id for stop in taking.stops] == [first, second]
    assert {stop.handed_over_from for stop in taking.stops} == {route.id}
    assert [(stop.order_id, stop.status) for stop in left.stops] == [(done, "completed")]
    seen = (await app.answer("driver2", "get_rider_day")).routes
    assert [stop.order_id for stop in seen[0].route.stops] == [first, second]
    await app.answer("driver2", "deliver_stop", {"route_id": taking.id, "stop_id": taking.stops[0].id})
    assert (await app.answer("driver", "finish_route", {"route_id": route.id})).route.status == "finished"
    rows = [await order_row(app, order_id) for order_id in (done, second)]
    assert [row.driver_id for row in rows] == [app.ids["driver"], app.ids["driver2"]]


async def test_the_order_and_its_timeline_show_the_new_driver(app: App) -> None:
    order_id = await make_order(app)
    route = await make_started_route(app, [order_id])
    other = await make_driver(app, user="driver2")
    app.clock.forward(minutes=5)
    taking, left = (await hand_over(app, route.id, driver_id=other)).answer.routes
    order = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
    assert (order.status, order.driver_id, order.route_id) == ("OUT_FOR_DELIVERY", other, taking.id)
    assert (order.steps[-1].step, order.steps[-1].reason) == ("hand_over", "The van broke down")
    timeline = await app.rest("admin", "GET", f"/v1/otep/trackings/{order.tracking_number}")
    last = timeline.json()["data"]["events"][-1]
    assert last["status_code"] == "out_for_delivery"
    assert last["extensions"] == {"hand_over": {"from_route_id": left.id, "to_route_id": taking.id}}


async def test_stops_are_handed_to_a_vehicle_on_route_as_whole_orders(app: App) -> None:
    staying, goes, person_to_person = await make_order(app), await make_order(app), await make_order(app, type="P2P")
    route = await make_started_route(app, [staying, goes, person_to_person])
    other = await make_route(app, order_ids=[await make_order(app)], driver_id=await make_driver(app, user="driver2"))
    stop_ids = [
        stop.id for stop in route.stops if stop.order_id in (goes, person_to_person) and stop.kind == "delivery"
    ]
    refused = await hand_over(app, route.id, to_route_id=other, stop_ids=stop_ids)
    assert status_and_code(refused) == (409, "ROUTE_CANNOT")
    await app.answer("driver2", "start_route", {"route_id": other})
    taking, left = (await hand_over(app, route.id, to_route_id=other, stop_ids=stop_ids)).answer.routes
    assert [(stop.order_id, stop.kind) for stop in taking.stops[1:]] == [
        (goes, "delivery"),
        (person_to_person, "pickup"),
        (person_to_person, "delivery"),
    ]
    assert [stop.order_id for stop in left.stops] == [staying]


async def test_collected_and_failed_goods_change_vehicles_and_their_visit_stays_with_the_first_driver(
    app: App,
) -> None:
    collected, failed = await make_order(app, type="P2P"), await make_order(app)
    route = await make_started_route(app, [collected, failed])
    pickup, _, delivery = route.stops
    await app.answer("driver", "pick_up_at_stop", {"route_id": route.id, "stop_id": pickup.id})
    missed = {"stop_id": delivery.id, "reason": "recipient_absent", "outcome": "retry"}
    await app.answer("driver", "fail_stop", {"route_id": route.id, **missed})
    other = await make_driver(app, user="driver2")
    taking, left = (await hand_over(app, route.id, driver_id=other)).answer.routes
    assert [(stop.order_id, stop.status, stop.bring_back) for stop in taking.stops] == [
        (collected, "planned", False),
        (failed, "failed", True),
    ]
    assert [stop.id for stop in left.stops] == [pickup.id]
    assert (await app.answer("driver", "finish_route", {"route_id": left.id})).route.status == "finished"
    await app.answer("driver2", "deliver_stop", {"route_id": taking.id, "stop_id": taking.stops[0].id})
    home = await app.answer("driver2", "return_route_to_depot", {"route_id": taking.id})
    assert (home.changed, home.errors) == (1, [])
    assert (await app.answer("driver2", "finish_route", {"route_id": taking.id})).route.status == "finished"


async def test_work_before_the_handover_counts_and_later_work_is_disputed(app: App) -> None:
    before, after = await make_order(app), await make_order(app)
    route = await make_started_route(app, [before, after])
    at = app.clock.now
    app.clock.forward(minutes=30)
    taking = (await hand_over(app, route.id, driver_id=await make_driver(app, user="driver2"))).answer.routes[0]
    app.clock.forward(minutes=30)
    events = [
        {
            "id": f"device-1-{stop.id}",
            "kind": "deliver",
            "route_id": route.id,
            "stop_id": stop.id,
            "occurred_at": (at + timedelta(minutes=minutes)).isoformat(),
            "recipient": name,
        }
        for stop, minutes, name in zip(route.stops, (20, 45), ("Ada", "Bob"), strict=True)
    ]
    receipts = (await app.answer("driver", "sync_rider_events", {"events": events})).receipts
    assert [(receipt.status, receipt.code) for receipt in receipts] == [
        ("applied", None),
        ("refused", "STOP_HANDED_OVER"),
    ]
    first, second = (await get_route(app, taking.id)).stops
    assert (first.status, first.proof.recipient, first.dispute) == ("completed", "Ada", None)
    assert (second.status, second.proof.recipient, second.dispute) == ("planned", "Bob", "delivered_after_hand_over")
    found = (await app.answer("admin", "dispatch_exceptions", {"day": str(route.day)})).exceptions
    assert ("delivered_after_hand_over", after) in [(each.kind, each.order_id) for each in found]


async def test_a_handover_requires_another_driver_and_open_stops(app: App) -> None:
    order_id = await make_order(app)
    route = await make_started_route(app, [order_id])
    other = await make_driver(app, user="driver2")
    outsider = await make_driver(app, contractor_id=app.ids["contractor"])
    for words, field in (
        ({"driver_id": route.driver_id}, "driver_id"),
        ({"driver_id": outsider}, "driver_id"),
        ({"to_route_id": route.id}, "to_route_id"),
        ({"driver_id": other, "to_route_id": route.id}, ""),
    ):
        outcome = await hand_over(app, route.id, **words)
        assert status_and_code(outcome) == (422, "INVALID_REQUEST")
        assert outcome.error["errors"][0]["field"] == field
    assert status_and_code(await hand_over(app, route.id, who="driver", driver_id=other))[0] == 403
    await app.answer("driver", "deliver_stop", {"route_id": route.id, "stop_id": route.stops[0].id})
    assert "hand_over" not in (await get_route(app, route.id)).allowed_actions
    over = await hand_over(app, route.id, driver_id=other, stop_ids=[route.stops[0].id])
    assert status_and_code(over) == (409, "STOP_STAYS")
    assert status_and_code(await hand_over(app, route.id, driver_id=other)) == (409, "NOTHING_TO_HAND_OVER")
