"""Unified orders for local delivery and every carrier."""

from base64 import b64decode
from contextlib import AsyncExitStack

from tests.contexts.shipping.makers import (
    ADA,
    SENDER,
    SHIPMENT,
    codes_of,
    make_parcelo_account,
    make_platform_account,
)
from tests.support.app import App
from tests.support.transport import make_order

from haulier.app import begin_to_remember
from haulier.contexts.billing.public import top_up
from haulier.contexts.shipping.ports import CarrierMessage, CarrierRefused, OutcomeUnknown
from haulier.kernel.call import call_as_system
from haulier.kernel.values.money import Money

FORM = {**SHIPMENT, "shipper": SENDER}


async def rate(app: App, who: str = "admin", **changes):
    return await app.answer(who, "uniorder_rate", {**FORM, "quote_labels": True, **changes})


async def rate_of(app: App, kind: str, who: str = "admin") -> str:
    rated = await rate(app, who)
    return next(each.rate_id for each in rated.rates if each.kind == kind)


async def create(app: App, who: str = "admin", **values):
    return await app.answer(who, "uniorder_create", values)


async def seen(app: App, order_id: int, who: str = "admin"):
    return (await app.answer(who, "uniorder_get", {"orderId": order_id})).order


async def give(app: App, who: str, minor: int) -> None:
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        await top_up(call, app.ids[who], Money(minor, "CAD"), key=f"test:{who}:{minor}")


async def balance(app: App, who: str) -> int:
    return (await app.answer(who, "get_account_credits")).credits[0].available_minor


async def test_local_delivery_is_always_quoted_and_labels_on_request(app: App) -> None:
    await make_platform_account(app)
    alone = await app.answer("admin", "uniorder_rate", FORM)
    assert {each.kind for each in alone.rates} == {"local"}
    both = await rate(app)
    assert {(each.kind, each.carrier) for each in both.rates} == {("local", "LOCAL"), ("label", "HOUSE")}
    prices = [each.shipping_price for each in both.rates]
    assert prices == sorted(prices)
    assert len({each.rate_id for each in both.rates}) == len(both.rates)


async def test_unavailable_local_delivery_is_a_message_beside_the_labels(app: App) -> None:
    await make_platform_account(app)
    far = {**ADA, "lat": -33.9, "lng": 151.2}
    rated = await rate(app, consignee=far, shipper={**SENDER, "lat": 43.6, "lng": -79.4})
    assert {each.kind for each in rated.rates} == {"label"}
    assert [(each.carrier, each.code) for each in rated.messages] == [
        ("LOCAL", "RATE_NOT_AVAILABLE"),
        (None, "COORDINATES_FAR_FROM_COUNTRY"),
    ]


async def test_a_local_rate_creates_a_local_order_at_its_price(app: App) -> None:
    rated = await app.answer("admin", "uniorder_rate", FORM)
    chosen = rated.rates[0]
    made = await create(app, rate_id=chosen.rate_id, order_ref="U-1")
    assert (made.existing, made.order.kind, made.order.status) == (False, "local", "CREATED")
    assert (made.order.shipping_price, made.order.service) == (chosen.shipping_price, chosen.service)
    local = (await app.answer("admin", "get_order_detail", {"order_id": made.order.local_order_id})).order
    assert (local.order_ref, local.tracking_number) == ("U-1", made.order.tracking_number)
    assert local.shipping_price == chosen.shipping_price


async def test_a_local_rate_stays_valid_after_a_rate_card_change_until_it_expires(app: App) -> None:
    rated = await app.answer("admin", "uniorder_rate", FORM)
    app.clock.forward(minutes=1)
    dear = {
        "zones": [{"code": "x", "up_to_m": 900_000, "base": 99_999}],
        "services": [{"code": "new", "name": "New", "percent": 100}],
    }
    await app.answer("admin", "set_rate_card", {"rate_card": dear})
    app.clock.forward(hours=23)
    made = await create(app, rate_id=rated.rates[0].rate_id)
    assert made.order.shipping_price == rated.rates[0].shipping_price
    app.clock.forward(hours=2)
    late = await app.call("admin", "uniorder_create", {"rate_id": rated.rates[1].rate_id})
    assert late.error
    assert late.error["code"] == "SHIPPING_RATE_EXPIRED"


