"""A bad day for a dispatcher, and a driver without connection for two hours."""

from datetime import timedelta
from typing import Any

from tests.stories.people import People
from tests.support.app import App
from tests.support.transport import make_contact


async def test_a_dispatcher_handles_a_bad_day(sqlite_app: App) -> None:
    people, app = People(sqlite_app), sqlite_app
    dan, ann = await people.driver("Dan", "driver"), await people.driver("Ann", "driver2")
    done, aboard, unwanted, misread = [await people.order() for _ in range(4)]
    route = await people.route("admin", [done, aboard, unwanted, misread], dan)
    await people.starts("driver", route)
    await people.delivers("driver", route, done, recipient="Ada")

    # The customer of one order cancels it on the way; the driver is notified to return it.
    app.clock.forward(minutes=10)
    await people.does("admin", f"POST /v1/orders/{unwanted}/cancel", reason="bought twice")
    stop = await people.stop(route, unwanted, "driver")
    assert (stop["status"], stop["bring_back"]) == ("cancelled", True)

    # The van breaks down; a colleague takes what is open, and a pickup on top.
    app.clock.forward(minutes=10)
    handed = await people.does("admin", f"POST /v1/routes/{route}/hand-over", driver_id=ann, reason="vehicle_issue")
    (other,) = [each["id"] for each in handed["routes"] if each["id"] != route]
    pickup = await people.order(type="P", consignee=None, shipper=make_contact())
    await people.does("admin", f"POST /v1/routes/{other}/orders", order_ids=[pickup])
    await people.delivers("driver2", other, misread, recipient="B. Roy")
    await people.delivers("driver2", other, aboard, recipient="Ada")
    stop = await people.stop(other, pickup)
    await people.does("driver2", f"POST /v1/rider/routes/{other}/stops/{stop['id']}/pick-up")

    # One was the wrong door: it is taken back, delivered where it should be, and both stay in sight.
    app.clock.forward(minutes=10)
    undone = await people.does("admin", f"POST /v1/orders/{misread}/undo-delivery", reason="Wrong door.")
    assert undone["order"]["status"] == "OUT_FOR_DELIVERY"
    app.clock.forward(minutes=10)
    await people.delivers("driver2", other, misread, recipient="Ada")
    for who, each in (("driver", route), ("driver2", other)):
        await people.comes_home(who, each)

    found = [await people.status(order_id) for order_id in (done, aboard, unwanted, misread, pickup)]
    assert found == ["DELIVERED", "DELIVERED", "CANCELLED", "DELIVERED", "DELIVERED"]
    open_routes = (await people.does("admin", "GET /v1/routes?status=started"))["routes"]
    assert open_routes == []
    left = await people.does("admin", "GET /v1/orders/exceptions")
    assert left["exceptions"] == []


async def test_a_driver_is_offline_for_two_hours_while_the_office_cancels_and_reroutes(sqlite_app: App) -> None:
    people, app = People(sqlite_app), sqlite_app
    dan = await people.driver("Dan", "driver")
    kept, late, failing = [await people.order() for _ in range(3)]
    route = await people.route("admin", [kept, late, failing], dan)
    await people.starts("driver", route)
    day = await people.does("driver", "GET /v1/rider/routes/today")
    begun, written = app.clock.now, []

    async def writes(kind: str, order_id: int, minutes: int, **words: Any) -> None:
        stop = await people.stop(route, order_id)
        at = (begun + timedelta(minutes=minutes)).isoformat()
        event = {"id": f"device-1-{kind}-{order_id}", "kind": kind, "route_id": route, "occurred_at": at}
        written.append({**event, "stop_id": stop["id"], **words})

    # Out of reach: one is delivered before staff cancel it, one after; the third recipient is absent.
    await writes("deliver", kept, 20, recipient="Ada")
    await writes("deliver", late, 100, recipient="B. Roy")
    await writes("fail", failing, 110, reason="recipient_absent", outcome="retry")
    added = await people.order()
    await people.does("admin", f"POST /v1/routes/{route}/orders", order_ids=[added])
    app.clock.forward(minutes=60)
    for order_id in (kept, late):
        await people.does("admin", f"POST /v1/orders/{order_id}/cancel", reason="called it off")
    elsewhere = make_contact(address="1 King St E", postal_code="M5H 1A1")
    moved = await people.does("admin", f"POST /v1/orders/{added}/reroute", address=elsewhere)
    app.clock.forward(minutes=60)
    await app.work_off()

    # In reach again: what happened before a decision counts, what came after is kept for the office.
    synced = await people.does("driver", "POST /v1/rider/sync", events=written)
    receipts = [(each["status"], each.get("code")) for each in synced["receipts"]]
    assert receipts == [("applied", None), ("refused", "STOP_CANCELLED"), ("applied", None)]
    changed = await people.does("driver", f"GET /v1/rider/routes/today?changed_since={day['cursor']}")
    assert {stop["order_id"] for each in changed["routes"] for stop in each["route"]["stops"]} == {kept, late, failing}
    assert [await people.status(each) for each in (kept, late, failing)] == ["DELIVERED", "CANCELLED", "FAILED"]
    assert await people.status(added) == "CANCELLED"
    assert await people.status(moved["order"]["id"]) == "NEW_ORDER"
    raised = (await people.does("admin", f"GET /v1/dispatch/exceptions?day={day['day']}"))["exceptions"]
    kinds = {(each["kind"], each["order_id"]) for each in raised if each["order_id"]}
    assert {("delivered_before_cancel", kept), ("delivered_after_cancel", late)} <= kinds
    assert (await people.stop(route, late))["proof"]["recipient"] == "B. Roy"
    await people.comes_home("driver", route)
