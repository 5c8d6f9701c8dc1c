"""Redelivery, address correction and return after a failed visit."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_driver, make_order, make_route, order_row, status_and_code

PLACE = {"address": "102 Queen St W", "city": "Toronto", "country": "CA", "postal_code": "M5V 2T7"}


async def make_failed_order(app: App, *, back: bool = True, order_id: int | None = None) -> tuple[int, int]:
    """Create a customer's order with a failed attempt, and return the order and route."""
    order_id = order_id or await make_order(app, "customer")
    if "dan" not in app.ids:
        app.ids["dan"] = await make_driver(app, user="driver")
    route_id = await make_route(app, order_ids=[order_id], driver_id=app.ids["dan"])
    route = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    at = {"route_id": route_id, "stop_id": route.stops[0].id}
    await app.answer("driver", "rider_fail", {**at, "reason": "address_incorrect", "outcome": "retry"})
    if back:
        await app.answer("driver", "return_route_to_depot", {"route_id": route_id})
        await app.answer("driver", "finish_route", {"route_id": route_id})
    return order_id, route_id


async def seen_by(app: App, who: str, order_id: int) -> Any:
    return (await app.answer(who, "get_order_detail", {"order_id": order_id})).order


async def test_a_customer_can_request_as_many_new_attempts_as_the_business_allows(app: App) -> None:
    await app.answer("admin", "set_redelivery_policy", {"max_attempts": 2})
    order_id, _ = await make_failed_order(app)
    assert (await seen_by(app, "customer", order_id)).allowed_actions == ["redeliver", "return", "correct_address"]
    app.clock.forward(minutes=5)
    asked = {"scheduled_date": "2026-06-11", "reason": "Somebody is there."}
    again = await app.rest("customer", "POST", f"/v1/orders/{order_id}/redelivery", asked)
    assert (again.json()["attempts_left"], again.json()["order"]["scheduled_date"]) == (1, "2026-06-11")
    assert (await seen_by(app, "admin", order_id)).steps[-1].reason == "Somebody is there."
    number = (await seen_by(app, "customer", order_id)).tracking_number
    assert (await app.answer(None, "track_package", {"number": number})).status == "delivery_rescheduled"
    await make_failed_order(app, order_id=order_id)
    used_up = await app.call("customer", "request_redelivery", {"order_id": order_id})
    assert status_and_code(used_up) == (409, "REDELIVERY_USED_UP")


async def test_a_new_attempt_requires_ones_own_failed_order(app: App) -> None:
    order_id, _ = await make_failed_order(app)
    for who, status in (("customer2", 404), ("driver", 403), ("contractor", 403)):
        for operation in ("request_redelivery", "return_order"):
            assert (await app.call(who, operation, {"order_id": order_id})).status == status, (who, operation)
    fresh = await make_order(app, "customer")
    for operation in ("request_redelivery", "return_order"):
        refused = await app.call("customer", operation, {"order_id": fresh})
        assert status_and_code(refused) == (409, "ORDER_STEP_REFUSED")
    past = {"order_id": order_id, "scheduled_date": "2026-06-09"}
    assert (await app.call("customer", "request_redelivery", past)).status == 422


async def test_goods_at_the_depot_are_returned_at_once_even_after_the_last_attempt(app: App) -> None:
    await app.answer("admin", "set_redelivery_policy", {"max_attempts": 1})
    order_id, _ = await make_failed_order(app)
    assert (await seen_by(app, "customer", order_id)).status == "HOLD"
    said = await app.rest("customer", "POST", f"/v1/orders/{order_id}/return", {"reason": "Moved away."})
    assert said.json()["order"]["status"] == "RETURNED"
    again = await app.call("customer", "return_order", {"order_id": order_id})
    assert status_and_code(again) == (409, "ORDER_STEP_REFUSED")


async def test_goods_in_a_vehicle_are_returned_when_it_is_back(app: App) -> None:
    order_id, route_id = await make_failed_order(app, back=False)
    await app.answer("customer", "return_order", {"order_id": order_id})
    order = await seen_by(app, "customer", order_id)
    assert (order.status, order.steps[-1].step) == ("FAILED", "return_asked")
    await app.answer("driver", "return_route_to_depot", {"route_id": route_id})
    assert (await seen_by(app, "customer", order_id)).status == "RETURNED"


async def test_the_office_returns_only_orders_that_were_out_for_delivery(app: App) -> None:
    order_id, _ = await make_failed_order(app)
    assert "return" in (await seen_by(app, "employee", order_id)).allowed_actions
    await app.answer("employee", "return_order", {"order_id": order_id})
    held = await make_order(app)
    await app.answer("admin", "hold_order", {"order_id": held})
    refused = await app.call("employee", "return_order", {"order_id": held})
    assert status_and_code(refused) == (409, "ORDER_STEP_REFUSED")


async def test_correcting_an_unknown_address_changes_nothing_else(app: App) -> None:
    order_id, _ = await make_failed_order(app)
    before = await seen_by(app, "customer", order_id)
    corrected = await app.rest("customer", "PUT", f"/v1/orders/{order_id}/address", {"place": PLACE})
    assert corrected.json()["warnings"][0]["code"] == "NO_COORDINATES"
    after = await seen_by(app, "customer", order_id)
    assert (after.address, after.postal_code, after.lat) == ("102 Queen St W", "M5V 2T7", None)
    assert (after.consignee.name, after.tracking_number, after.shipping_price) == (
        before.consignee.name,
        before.tracking_number,
        before.shipping_price,
    )
    assert "102 queen" in (await order_row(app, order_id)).search
    await app.answer(
        "admin", "correct_address", {"order_id": order_id, "place": {**PLACE, "lat": 43.65, "lng": -79.39}}
    )
    assert (await seen_by(app, "customer", order_id)).lng == -79.39


async def test_a_customer_corrects_within_the_town_and_the_office_anywhere_after_an_attempt(app: App) -> None:
    order_id, _ = await make_failed_order(app)
    ottawa = {"order_id": order_id, "place": {**PLACE, "city": "Ottawa"}}
    assert status_and_code(await app.call("customer", "correct_address", ottawa)) == (409, "ADDRESS_ELSEWHERE")
    await app.answer("admin", "correct_address", ottawa)
    assert (await seen_by(app, "admin", order_id)).city == "Ottawa"
    fresh = {"order_id": await make_order(app, "customer"), "place": PLACE}
    assert status_and_code(await app.call("customer", "correct_address", fresh)) == (409, "ORDER_STEP_REFUSED")
    nowhere = await app.call("admin", "correct_address", {**ottawa, "end": "shipper"})
    assert [each["field"] for each in nowhere.error["errors"]] == ["end"]
