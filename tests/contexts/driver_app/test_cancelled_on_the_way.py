"""Cancellation during a route.

The driver is notified, goods return, deliveries count.
"""

from datetime import timedelta
from typing import Any

from tests.contexts.driver_app.makers import make_upload
from tests.support.app import App
from tests.support.transport import make_order, make_started_route, status_and_code


async def cancelled_under_way(app: App, kind: str = "D") -> tuple[Any, int, Any]:
    """Create a route whose only order was cancelled half an hour after the start.

    Half an hour ago; returns order and start.
    """
    order_id = await make_order(app, type=kind)
    route = await make_started_route(app, [order_id])
    begun = app.clock.now
    app.clock.forward(minutes=30)
    await app.answer("admin", "cancel_order", {"order_id": order_id, "reason": "bought twice"})
    await app.work_off()
    app.clock.forward(minutes=30)
    return route, order_id, begun


async def report(app: App, route: Any, kind: str, at: Any, stop: int = 0, **words: Any) -> Any:
    """Submit an event recorded offline, and return the receipt."""
    event = {
        "id": f"device-1-{kind}-{stop}",
        "kind": kind,
        "route_id": route.id,
        "stop_id": route.stops[stop].id,
        "occurred_at": at.isoformat(),
        **words,
    }
    return (await app.answer("driver", "sync_rider_events", {"events": [event]})).receipts[0]


async def seen_by_driver(app: App, route: Any) -> Any:
    return (await app.answer("driver", "get_rider_route", {"route_id": route.id})).route.route


async def exceptions(app: App, route: Any) -> list[tuple[str, int | None]]:
    found = (await app.answer("admin", "dispatch_exceptions", {"day": str(route.day)})).exceptions
    return [(each.kind.value, each.order_id) for each in found if each.order_id and each.kind != "no_signal"]


async def timeline(app: App, order_id: int) -> Any:
    number = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order.tracking_number
    return (await app.rest("admin", "GET", f"/v1/otep/trackings/{number}")).json()["data"]


async def test_the_stop_is_cancelled_requests_the_goods_back_and_the_route_can_finish(app: App) -> None:
    route, order_id, _ = await cancelled_under_way(app)
    seen = await seen_by_driver(app, route)
    (stop,) = seen.stops
    assert (stop.status, stop.reason, stop.bring_back, stop.allowed_actions) == (
        "cancelled",
        "order_cancelled",
        True,
        [],
    )
    assert (seen.stops_cancelled, seen.stops_failed) == (1, 0)
    assert "finish" not in seen.allowed_actions
    assert await exceptions(app, route) == [("cancelled_aboard", order_id)]
    refused = await app.call("driver", "rider_deliver", {"route_id": route.id, "stop_id": stop.id, "recipient": "Ada"})
    assert status_and_code(refused) == (409, "STOP_CANCELLED")
    home = await app.answer("driver", "return_route_to_depot", {"route_id": route.id})
    assert (home.changed, home.errors, home.route.stops[0].bring_back) == (1, [], False)
    assert await exceptions(app, route) == []
    assert (await app.answer("driver", "finish_route", {"route_id": route.id})).route.status == "finished"


async def test_uncollected_goods_need_not_be_returned(app: App) -> None:
    route, _, _ = await cancelled_under_way(app, "P2P")
    seen = await seen_by_driver(app, route)
    assert {(stop.status.value, stop.bring_back) for stop in seen.stops} == {("cancelled", False)}
    assert (await app.answer("driver", "finish_route", {"route_id": route.id})).route.status == "finished"


async def test_a_delivery_before_the_cancellation_counts_and_is_shown_to_the_office(app: App) -> None:
    route, order_id, begun = await cancelled_under_way(app)
    await make_upload(app, route.stops[0].id, "signature-1")
    receipt = await report(
        app, route, "deliver", begun + timedelta(minutes=20), recipient="Ada", signature="signature-1"
    )
    assert (receipt.status, receipt.code) == ("applied", None)
    (stop,) = (await seen_by_driver(app, route)).stops
    assert (stop.status, stop.proof.recipient, stop.bring_back) == ("completed", "Ada", False)
    assert stop.proof.signature_url
    assert await exceptions(app, route) == [("delivered_before_cancel", order_id)]
    order = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
    assert (order.status, [step.step for step in order.steps[-2:]]) == ("DELIVERED", ["cancel", "confirm_delivery"])
    told = await timeline(app, order_id)
    assert (told["current_status"], told["delivered"], told["events"][-1].get("late")) == ("delivered", True, None)
    (voided,) = told["voided"]
    assert voided["event"]["status_code"] == "cancelled"
    assert voided["correction"]["corrective_event_ids"] == [told["events"][-1]["event_id"]]
    public = await app.http.get(f"/api/v1/otep/trackings/{order.tracking_number}")
    assert (public.json()["data"]["current_status"], public.json()["data"]["delivered"]) == ("delivered", True)
    assert (await app.answer("driver", "finish_route", {"route_id": route.id})).route.status == "finished"


async def test_a_delivery_after_the_cancellation_is_refused_and_its_proof_stored(app: App) -> None:
    route, order_id, begun = await cancelled_under_way(app)
    receipt = await report(app, route, "deliver", begun + timedelta(minutes=40), recipient="Ada", note="At the door")
    assert (receipt.status, receipt.code) == ("refused", "STOP_CANCELLED")
    (stop,) = (await app.answer("admin", "get_route_detail", {"route_id": route.id})).route.stops
    assert (stop.status, stop.bring_back, stop.note) == ("cancelled", True, "At the door")
    assert (stop.proof.recipient, stop.dispute) == ("Ada", "delivered_after_cancel")
    assert await exceptions(app, route) == [("cancelled_aboard", order_id), ("delivered_after_cancel", order_id)]
    assert (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order.status == "CANCELLED"


async def test_goods_collected_before_the_cancellation_are_returned(app: App) -> None:
    route, _, begun = await cancelled_under_way(app, "P2P")
    receipt = await report(app, route, "pick_up", begun + timedelta(minutes=20))
    assert receipt.status == "applied"
    pickup, delivery = (await seen_by_driver(app, route)).stops
    assert (pickup.status, delivery.status, delivery.bring_back) == ("completed", "cancelled", True)
    home = await app.answer("driver", "return_route_to_depot", {"route_id": route.id})
    assert (home.changed, home.errors) == (1, [])
    assert (await app.answer("driver", "finish_route", {"route_id": route.id})).route.status == "finished"


async def test_goods_for_the_depot_are_handed_in_despite_a_cancellation(app: App) -> None:
    order_id = await make_order(app, type="P")
    route = await make_started_route(app, [order_id])
    await app.answer("driver", "pick_up_at_stop", {"route_id": route.id, "stop_id": route.stops[0].id})
    await app.answer("admin", "cancel_order", {"order_id": order_id})
    home = await app.answer("driver", "return_route_to_depot", {"route_id": route.id})
    assert (home.changed, home.errors) == (1, [])
    assert (await app.answer("driver", "finish_route", {"route_id": route.id})).route.status == "finished"


async def test_a_failure_reported_for_a_cancelled_stop_changes_nothing(app: App) -> None:
    route, _, begun = await cancelled_under_way(app)
    receipt = await report(
        app, route, "fail", begun + timedelta(minutes=20), reason="recipient_absent", outcome="retry"
    )
    assert receipt.status == "applied"
    assert (await seen_by_driver(app, route)).stops[0].status == "cancelled"
