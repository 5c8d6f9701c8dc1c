"""Shipping orders: estimated, ordered, paid, confirmed, followed and cancelled."""

from typing import Any

from tests.contexts.billing.ledger.makers import credit, some_credit
from tests.contexts.billing.services.examples import TERMS
from tests.contexts.billing.services.makers import faults_of, make_service
from tests.contexts.shipping.shipping_orders.makers import HOME, ORDER, PRICE, TWO, make_order, shown
from tests.support.app import App

QUOTED = {"service_code": "same-day", "consignee": {"country": "CA", "postal_code": "M5H 2N2"}, "packages": TWO}


async def refusal(app: App, who: str, operation: str, values: dict[str, Any]) -> tuple[int, str]:
    outcome = await app.call(who, operation, values)
    assert outcome.error, outcome
    return outcome.status, outcome.error["code"]


async def test_customers_see_services_and_their_form_fields(app: App) -> None:
    await make_service(app)
    await make_service(app, "pallet", "ltl", position=1)
    await make_service(app, "shelf", "storage")
    await make_service(app, "gone", enabled=False)
    listed = (await app.rest("customer", "GET", "/v1/customer/shipping-orders/services")).json()["services"]
    assert [(one["code"], one["kind"]) for one in listed] == [("same-day", "parcel"), ("pallet", "ltl")]
    config = (await app.rest("customer", "GET", "/v1/customer/shipping-orders/services/same-day")).json()
    assert config["form_schema"]["properties"]["floor"]["maximum"] == 40
    for code in ("shelf", "gone", "none"):
        assert (await app.rest("customer", "GET", f"/v1/customer/shipping-orders/services/{code}")).status_code == 404
    for who in ("admin", "driver", "contractor"):
        assert (await app.rest(who, "GET", "/v1/customer/shipping-orders/services")).status_code == 403


async def test_a_quote_stays_valid_after_a_tariff_change_and_can_be_used_once(app: App) -> None:
    made = await make_service(app)
    quote = await app.answer("customer", "estimate_shipping_order", {**QUOTED, "values": {"lift": True}})
    assert (quote.shipping_price, quote.currency, quote.price_details[0].name) == (PRICE, "CAD", "Base price")
    await app.answer("admin", "update_service", {"service_id": made.id, **TERMS, "pricing": {}, "enabled": False})
    other = {**ORDER, "quote_id": quote.quote_id, "packages": [{"weight_g": 9000}]}
    assert (await refusal(app, "customer", "create_shipping_order", other))[1] == "SHIPPING_ORDER_QUOTE_MISMATCH"
    taken = {**ORDER, "quote_id": quote.quote_id}
    assert (await refusal(app, "customer2", "create_shipping_order", taken))[0] == 404
    order = (await app.answer("customer", "create_shipping_order", {**taken, "order_ref": "A-1"})).shipping_order
    assert (order.shipping_price, order.amount_due_minor, order.state) == (PRICE, PRICE, "pending")
    again = await app.answer("customer", "create_shipping_order", {**taken, "order_ref": "A-1"})
    assert (again.existing, again.shipping_order.id) == (True, order.id)
    assert (await refusal(app, "customer", "create_shipping_order", taken))[1] == "SERVICE_QUOTE_TAKEN"


async def test_a_repeat_returns_the_order_and_a_different_one_with_its_reference_is_refused(app: App) -> None:
    order = await make_order(app, order_ref="A-1")
    again = await app.answer("customer", "create_shipping_order", {**ORDER, "order_ref": "A-1"})
    assert (again.existing, again.shipping_order.id) == (True, order.id)
    other = {**ORDER, "order_ref": "A-1", "note": "Two people."}
    faulty = await app.call("customer", "create_shipping_order", other)
    assert (faulty.error["code"], faulty.error["errors"][0]["field"]) == ("SHIPPING_ORDER_REF_TAKEN", "note")
    assert (await app.answer("customer2", "create_shipping_order", other)).existing is False


