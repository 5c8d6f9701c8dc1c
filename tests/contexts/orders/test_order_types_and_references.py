"""What kinds of orders are taken, where their stop is, and what a repeated reference gives to whom."""

import asyncio
from typing import Any

import pytest
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import a_contact, an_order, order_row, set_order, status_and_code

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus

DEPOT_SIDE = a_contact(name="Bo", address="1 King St E", postal_code="L1A 1A1")


@for_every(("kind", "stop"), [("D", "Ada Lovelace"), ("P", "Bo"), ("P2P", "Ada Lovelace")])
async def test_the_stop_is_the_shippers_door_for_a_pickup_else_the_consignees(app: App, kind: str, stop: str) -> None:
    ends = {"shipper": DEPOT_SIDE, "consignee": a_contact()}
    order = (await app.answer("admin", "create_order", {"type": kind, **ends})).order
    assert (order.type, order.name) == (kind, stop)


async def test_a_pickup_costs_its_surcharge(app: App) -> None:
    prices = {}
    for kind in ("D", "P", "P2P"):
        order_id = await an_order(app, type=kind)
        detail = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
        prices[kind] = {line.code: line.amount for line in detail.price_details}
    assert "pickup" not in prices["D"]
    assert prices["P"]["pickup"] == prices["P2P"]["pickup"] == 300


async def test_two_parallel_creates_with_one_reference_leave_one_order(app: App) -> None:
    body = {"consignee": a_contact(), "order_ref": "PAIR"}
    answers = await asyncio.gather(*(app.answer("admin", "create_order", body) for _ in range(2)))
    assert sorted(answer.existing for answer in answers) == [False, True]
    assert answers[0].order.id == answers[1].order.id
    assert (await app.answer("admin", "get_orders", {"order_ref": "PAIR"})).total == 1


@pytest.mark.parametrize("operation", ["create_order", "bulk_create_orders"])
async def test_a_reference_of_another_customer_does_not_show_that_customers_order(app: App, operation: str) -> None:
    body: dict[str, Any] = {"consignee": a_contact(), "order_ref": "SECRET"}
    theirs = (await app.answer("customer", "create_order", body)).order
    asked = body if operation == "create_order" else {"orders": [body]}
    response = await app.call("customer2", operation, asked)
    assert theirs.tracking_number not in repr(response)
    if operation == "create_order":
        assert status_and_code(response) == (409, "ORDER_REF_TAKEN")
    else:
        assert [(each.state, each.code) for each in response.answer.outcomes] == [("refused", "ORDER_REF_TAKEN")]


async def test_parallel_customers_with_one_reference_do_not_see_each_others_order(app: App) -> None:
    body = {"consignee": a_contact(), "order_ref": "RACE"}
    outcomes = await asyncio.gather(*(app.call(who, "create_order", body) for who in ("customer", "customer2")))
    assert sorted(outcome.status for outcome in outcomes) == [200, 409]


async def test_a_customer_who_names_another_customer_is_refused(app: App) -> None:
    asked = {"consignee": a_contact(), "customer_id": app.ids["customer2"]}
    outcome = await app.call("customer", "create_order", asked)
    assert outcome.error
    assert [(error["field"], error["code"]) for error in outcome.error["errors"]] == [
        ("customer_id", "CUSTOMER_NOT_YOURS")
    ]
    assert (await app.call("customer", "create_order", {**asked, "customer_id": app.ids["customer"]})).status == 200


async def test_a_rerouted_order_keeps_its_signature_and_its_price(app: App) -> None:
    old = await an_order(app, signature_required=True, cod_minor=500, service="express", order_ref="S-1")
    before = (await order_row(app, old)).price
    answer = await app.answer("admin", "reroute_to_address", {"order_id": old, "address": a_contact(name="Bo")})
    assert (await order_row(app, answer.order.id)).price == before


@for_every("status", set(OrderStatus) - {OrderStatus.NEW_ORDER, OrderStatus.HOLD, OrderStatus.PLANNED})
async def test_an_order_that_was_picked_up_is_not_rerouted(app: App, status: OrderStatus) -> None:
    order_id = await an_order(app, order_ref="KEPT")
    await set_order(app, order_id, status=status.value)
    outcome = await app.call("admin", "reroute_to_address", {"order_id": order_id, "address": a_contact()})
    assert status_and_code(outcome) == (409, "ORDER_STEP_REFUSED")
    assert (await order_row(app, order_id)).order_ref == "KEPT"


async def test_a_reroute_beyond_reach_changes_nothing(app: App) -> None:
    order_id = await an_order(app, type="P2P", order_ref="NEAR")
    values = {"order_id": order_id, "address": a_contact(lat=-33.9, lng=151.2)}
    assert status_and_code(await app.call("admin", "reroute_to_address", values)) == (422, "RATE_NOT_AVAILABLE")
    row = await order_row(app, order_id)
    assert (row.status, row.order_ref) == (OrderStatus.NEW_ORDER, "NEAR")
