"""Outcomes of carrier orders, as reported by the carrier.

See docs/decisions/timelines.md.
"""

from datetime import datetime
from typing import Any

import pytest
from tests.contexts.orders.examples import ADDRESS
from tests.contexts.tracking.ingest.requests import (
    CARRIER,
    make_event,
    make_key,
    make_timeline,
    push_document,
    read_timeline,
)
from tests.support.app import App

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus, followed_status


async def make_entrusted_order(app: App, **values: Any) -> Any:
    """An order all of whose parcels were given to Swift Post."""
    order = await order_of(app, (await app.answer("admin", "create_order", {"consignee": ADDRESS, **values})).order)
    numbers = list(dict.fromkeys([order.tracking_number, *(piece.tracking_number for piece in order.packages)]))
    await app.answer("admin", "entrust_parcels", {"tracking_numbers": numbers, "carrier": "Swift Post"})
    return order


async def tell(app: App, key: str, number: str, *events: dict[str, Any], **fields: Any) -> None:
    """Push events, and let what follows from them happen."""
    response = await push_document(app, key, make_timeline(*events, number=number, **fields))
    assert response.json()["counts"]["refused"] == 0, response.text
    await app.work_off()


def make_void(app: App, event: dict[str, Any]) -> dict[str, Any]:
    """The declaration that an event was wrong."""
    return {"event": event, "correction": {"event_id": event["event_id"], "declared_at": app.clock().isoformat()}}


async def order_of(app: App, order: Any) -> Any:
    return (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order


@pytest.mark.parametrize(
    ("code", "status"),
    [("delivered", "DELIVERED"), ("returned", "RETURNED"), ("rejected", "REJECTED"), ("cancelled", "CANCELLED")],
)
async def test_the_outcome_reported_by_the_carrier_is_the_orders_outcome(app: App, code: str, status: str) -> None:
    order, key = await make_entrusted_order(app), await make_key(app)
    await tell(app, key, order.tracking_number, make_event("in_transit"), make_event(code, 3))
    ended = await order_of(app, order)
    assert (ended.status, ended.allowed_actions) == (status, [])
    last = ended.steps[-1]
    assert (last.step, last.status, last.reason) == ("follow_carrier", status, CARRIER["name"])
    assert last.at == datetime.fromisoformat(make_event(hours=3)["occurred_at"])
    again = await app.call("admin", "cancel_order", {"order_id": order.id})
    assert again.error
    assert again.error["code"] == "ORDER_STEP_REFUSED"


async def test_a_parcel_collected_from_a_locker_is_delivered(app: App) -> None:
    order, key = await make_entrusted_order(app), await make_key(app)
    await tell(app, key, order.tracking_number, make_event("collected"), profile="locker")
    assert (await order_of(app, order)).status == "DELIVERED"


async def test_an_order_of_several_parcels_ends_when_all_of_them_have(app: App) -> None:
    pieces = [{"weight_g": 500}, {"weight_g": 700}]
    order, key = await make_entrusted_order(app, packages=pieces), await make_key(app)
    first, second = (piece.tracking_number for piece in order.packages)
    await tell(app, key, first, make_event("delivered"))
    assert (await order_of(app, order)).status == "NEW_ORDER"
    await tell(app, key, second, make_event("delivered", 1))
    assert (await order_of(app, order)).status == "DELIVERED"


async def test_an_order_cancelled_by_the_business_first_stays_cancelled(app: App) -> None:
    order, key = await make_entrusted_order(app), await make_key(app)
    await app.answer("admin", "cancel_order", {"order_id": order.id})
    app.clock.forward(minutes=1)
    await tell(app, key, order.tracking_number, make_event("delivered"))
    assert (await order_of(app, order)).status == "CANCELLED"
    assert (await read_timeline(app, order.tracking_number))["current_status"] == "cancelled"


async def test_an_order_cancelled_after_the_carriers_delivery_is_delivered(app: App) -> None:
    order, key = await make_entrusted_order(app), await make_key(app)
    await push_document(app, key, make_timeline(make_event("delivered"), number=order.tracking_number))
    app.clock.forward(minutes=1)
    await app.answer("admin", "cancel_order", {"order_id": order.id})
    await app.work_off()
    assert (await order_of(app, order)).status == "DELIVERED"
    assert (await read_timeline(app, order.tracking_number))["current_status"] == "delivered"


async def test_an_outcome_withdrawn_by_the_carrier_reopens_the_order(app: App) -> None:
    order, key = await make_entrusted_order(app), await make_key(app)
    wrong = make_event("delivered", event_id="scan-1")
    await tell(app, key, order.tracking_number, wrong)
    await tell(app, key, order.tracking_number, voided=[make_void(app, wrong)])
    reopened = await order_of(app, order)
    assert (reopened.status, "cancel" in reopened.allowed_actions) == ("NEW_ORDER", True)
    await tell(app, key, order.tracking_number, make_event("returned", 5))
    assert (await order_of(app, order)).status == "RETURNED"


async def test_a_finished_order_leaves_its_route(app: App) -> None:
    order, key = await make_entrusted_order(app), await make_key(app)
    place = {"name": "North", "address": "1 Front St", "lat": 43.64, "lng": -79.38}
    depot = (await app.answer("admin", "create_depot", place)).depot
    plan = {"day": app.clock().date().isoformat(), "depot_id": depot.id, "name": "R"}
    route = (await app.answer("admin", "create_route", plan)).route
    await app.answer("admin", "add_orders_to_route", {"route_id": route.id, "order_ids": [order.id]})
    assert (await order_of(app, order)).route_id == route.id
    wrong = make_event("delivered", event_id="scan-1")
    await tell(app, key, order.tracking_number, wrong)
    ended = await order_of(app, order)
    assert (ended.status, ended.route_id) == ("DELIVERED", None)
    await tell(app, key, order.tracking_number, voided=[make_void(app, wrong)])
    assert (await order_of(app, order)).status == "NEW_ORDER"


def test_the_outcomes_of_all_parcels_decide_and_only_carrier_outcomes_can_be_withdrawn() -> None:
    status = OrderStatus
    carried = ("follow_carrier", status.DELIVERED.value)
    assert followed_status(status.NEW_ORDER, [], []) is None
    assert followed_status(status.HOLD, ["delivered", None], []) is None
    assert followed_status(status.HOLD, ["returned", "delivered"], []) is status.DELIVERED
    assert followed_status(status.DELIVERED, ["delivered"], [carried]) is None
    assert followed_status(status.DELIVERED, ["returned"], [carried]) is status.RETURNED
    assert followed_status(status.DELIVERED, [None], [("start", status.OUT_FOR_DELIVERY), carried]) is (
        status.OUT_FOR_DELIVERY
    )
    assert followed_status(status.DELIVERED, [None], [("plan", status.PLANNED), carried]) is status.NEW_ORDER
    assert followed_status(status.CANCELLED, [None], [("cancel", status.CANCELLED)]) is None
    assert followed_status(status.CANCELLED, ["delivered", "cancelled"], [("cancel", status.CANCELLED)]) is None
