"""Ship-outs: stored packages are reserved once, priced, paid and delivered."""

import asyncio
from collections import Counter
from typing import Any

from tests.contexts.billing.ledger.makers import credit, faults, make_call, some_credit
from tests.contexts.billing.services.makers import make_service
from tests.contexts.storage.examples import HOME, PRICING
from tests.contexts.storage.makers import make_order, make_shelf, make_tariff, refusal, stored
from tests.support.app import App

from haulier.contexts.orders.events import OrderStatusChanged


async def goods(app: App, count: int = 3, who: str = "customer") -> list[int]:
    """Packages of a customer in stock, and a service that sends them; the ids."""
    await make_tariff(app)
    await make_service(app, "send", "shipout", form=[], pricing=PRICING)
    return await stored(app, (await make_order(app, who)).id, await make_shelf(app), count)


def sent(*parcels: list[int], **more: Any) -> dict[str, Any]:
    return {
        "service_code": "send",
        "parcels": [{"package_ids": ids} for ids in parcels],
        "consignee": HOME,
        **more,
    }


async def make_shipout(app: App, *parcels: list[int], who: str = "customer", **more: Any) -> Any:
    return (await app.answer(who, "create_shipout", sent(*parcels, **more))).shipout


async def states(app: App) -> dict[int, str]:
    listed = (await app.answer("admin", "list_customer_packages")).stored_packages
    return {each.id: each.state for each in listed}


async def test_of_concurrent_requests_for_a_package_one_succeeds(app: App) -> None:
    one, two, three = await goods(app)
    asked = [[one, two], [two, three], [three, one], [one], [two], [three]]
    answers = await asyncio.gather(*(app.call("customer", "create_shipout", sent(ids)) for ids in asked))
    assert {answer.status for answer in answers} <= {200, 409}
    assert {answer.error["code"] for answer in answers if answer.error} == {"PACKAGE_NOT_FREE"}
    taken = Counter(id for answer, ids in zip(answers, asked, strict=True) if answer.status == 200 for id in ids)
    assert taken
    assert max(taken.values()) == 1
    assert await states(app) == {id: "promised" if taken[id] else "stored" for id in (one, two, three)}


async def test_an_estimate_is_valid_once_for_its_packages(app: App) -> None:
    one, two, three = await goods(app)
    wanted = sent([one, two], [three])
    told = await app.answer(
        "customer", "estimate_shipout", {**wanted, "consignee": {"country": "CA", "postal_code": "M5V 2T6"}}
    )
    assert (told.shipping_price, told.tax, told.parcels, told.weight_g) == (1430, 130, 2, 36_000)
    for service in (await app.answer("admin", "list_services", {"kind": "shipout"})).services:
        dearer = {"service_id": service.id, "name": "Send", "pricing": {**PRICING, "base_minor": 9000}}
        await app.answer("admin", "update_service", dearer)
    other = {**sent([one], [three]), "quote_id": told.quote_id}
    assert await refusal(app, "customer", "create_shipout", other) == (409, "SHIPOUT_QUOTE_MISMATCH")
    made = await make_shipout(app, [one, two], [three], quote_id=told.quote_id)
    assert (made.shipping_price, made.balance_due_minor, made.can_be_paid) == (1430, 1430, True)
    await app.answer("customer", "cancel_shipout", {"shipout_id": made.id}, confirmed=True)
    again = {**wanted, "quote_id": told.quote_id}
    assert await refusal(app, "customer", "create_shipout", again) == (409, "SERVICE_QUOTE_TAKEN")
    assert (await make_shipout(app, [one, two], [three])).shipping_price == (9000 + 600) * 11 // 10


async def test_packages_packed_together_are_delivered_as_one_parcel(app: App) -> None:
    one, two, three = await goods(app)
    made = await make_shipout(app, [one, two], [three], note="Pack it well")
    assert [(each.package_ids, each.weight_g) for each in made.parcels] == [([one, two], 24_000), ([three], 12_000)]
    sure = (await app.answer("admin", "confirm_shipout", {"shipout_id": made.id})).shipout
    assert (sure.status, sure.fulfilment) == ("confirmed", "local_delivery")
    order = (await app.answer("customer", "get_order_detail", {"order_id": sure.order_id})).order
    assert [(each.weight_g, each.length_mm) for each in order.packages] == [(24_000, None), (12_000, 600)]
    assert (order.tracking_number, order.consignee.name) == (sure.tracking_number, "Ada")
    followed = await app.rest(None, "GET", f"/v1/otep/trackings/{sure.tracking_number}/events")
    assert followed.json()["events"]
    gone = (await app.answer("admin", "ship_shipout", {"shipout_id": made.id})).shipout
    assert (gone.status, {each.state for each in gone.stored_packages}) == ("shipped", {"shipped"})
    assert all(each.left_at for each in gone.stored_packages)
    assert await refusal(app, "customer", "cancel_shipout", {"shipout_id": made.id}) == (409, "SHIPOUT_STEP_REFUSED")
    assert await refusal(app, "customer", "create_shipout", sent([one])) == (409, "PACKAGE_NOT_FREE")


async def test_a_ship_out_can_use_a_label_bought_by_the_office(app: App) -> None:
    (one,) = await goods(app, 1)
    made = await make_shipout(app, [one])
    numbered = {"shipout_id": made.id, "fulfilment": "local_delivery", "tracking_number": "1Z999"}
    assert (await app.call("admin", "confirm_shipout", numbered)).status == 422
    label = {"shipout_id": made.id, "fulfilment": "label", "tracking_number": "1Z999"}
    sure = (await app.answer("admin", "confirm_shipout", label)).shipout
    assert (sure.tracking_number, sure.order_id) == ("1Z999", None)
    found = await app.answer("customer", "list_shipouts", {"tracking_number": "1Z999"})
    assert [each.id for each in found.shipouts] == [made.id]