async def test_a_label_rate_buys_the_label_at_its_price(app: App) -> None:
    await make_platform_account(app)
    rated = await rate(app)
    chosen = next(each for each in rated.rates if each.kind == "label")
    made = await create(app, rate_id=chosen.rate_id, order_ref="U-2", label_format="zpl")
    assert (made.order.kind, made.order.status, made.order.carrier) == ("label", "CREATED", "HOUSE")
    assert made.order.shipping_price == chosen.shipping_price
    shipment = (
        await app.answer("admin", "get_shipping_detail", {"shipment_id": made.order.shipment_id}, confirmed=True)
    ).shipment
    assert (shipment.state, shipment.order_ref) == ("purchased", "U-2")


async def test_a_fulfilment_method_can_be_named_instead_of_a_rate(app: App) -> None:
    account = await make_platform_account(app)
    local = await create(app, order=FORM, service="express")
    label = await create(app, order=FORM, kind="label", service="ground", account_id=account)
    assert [each.order.service for each in (local, label)] == ["express", "ground"]
    refusals = {
        "SERVICE_UNKNOWN": {"order": FORM, "service": "Tele Port!"},
        "SHIPPING_RATE_NOT_AVAILABLE": {"order": FORM, "kind": "label", "service": "teleport"},
        "INVALID_REQUEST": {"order": FORM, "rate_id": "u1-l0"},
        "NOT_FOUND": {"rate_id": "u999-l0"},
    }
    for code, values in refusals.items():
        refused = await app.call("admin", "uniorder_create", values)
        assert refused.error
        assert refused.error["code"] == code, values


async def test_a_repeat_orders_nothing_twice(app: App) -> None:
    await make_platform_account(app)
    for kind in ("local", "label"):
        first = await create(app, rate_id=await rate_of(app, kind), order_ref=f"R-{kind}")
        again = await create(app, rate_id=await rate_of(app, kind), order_ref=f"R-{kind}")
        assert (again.existing, again.order.id) == (True, first.order.id)
        rated = await rate_of(app, kind)
        one, other = await create(app, rate_id=rated), await create(app, rate_id=rated)
        assert (other.existing, other.order.id) == (True, one.order.id)
    assert (await app.answer("admin", "get_orders")).total == 2
    assert (await app.answer("admin", "list_shipments")).total == 2
    elsewhere = {**FORM, "consignee": {**ADA, "name": "Bob"}}
    by_label = {"kind": "label", "service": "ground"}
    for ref, words, fields in (
        ("R-local", {}, ["order.consignee.name"]),
        ("R-label", by_label, ["order.consignee.name"]),
        ("R-local", by_label, ["kind"]),
    ):
        asked = {"order": elsewhere, "order_ref": ref, **words}
        refused = await app.call("admin", "uniorder_create", asked)
        assert refused.error
        named = [fault["field"] for fault in refused.error["errors"]]
        assert (refused.error["code"], named) == ("ORDER_REF_TAKEN", fields)


async def test_an_order_with_a_refused_label_is_kept_and_the_label_bought_later(app: App) -> None:
    carrier = await make_parcelo_account(app)
    carrier.before_buying = [CarrierRefused((CarrierMessage("No such street.", "BAD_ADDRESS"),))]
    made = (await create(app, rate_id=await rate_of(app, "label"), order_ref="F-1")).order
    assert (made.status, made.tracking_number, made.can_purchase_label) == ("LABEL_PURCHASE_FAILED", None, True)
    assert [each.code for each in made.messages] == ["BAD_ADDRESS"]
    refused = await app.call("admin", "uniorder_label", {"orderId": made.id})
    assert refused.error
    assert refused.error["code"] == "LABEL_NOT_BOUGHT"
    listed = await app.answer("admin", "list_uniorders", {"status": "LABEL_PURCHASE_FAILED"})
    assert [each.id for each in listed.orders] == [made.id]
    bought = (await app.answer("admin", "uniorder_purchase_label", {"orderId": made.id}, confirmed=True)).order
    assert (bought.status, bought.can_purchase_label, carrier.bought_times) == ("CREATED", False, 1)
    assert (await app.answer("admin", "list_uniorders", {"status": "CREATED"})).orders[0].id == made.id
    twice = await app.call("admin", "uniorder_purchase_label", {"orderId": made.id}, confirmed=True)
    assert twice.error
    assert twice.error["code"] == "SHIPMENT_STEP_REFUSED"


