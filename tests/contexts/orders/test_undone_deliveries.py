"""Undone deliveries, which stay visible as voided."""

from typing import Any

from tests.contexts.orders.makers import make_delivered_order
from tests.support.app import App
from tests.support.transport import make_order, make_started_route, status_and_code

UNDO = {"reason": "The driver pressed the wrong stop."}


async def order_of(app: App, order_id: int) -> Any:
    return (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order


async def test_an_undone_delivery_is_out_again_and_can_be_delivered_while_the_route_is_in_progress(app: App) -> None:
    order_id, route = await make_delivered_order(app)
    assert "undo_delivery" in (await order_of(app, order_id)).allowed_actions
    undone = (await app.answer("admin", "undo_delivery", {"order_id": order_id, **UNDO})).order
    assert (undone.status, undone.route_id) == ("OUT_FOR_DELIVERY", route.id)
    (stop,) = (await app.answer("driver", "get_rider_route", {"route_id": route.id})).route.route.stops
    assert (stop.status, stop.proof, stop.ended_at) == ("planned", None, None)
    steps = [(step.step, step.reason) for step in (await order_of(app, order_id)).steps][-2:]
    assert steps == [("deliver", None), ("undo_delivery", UNDO["reason"])]
    done = {"route_id": route.id, "stop_id": stop.id}
    assert (await app.answer("driver", "deliver_stop", done)).stop.status == "completed"
    public = (await app.http.get(f"/api/v1/tracking/{undone.tracking_number}")).json()
    assert (public["status"], public["delivered"], public["terminal"]) == ("delivered", True, True)


async def test_the_timeline_keeps_both_events_and_shows_the_order_in_transit(app: App) -> None:
    order_id, _ = await make_delivered_order(app, packages=[{"quantity": 2}])
    await app.answer("admin", "undo_delivery", {"order_id": order_id, **UNDO})
    for package in (await order_of(app, order_id)).packages:
        number = package.tracking_number
        full = (await app.rest("admin", "GET", f"/v1/otep/trackings/{number}")).json()["data"]
        public = (await app.http.get(f"/api/v1/otep/trackings/{number}")).json()["data"]
        short = (await app.http.get(f"/api/v1/tracking/{number}")).json()
        epcis = (await app.rest("admin", "GET", f"/v1/otep/trackings/{number}?format=epcis")).json()
        assert full["current_status"] == public["current_status"] == short["status"] == "out_for_delivery"
        assert (full["terminal"], public["delivered"], short["terminal"]) == (False, False, False)
        assert [entry["event"]["status_code"] for entry in full["voided"]] == ["delivered"]
        assert full["voided"][0]["correction"]["reason"] == "did_not_occur"
        assert "delivered" not in str(epcis)


async def test_after_the_route_an_undone_delivery_has_failed_and_can_be_planned(app: App) -> None:
    order_id, route = await make_delivered_order(app)
    await app.answer("driver", "finish_route", {"route_id": route.id})
    undone = (await app.answer("admin", "undo_delivery", {"order_id": order_id, **UNDO})).order
    assert (undone.status, undone.route_id, undone.driver_id) == ("FAILED", None, None)
    assert {"plan", "reschedule"} <= set(undone.allowed_actions)
    (stop,) = (await app.answer("admin", "get_route_detail", {"route_id": route.id})).route.stops
    assert (stop.status, stop.reason, stop.note) == ("brought_back", "other", UNDO["reason"])


async def test_undoing_a_delivery_after_the_route_is_not_a_failed_attempt(app: App) -> None:
    order_id, route = await make_delivered_order(app)
    await app.answer("driver", "finish_route", {"route_id": route.id})
    await app.answer("admin", "undo_delivery", {"order_id": order_id, **UNDO})
    undone = await order_of(app, order_id)
    assert (undone.attempts, undone.steps[-1].step) == (0, "withdraw_delivery")
    assert "fail" not in {step.step for step in undone.steps}
    full = (await app.rest("admin", "GET", f"/v1/otep/trackings/{undone.tracking_number}")).json()["data"]
    codes = [event["status_code"] for event in full["events"]]
    assert ("delivery_failed" in codes, full["current_status"]) == (False, "delayed")


async def test_only_a_delivery_at_an_address_can_be_undone(app: App) -> None:
    waiting = await make_order(app)
    refused = await app.call("admin", "undo_delivery", {"order_id": waiting, **UNDO})
    assert status_and_code(refused) == (409, "ORDER_STEP_REFUSED")
    collected = await make_order(app, type="P")
    route = await make_started_route(app, [collected])
    await app.answer("driver", "pick_up_at_stop", {"route_id": route.id, "stop_id": route.stops[0].id})
    await app.answer("driver", "return_route_to_depot", {"route_id": route.id})
    order = await order_of(app, collected)
    assert (order.status, "undo_delivery" in order.allowed_actions) == ("DELIVERED", False)
    refused = await app.call("admin", "undo_delivery", {"order_id": collected, **UNDO})
    assert status_and_code(refused) == (409, "ORDER_STEP_REFUSED")