async def test_a_cancelled_ship_out_releases_its_packages_refunds_its_price_and_ends_its_delivery(
    app: App,
) -> None:
    one, two, _ = await goods(app)
    await some_credit(app, 5000)
    pending, sure = await make_shipout(app, [one]), await make_shipout(app, [two])
    for made in (pending, sure):
        paying = [app.call("customer", "pay_shipout", {"shipout_id": made.id}, confirmed=True) for _ in range(3)]
        assert sorted(answer.status for answer in await asyncio.gather(*paying)) == [200, 409, 409]
    assert (await credit(app))[0] == 5000 - 2 * 1100
    order_id = (await app.answer("admin", "confirm_shipout", {"shipout_id": sure.id})).shipout.order_id
    for made in (pending, sure):
        calling_off = [
            app.call("customer", "cancel_shipout", {"shipout_id": made.id}, confirmed=True) for _ in range(3)
        ]
        assert sorted(answer.status for answer in await asyncio.gather(*calling_off)) == [200, 409, 409]
    assert (await credit(app))[0] == 5000
    assert (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order.status == "CANCELLED"
    assert set((await states(app)).values()) == {"stored"}
    assert await faults(app) == []


async def test_a_ship_out_is_visible_only_to_its_customer_and_the_office(app: App) -> None:
    one, two, _ = await goods(app)
    made = await make_shipout(app, [one], shipout_ref="OUT-1")
    assert (await app.answer("customer", "list_shipouts", {"shipout_ref": "OUT-1"})).total == 1
    assert (await app.answer("customer", "list_shipouts", {"status": "shipped"})).total == 0
    assert (await app.answer("customer2", "list_shipouts")).total == 0
    assert (await app.answer("rival", "list_customer_shipouts")).total == 0
    named = {"shipout_id": made.id}
    for who, operation in (
        ("customer2", "get_shipout"),
        ("customer2", "pay_shipout"),
        ("customer2", "cancel_shipout"),
        ("rival", "get_customer_shipout"),
        ("rival", "confirm_shipout"),
    ):
        assert await refusal(app, who, operation, named) == (404, "NOT_FOUND"), operation
    assert await refusal(app, "customer2", "create_shipout", sent([two])) == (404, "NOT_FOUND")


async def test_a_customer_without_prices_sees_none_and_does_not_pay_here(app: App) -> None:
    (one,) = await goods(app, 1)
    hidden = {"customer_id": app.ids["customer"], "hidden": ["storage_services"]}
    await app.answer("admin", "set_price_visibility", hidden)
    path = "/v1/customer/shipout-orders/services/send"
    wanted = {name: value for name, value in sent([one]).items() if name != "service_code"}
    told = (await app.rest("customer", "POST", f"{path}/estimate", wanted)).json()
    made = (await app.rest("customer", "POST", f"{path}/orders", wanted)).json()["shipout"]
    prices = {"shipping_price", "paid_amount", "balance_due_minor", "currency", "price_details", "tax"}
    assert (told.keys() | made.keys()) & prices == set()
    assert (told["price_hidden"], made["price_hidden"], made["can_be_paid"]) == (True, True, False)
    assert await refusal(app, "customer", "pay_shipout", {"shipout_id": made["id"]}) == (
        403,
        "PRICE_HIDDEN_SETTLE_OFFLINE",
    )


async def test_a_price_by_distance_requires_a_destination(app: App) -> None:
    (one,) = await goods(app, 1)
    await make_service(app, "far", "shipout", form=[], pricing={"per_km_minor": 100})
    answer = await app.call("customer", "estimate_shipout", {**sent([one]), "service_code": "far"})
    assert answer.error
    assert (answer.status, answer.error["errors"][0]["field"]) == (422, "consignee.lat")


async def test_statement_count_is_constant_for_ship_outs_and_packages(app: App) -> None:
    ids = await goods(app, 14)
    counted = []
    for parcels in ([ids[:1]], [ids[1:7], ids[7:13]]):
        before = app.statements
        made = await make_shipout(app, *parcels)
        created = app.statements
        await app.answer("customer", "list_shipouts")
        await app.answer("customer", "get_shipout", {"shipout_id": made.id})
        counted.append((created - before, app.statements - created))
    assert counted[0] == counted[1]


async def test_a_ship_out_follows_its_delivery_and_ignores_late_events(app: App) -> None:
    one, two = await goods(app, 2)
    first, second = await make_shipout(app, [one]), await make_shipout(app, [two])
    sure = [await app.answer("admin", "confirm_shipout", {"shipout_id": made.id}) for made in (first, second)]
    orders = [each.shipout.order_id for each in sure]
    for order_id, status in ((orders[0], "PICKED_UP"), (orders[1], "DELIVERED")):
        async with make_call(app) as call:
            await call.publish(OrderStatusChanged(order_id=order_id, status=status, step="-"))
    await app.work_off()
    listed = {each.id: each.status for each in (await app.answer("customer", "list_shipouts")).shipouts}
    assert listed == {first.id: "shipped", second.id: "delivered"}
    assert await states(app) == {one: "shipped", two: "shipped"}
    for status in ("DELIVERED", "OUT_FOR_DELIVERY"):
        async with make_call(app) as call:
            await call.publish(OrderStatusChanged(order_id=orders[0], status=status, step="-"))
    await app.work_off()
    shown = (await app.answer("customer", "get_shipout", {"shipout_id": first.id})).shipout
    assert shown.status == "delivered"
