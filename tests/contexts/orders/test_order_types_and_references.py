"""Order types, their stops, and repeated references."""

import asyncio
from typing import Any

from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import make_contact, make_order, order_row, set_order, status_and_code

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus

DEPOT_SIDE = make_contact(name="Bo", address="1 King St E", postal_code="L1A 1A1")


@for_every(("kind", "stop"), [("D", "Ada Lovelace"), ("P", "Bo"), ("P2P", "Ada Lovelace")])
async def test_the_stop_is_at_the_shipper_for_a_pickup_and_otherwise_at_the_consignee(
    app: App, kind: str, stop: str
) -> None:
    ends = {"shipper": DEPOT_SIDE, "consignee": make_contact()}
    order = (await app.answer("admin", "create_order", {"type": kind, **ends})).order
    assert (order.type, order.name) == (kind, stop)


async def test_a_pickup_adds_its_surcharge(app: App) -> None:
    prices = {}
    for kind in ("D", "P", "P2P"):
        order_id = await make_order(app, type=kind)
        detail = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
        prices[kind] = {line.code: line.amount for line in detail.price_details}
    assert "pickup" not in prices["D"]
    assert prices["P"]["pickup"] == prices["P2P"]["pickup"] == 300


async def test_two_parallel_creates_with_one_reference_create_one_order(app: App) -> None:
    body = {"consignee": make_contact(), "order_ref": "PAIR"}
    answers = await asyncio.gather(*(app.answer("admin", "create_order", body) for _ in range(2)))
    assert sorted(answer.existing for answer in answers) == [False, True]
    assert answers[0].order.id == answers[1].order.id
    assert (await app.answer("admin", "get_orders", {"order_ref": "PAIR"})).total == 1


async def test_references_are_unique_per_customer(app: App) -> None:
    body: dict[str, Any] = {"consignee": make_contact(), "order_ref": "1001"}
    people = ("customer", "customer2", "admin")
    made = [(await app.answer(who, "create_order", body)).order.id for who in people]
    assert len(set(made)) == len(people)
    assert [(await app.answer(who, "create_order", body)).order.id for who in people] == made
    for_customer = {**body, "customer_id": app.ids["customer"]}
    assert (await app.answer("admin", "create_order", for_customer)).order.id == made[0]
    outcomes = await asyncio.gather(
        *(app.call(who, "create_order", {**body, "order_ref": "RACE"}) for who in ("customer", "customer2"))
    )
    assert [outcome.status for outcome in outcomes] == [200, 200]


async def test_reusing_a_reference_with_other_content_is_refused_with_the_differing_fields(app: App) -> None:
    body: dict[str, Any] = {"consignee": make_contact(), "order_ref": "1001", "note": "Ring."}
    order_id = (await app.answer("admin", "create_order", body)).order.id
    other = {**body, "consignee": make_contact(phone="+14165550123"), "packages": [{}, {}], "note": "Knock."}
    refused = await app.call("admin", "create_order", other)
    assert status_and_code(refused) == (409, "ORDER_REF_TAKEN")
    assert refused.error
    assert sorted(error["field"] for error in refused.error["errors"]) == ["consignee.phone", "note", "packages"]
    many = await app.answer("admin", "bulk_create_orders", {"orders": [other, body]})
    assert [outcome.state for outcome in many.outcomes] == ["refused", "existing"]
    new = {**body, "order_ref": "1002"}
    twice = await app.answer("admin", "bulk_create_orders", {"orders": [new, new, {**new, "note": "Knock."}]})
    assert [outcome.state for outcome in twice.outcomes] == ["created", "existing", "refused"]
    assert (await app.answer("admin", "get_orders", {"order_ref": "1001"})).orders[0].id == order_id


async def test_repeating_the_creating_request_returns_the_order_whatever_its_status(app: App) -> None:
    body: dict[str, Any] = {"consignee": make_contact(), "order_ref": "1001", "note": "Ring."}
    order_id = (await app.answer("admin", "create_order", body)).order.id
    await app.answer("admin", "update_order_note", {"order_id": order_id, "note": "Knock."})
    for asked in (body, {**body, "note": "Knock."}):
        again = await app.answer("admin", "create_order", asked)
        assert (again.existing, again.order.id) == (True, order_id)
    assert status_and_code(await app.call("admin", "create_order", {**body, "note": "Sing."})) == (
        409,
        "ORDER_REF_TAKEN",
    )
    values = {"order_id": order_id, "address": make_contact(name="Bo")}
    moved = (await app.answer("admin", "reroute_to_address", values)).order.id
    assert (await app.answer("admin", "create_order", body)).order.id == moved