async def test_a_later_label_can_use_only_a_rate_of_the_same_request(app: App) -> None:
    carrier = await make_parcelo_account(app)
    carrier.before_buying = [CarrierRefused((CarrierMessage("Not today."),))]
    made = (await create(app, rate_id=await rate_of(app, "label"))).order
    elsewhere = await rate(app, consignee={**ADA, "name": "Bob"})
    by_kind = {each.kind: each.rate_id for each in elsewhere.rates}
    for kind, code in (("label", "QUOTE_MISMATCH"), ("local", "INVALID_REQUEST")):
        values = {"orderId": made.id, "rate_id": by_kind[kind]}
        refused = await app.call("admin", "uniorder_purchase_label", values, confirmed=True)
        assert refused.error
        assert refused.error["code"] == code
    carrier.price = Money(700, "CAD")
    values = {"orderId": made.id, "rate_id": await rate_of(app, "label")}
    bought = (await app.answer("admin", "uniorder_purchase_label", values, confirmed=True)).order
    assert (bought.status, bought.shipping_price) == ("CREATED", 700)


async def test_a_lost_response_is_recovered_by_the_job_and_the_order_follows(app: App) -> None:
    carrier = await make_parcelo_account(app)
    carrier.after_buying = [OutcomeUnknown("cut off")]
    made = (await create(app, rate_id=await rate_of(app, "label"))).order
    assert made.status == "LABEL_PURCHASE_PENDING"
    app.clock.forward(minutes=5)
    await app.work_off()
    assert ((await seen(app, made.id)).status, carrier.bought_times) == ("CREATED", 1)
    assert (await app.answer("admin", "list_uniorders", {"status": "CREATED"})).total == 1


async def test_cancelling_reaches_the_carrier_or_driver(app: App) -> None:
    await make_platform_account(app)
    for kind in ("local", "label"):
        made = (await create(app, rate_id=await rate_of(app, kind), order_ref=f"C-{kind}")).order
        app.clock.forward(minutes=1)
        cancelled = (await app.answer("admin", "uniorder_cancel", {"orderId": made.id}, confirmed=True)).order
        assert (cancelled.status, cancelled.can_be_cancelled) == ("CANCELLED", False)
        again = (await app.answer("admin", "uniorder_cancel", {"orderId": made.id}, confirmed=True)).order
        assert again.status == "CANCELLED"
        assert (await codes_of(app, made.tracking_number or ""))[-1] == "cancelled"
    assert (await app.answer("admin", "list_uniorders", {"status": "CANCELLED"})).total == 2
    anew = await create(app, rate_id=await rate_of(app, "label"), order_ref="C-label")
    assert (anew.existing, anew.order.status) == (False, "CREATED")