async def test_values_required_for_the_price_are_requested_by_field(app: App) -> None:
    await make_service(app, "far", pricing={"per_km_minor": 100, "per_cubic_metre_minor": 100}, form=[])
    asked = {"service_code": "far", "consignee": {"country": "CA"}, "packages": TWO}
    missing = {"consignee.lat": "MISSING", "shipper.lat": "MISSING", "packages.0.length_mm": "MISSING"}
    assert await faults_of(app, "customer", "estimate_shipping_order", asked) == missing
    sized = [{"length_mm": 1000, "width_mm": 1000, "height_mm": 500, "quantity": 2}]
    ends = {"consignee": {"lat": 43.0, "lng": -79.0}, "shipper": {"lat": 44.0, "lng": -79.0}}
    price = await app.answer("customer", "estimate_shipping_order", {**asked, **ends, "packages": sized})
    assert [(line.code, line.amount) for line in price.price_details] == [("volume", 100), ("distance", 11120)]


async def test_an_order_is_paid_in_full_or_not_at_all(app: App) -> None:
    order = await make_order(app)
    pay = {"shipping_order_id": order.id}
    await some_credit(app, PRICE - 1)
    assert (await refusal(app, "customer", "pay_shipping_order", pay))[1] == "CREDIT_INSUFFICIENT"
    assert (await credit(app), (await shown(app, order)).paid_amount) == ((PRICE - 1, 0, PRICE - 1), 0)
    paid = {"customer_id": app.ids["customer"], "amount_minor": 1, "reference": "T1"}
    await app.answer("admin", "top_up_credit", paid)
    after = (await app.answer("customer", "pay_shipping_order", pay)).shipping_order
    assert (after.paid_amount, after.amount_due_minor, after.can_be_paid) == (PRICE, 0, False)
    assert await credit(app) == (0, 0, 0)
    assert (await refusal(app, "customer", "pay_shipping_order", pay))[1] == "SHIPPING_ORDER_PAID"


async def test_cancelling_refunds_the_payment_and_cancels_the_delivery(app: App) -> None:
    await make_service(app, fulfilment=["local_delivery"])
    await some_credit(app, 5000)
    for confirmed in (False, True):
        order = await make_order(app)
        await app.answer("customer", "pay_shipping_order", {"shipping_order_id": order.id})
        if confirmed:
            await app.answer("admin", "confirm_shipping_order", {"shipping_order_id": order.id})
        after = (await app.answer("customer", "cancel_shipping_order", {"shipping_order_id": order.id})).shipping_order
        assert (after.state, after.paid_amount, after.can_be_paid, after.can_be_cancelled) == (
            "cancelled",
            0,
            False,
            False,
        )
        assert await credit(app) == (5000, 0, 5000)
    delivery = (await app.rest("customer", "GET", f"/v1/orders/{after.order_id}")).json()["order"]
    assert delivery["status"] == "CANCELLED"
    for name in ("cancel_shipping_order", "pay_shipping_order"):
        assert (await refusal(app, "customer", name, {"shipping_order_id": order.id}))[
            1
        ] == "SHIPPING_ORDER_STEP_REFUSED"


async def test_an_order_creates_a_delivery_without_a_price_and_follows_it(app: App) -> None:
    await make_service(app, fulfilment=["local_delivery"])
    order = await make_order(app)
    confirmed = (await app.answer("admin", "confirm_shipping_order", {"shipping_order_id": order.id})).shipping_order
    assert (confirmed.state, confirmed.label_fault) == ("confirmed", None)
    mine = await shown(app, order)
    delivery = (await app.rest("customer", "GET", f"/v1/orders/{mine.order_id}")).json()["order"]
    assert (delivery["tracking_number"], delivery["package_count"]) == (mine.tracking_number, 2)
    assert "shipping_price" not in delivery or delivery["shipping_price"] is None
    assert (
        await app.answer("admin", "confirm_shipping_order", {"shipping_order_id": order.id})
    ).shipping_order.order_id
    moved = {"shipping_order_id": order.id, "state": "in_progress"}
    await app.answer("admin", "move_shipping_order", moved)
    refused = await refusal(app, "customer", "cancel_shipping_order", {"shipping_order_id": order.id})
    assert refused == (409, "SHIPPING_ORDER_STEP_REFUSED")
    await app.answer("admin", "move_shipping_order", {**moved, "state": "completed"})
    assert (await shown(app, order)).completed_at is not None