async def test_a_repeat_returns_an_order_that_could_not_be_created_today(app: App) -> None:
    body: dict[str, Any] = {"consignee": make_contact(), "order_ref": "1001", "service": "express"}
    order_id = (await app.answer("admin", "create_order", body)).order.id
    zone, service = (
        {"code": "all", "up_to_m": 10**6, "base": 500},
        {"code": "standard", "name": "Standard", "percent": 100},
    )
    await app.answer("admin", "set_rate_card", {"rate_card": {"zones": [zone], "services": [service]}})
    again = await app.answer("admin", "create_order", body)
    assert (again.existing, again.order.id) == (True, order_id)
    gone = {"orders": [{**body, "order_ref": "1002"}, body, {**body, "order_ref": "1002", "service": "standard"}]}
    many = await app.answer("admin", "bulk_create_orders", gone)
    assert [outcome.state for outcome in many.outcomes] == ["refused", "existing", "created"]


async def test_setting_a_window_by_reference_reports_ambiguous_customers(app: App) -> None:
    body: dict[str, Any] = {"consignee": make_contact(), "order_ref": "1001"}
    for who in ("customer", "customer2"):
        await app.answer(who, "create_order", body)
    window = {"window_start": "2026-06-11T09:00:00Z", "window_end": "2026-06-11T11:00:00Z"}
    asked = {"order_refs": ["1001", "none"], **window}
    answer = await app.answer("admin", "update_time_window_by_refs", asked)
    assert [outcome.code for outcome in answer.outcomes] == ["ORDER_REF_AMBIGUOUS", "NOT_FOUND"]
    assert answer.outcomes[1].message == "There is no reference none."
    answer = await app.answer("admin", "update_time_window_by_refs", {**asked, "customer_id": app.ids["customer2"]})
    assert [outcome.changed for outcome in answer.outcomes] == [True, False]


async def test_a_customer_cannot_order_for_another_customer(app: App) -> None:
    asked = {"consignee": make_contact(), "customer_id": app.ids["customer2"]}
    outcome = await app.call("customer", "create_order", asked)
    assert outcome.error
    assert [(error["field"], error["code"]) for error in outcome.error["errors"]] == [
        ("customer_id", "CUSTOMER_NOT_YOURS")
    ]
    assert (await app.call("customer", "create_order", {**asked, "customer_id": app.ids["customer"]})).status == 200


async def test_a_rerouted_order_keeps_its_signature_requirement_and_price(app: App) -> None:
    old = await make_order(app, signature_required=True, cod_minor=500, service="express", order_ref="S-1")
    before = (await order_row(app, old)).price
    answer = await app.answer("admin", "reroute_to_address", {"order_id": old, "address": make_contact(name="Bo")})
    assert (await order_row(app, answer.order.id)).price == before


@for_every("status", set(OrderStatus) - {OrderStatus.NEW_ORDER, OrderStatus.HOLD, OrderStatus.PLANNED})
async def test_a_picked_up_order_cannot_be_rerouted(app: App, status: OrderStatus) -> None:
    order_id = await make_order(app, order_ref="KEPT")
    await set_order(app, order_id, status=status.value)
    outcome = await app.call("admin", "reroute_to_address", {"order_id": order_id, "address": make_contact()})
    assert status_and_code(outcome) == (409, "ORDER_STEP_REFUSED")
    assert (await order_row(app, order_id)).order_ref == "KEPT"


async def test_rerouting_outside_the_service_area_changes_nothing(app: App) -> None:
    order_id = await make_order(app, type="P2P", order_ref="NEAR")
    values = {"order_id": order_id, "address": make_contact(lat=-33.9, lng=151.2)}
    assert status_and_code(await app.call("admin", "reroute_to_address", values)) == (422, "RATE_NOT_AVAILABLE")
    row = await order_row(app, order_id)
    assert (row.status, row.order_ref) == (OrderStatus.NEW_ORDER, "NEAR")