async def test_every_step_is_available_over_rest(app: App) -> None:
    await make_platform_account(app)
    confirmed = {"X-Confirm": "true"}
    rates = (await app.rest("admin", "POST", "/v1/uniorder/rate", {**FORM, "quote_labels": True})).json()["rates"]
    by_label = {"rate_id": next(each["rate_id"] for each in rates if each["kind"] == "label")}
    order = (await app.rest("admin", "POST", "/v1/uniorder", by_label)).json()["order"]["id"]
    for path in ("", "/label", "/tracking"):
        assert (await app.rest("admin", "GET", f"/v1/uniorder/{order}{path}")).status_code == 200
    bought = await app.rest("admin", "POST", f"/v1/uniorder/{order}/purchase-label", {}, headers=confirmed)
    assert bought.json()["code"] == "SHIPMENT_STEP_REFUSED"
    reason = {"reason": "The customer called."}
    cancelled = await app.rest("admin", "POST", f"/v1/uniorder/{order}/cancel", reason, headers=confirmed)
    assert cancelled.json()["order"]["status"] == "CANCELLED"
    assert [each["id"] for each in (await app.rest("admin", "GET", "/v1/uniorder")).json()["orders"]] == [order]
    job = (await app.rest("admin", "POST", "/v1/uniorder/rate/batch-async", {"shipments": [FORM]})).json()["job_id"]
    assert (await app.rest("admin", "POST", f"/v1/uniorder/jobs/{job}/cancel", {})).status_code == 200
    assert (await app.rest("admin", "GET", f"/v1/uniorder/jobs/{job}")).json()["state"] == "cancelled"


async def test_a_customer_pays_for_a_label_and_is_refunded(app: App) -> None:
    await make_platform_account(app)
    rated = await rate_of(app, "label", "customer")
    poor = await app.call("customer", "uniorder_create", {"rate_id": rated})
    assert poor.error
    assert poor.error["code"] == "CREDIT_INSUFFICIENT"
    await give(app, "customer", 5000)
    made = (await create(app, "customer", rate_id=rated)).order
    assert await balance(app, "customer") == 5000 - (made.shipping_price or 0)
    await app.answer("customer", "uniorder_cancel", {"orderId": made.id}, confirmed=True)
    assert await balance(app, "customer") == 5000


async def test_an_order_follows_its_parcels(app: App) -> None:
    made = (await create(app, order=FORM)).order
    for step in ("hold_order", "release_order"):
        await app.answer("admin", step, {"order_id": made.local_order_id}, confirmed=True)
    assert (await seen(app, made.id)).carrier_status == "NEW_ORDER"
    await app.answer("admin", "cancel_order", {"order_id": made.local_order_id}, confirmed=True)
    assert [each.id for each in (await app.answer("admin", "list_uniorders", {"status": "CANCELLED"})).orders] == [
        made.id
    ]


async def test_a_step_queries_no_unified_orders_of_a_business_without_any(app: App) -> None:
    async def cost(order_id: int) -> int:
        before = app.statements
        for step in ("hold_order", "release_order"):
            await app.answer("admin", step, {"order_id": order_id})
        return app.statements - before

    async with AsyncExitStack() as stack:
        await begin_to_remember(app.application, stack)
        order_id = await make_order(app)
        await cost(order_id)
        without = await cost(order_id)
        made = (await create(app, order=FORM)).order
        await cost(order_id)
        assert await cost(order_id) == without + 2
        await app.answer("admin", "cancel_order", {"order_id": made.local_order_id}, confirmed=True)
        assert (await app.answer("admin", "list_uniorders", {"status": "CANCELLED"})).total == 1


async def test_labels_are_printed_for_any_carrier(app: App) -> None:
    await make_platform_account(app)
    two = {**FORM, "packages": [{"weight_g": 900, "quantity": 2}]}
    local = (await create(app, order=two)).order
    for form, mark in (("pdf", b"%PDF"), ("png", b"\x89PNG"), ("zpl", b"^XA")):
        printed = await app.answer("admin", "uniorder_label", {"orderId": local.id, "format": form})
        assert [b64decode(each.document)[: len(mark)] for each in printed.labels] == [mark, mark]
        assert [each.tracking_number for each in printed.labels] == local.tracking_numbers
    answer = await app.rest("admin", "GET", f"/v1/uniorder/{local.id}/label", headers={"Accept": "application/pdf"})
    assert (answer.headers["content-type"], answer.content[:4]) == ("application/pdf", b"%PDF")
    label = (await create(app, rate_id=await rate_of(app, "label"), label_format="zpl")).order
    printed = await app.answer("admin", "uniorder_label", {"orderId": label.id})
    assert (label.tracking_number or "").encode() in b64decode(printed.document)
    missing = await app.call("admin", "uniorder_label", {"orderId": local.id, "parcel": 3})
    assert missing.status == 404