async def test_customers_see_only_their_own_orders_and_the_office_sees_all(app: App) -> None:
    first, second = await make_order(app), await make_order(app, "customer2", order_ref="B-1")
    for who, ids in (("customer", [first.id]), ("customer2", [second.id])):
        listed = await app.answer(who, "list_shipping_orders", {"state": "pending"})
        assert ([one.id for one in listed.shipping_orders], listed.total) == (ids, 1)
    for operation in ("get_shipping_order", "pay_shipping_order", "cancel_shipping_order"):
        assert (await refusal(app, "customer", operation, {"shipping_order_id": second.id}))[0] == 404
        assert (await refusal(app, "admin", operation, {"shipping_order_id": second.id}))[0] == 403
    assert (await refusal(app, "rival", "get_customers_shipping_order", {"shipping_order_id": second.id}))[0] == 404
    for filters, ids in (
        ({}, [second.id, first.id]),
        ({"customer_id": app.ids["customer"]}, [first.id]),
        ({"paid": True}, []),
        ({"order_ref": "B-1"}, [second.id]),
        ({"kind": "ltl"}, []),
        ({"created_from": "2100-01-01"}, []),
        ({"per_page": 1, "page": 2}, [first.id]),
    ):
        listed = await app.answer("admin", "list_customers_shipping_orders", filters)
        assert [one.id for one in listed.shipping_orders] == ids, filters


async def test_hidden_prices_are_omitted_and_settled_with_the_business(app: App) -> None:
    await make_service(app, "pallet", "ltl")
    await make_service(app)
    parcel = await make_order(app)
    pallet = await make_order(app, service_code="pallet")
    hidden = {"customer_id": app.ids["customer"], "hidden": ["ltl_service"]}
    await app.answer("admin", "set_price_visibility", hidden)
    prices = {"shipping_price", "price_details", "currency", "tax", "paid_amount", "amount_due_minor"}
    told = (await app.rest("customer", "GET", f"/v1/customer/shipping-orders/{pallet.id}")).json()["shipping_order"]
    assert (told["price_hidden"], told["can_be_paid"], prices & told.keys()) == (True, False, set())
    open_ = (await app.rest("customer", "GET", f"/v1/customer/shipping-orders/{parcel.id}")).json()["shipping_order"]
    assert ("price_hidden" in open_, prices - open_.keys()) == (False, set())
    estimate = {"service_code": "pallet", "values": {"lift": True}}
    path = "/v1/customer/shipping-orders/services/pallet/estimate-price"
    quote = (await app.rest("customer", "POST", path, {"values": {"lift": True}})).json()
    assert (quote["price_hidden"], prices & quote.keys()) == (True, set())
    ordered = {**ORDER, **estimate, "consignee": HOME}
    assert (await app.answer("customer", "create_shipping_order", ordered)).shipping_order.price_hidden is True
    refused = await refusal(app, "customer", "pay_shipping_order", {"shipping_order_id": pallet.id})
    assert refused == (403, "PRICE_HIDDEN_SETTLE_OFFLINE")


async def test_a_list_uses_a_constant_number_of_statements(app: App) -> None:
    counts = []
    for _ in range(2):
        for _ in range(3):
            await make_order(app)
        before = app.statements
        await app.answer("customer", "list_shipping_orders")
        counts.append(app.statements - before)
    assert counts[0] == counts[1]