async def test_tracking_returns_the_public_timeline(app: App) -> None:
    await make_platform_account(app)
    for kind, first in (("local", "information_submitted"), ("label", "label_created")):
        made = (await create(app, "admin", rate_id=await rate_of(app, kind), customer_id=None)).order
        tracked = await app.answer("admin", "uniorder_tracking", {"orderId": made.id})
        (parcel,) = tracked.trackings
        assert parcel.tracking_number == made.tracking_number
        assert [event.status_code for event in parcel.timeline.events] == [first]
        assert await codes_of(app, parcel.tracking_number) == [first]


async def test_customers_see_only_their_own_orders(app: App) -> None:
    own = (await create(app, "customer", order=FORM)).order
    others = [(await create(app, who, order=FORM)).order.id for who in ("admin", "customer2")]
    assert [each.id for each in (await app.answer("customer", "list_uniorders")).orders] == [own.id]
    assert (await app.answer("customer", "uniorder_tracking", {"orderId": own.id})).trackings
    for who, ids in (("customer", others), ("rival", [own.id])):
        for operation in ("uniorder_get", "uniorder_label", "uniorder_tracking", "uniorder_cancel"):
            for id in ids:
                assert (await app.call(who, operation, {"orderId": id}, confirmed=True)).status == 404
    foreign = await rate_of(app, "local", "customer2")
    assert (await app.call("customer", "uniorder_create", {"rate_id": foreign})).status == 404


async def test_hiding_one_family_of_prices_does_not_hide_the_other(app: App) -> None:
    await make_platform_account(app)
    await give(app, "customer", 9000)
    for hidden, kind in (("local_delivery", "local"), ("label_service", "label")):
        chosen = {"customer_id": app.ids["customer"], "hidden": [hidden]}
        await app.answer("admin", "set_price_visibility", chosen)
        rates = (await app.rest("customer", "POST", "/v1/uniorder/rate", {**FORM, "quote_labels": True})).json()[
            "rates"
        ]
        assert {(each["kind"], each.get("price_hidden", False), "shipping_price" in each) for each in rates} == {
            (each, each == kind, each != kind) for each in ("local", "label")
        }
        last = [each for each in rates if each["kind"] == kind]
        assert rates[-len(last) :] == last
        assert [each["service_name"] for each in last] == sorted(each["service_name"] for each in last)
        for each in ("local", "label"):
            rate_id = next(one["rate_id"] for one in rates if one["kind"] == each)
            made = (await app.rest("customer", "POST", "/v1/uniorder", {"rate_id": rate_id})).json()["order"]
            names = {"shipping_price", "currency", "price_details"} & made.keys()
            assert (made.get("price_hidden", False), bool(names)) == (each == kind, each != kind)


async def test_a_list_uses_a_constant_number_of_statements(app: App) -> None:
    await make_platform_account(app)

    async def statements() -> int:
        before = app.statements
        await app.answer("admin", "list_uniorders")
        return app.statements - before

    for kind in ("local", "label"):
        await create(app, rate_id=await rate_of(app, kind))
    few = await statements()
    for n in range(3):
        for kind in ("local", "label"):
            await create(app, rate_id=await rate_of(app, kind), order_ref=f"{kind}-{n}")
    assert await statements() == few


async def test_a_dry_run_leaves_no_trace(app: App) -> None:
    carrier = await make_parcelo_account(app)
    values = {"order": FORM, "kind": "label", "service": "next_day"}
    rehearsed = await app.answer("admin", "uniorder_create", values, dry_run=True)
    assert rehearsed.order.status == "LABEL_PURCHASE_PENDING"
    assert (await app.answer("admin", "list_uniorders")).total == 0
    assert carrier.bought_times == 0
