"""Orders wait in the ship queue until they have a label."""

from datetime import timedelta
from typing import Any

from tests.contexts.shipping.makers import ADA, make_parcelo_account
from tests.contexts.shipping.order_shipments.makers import make_order_to_ship, refusal, ship, void
from tests.contexts.warehouse.makers import make_product, make_warehouse, receive, some_locations
from tests.support.app import App
from tests.support.transport import make_started_route

from haulier.contexts.shipping.ports import CarrierMessage, CarrierRefused


async def queue(app: App, **filters: Any) -> list[int]:
    answer = await app.answer("admin", "list_ship_queue", filters)
    assert answer.total == len(answer.orders)
    return [each.order_id for each in answer.orders]


async def make_shelved_orders(app: App) -> list[int]:
    """Three orders: the last one's goods are on the first shelf, the first has none."""
    await make_product(app, "MUG")
    await make_product(app, "CUP")
    warehouse = await make_warehouse(app, "MAIN")
    near, far = await some_locations(app, warehouse, "A-01", "B-01")
    await receive(app, near, 5, "CUP")
    await receive(app, far, 5, "MUG")
    orders = [await make_order_to_ship(app, order_ref="C")]
    for ref, sku in (("B", "MUG"), ("A", "CUP")):
        orders.append(await make_order_to_ship(app, order_ref=ref, items=[{"sku": sku, "quantity": 1}]))
        await app.answer("admin", "reserve_order_stock", {"order_id": orders[-1]})
    return orders


async def test_orders_wait_until_they_have_a_label(app: App) -> None:
    await make_parcelo_account(app)
    today = app.clock().date()
    late = await make_order_to_ship(app)
    soon = await make_order_to_ship(app, scheduled_date=(today + timedelta(days=3)).isoformat())
    routed = await make_order_to_ship(app)
    await make_started_route(app, [routed])
    pickup = await app.answer("admin", "create_order", {"type": "P", "shipper": ADA})
    assert pickup.order.id not in await queue(app)
    assert await queue(app) == [soon, late]
    assert await queue(app, due_by=today.isoformat()) == []
    assert await queue(app, due_by=(today + timedelta(days=3)).isoformat()) == [soon]
    assert (await queue(app, country="CA"), await queue(app, country="DE")) == ([soon, late], [])
    shipped = (await ship(app, soon)).shipment.id
    assert await queue(app) == [late]
    await void(app, shipped)
    assert await queue(app) == [soon, late]


async def test_an_unsold_label_is_reported_with_its_reason(app: App) -> None:
    carrier = await make_parcelo_account(app)
    order_id, other = await make_order_to_ship(app), await make_order_to_ship(app)
    carrier.before_buying.append(CarrierRefused([CarrierMessage("No such street", "E1")]))
    shipment = (await ship(app, order_id)).shipment
    assert shipment.state == "failed"
    (failed,) = (await app.answer("admin", "list_ship_queue", {"failed": True})).orders
    assert (failed.order_id, failed.shipment_id, failed.problem) == (order_id, shipment.id, "No such street")
    assert await queue(app) == [order_id, other]


async def test_a_delivery_date_is_refused_if_no_service_promises_it(app: App) -> None:
    await make_parcelo_account(app)
    today = app.clock().date()
    order_id = await make_order_to_ship(app)
    assert await refusal(app, order_id, deliver_by=today.isoformat()) == "SHIPPING_RATE_NOT_AVAILABLE"
    shipped = await ship(app, order_id, deliver_by=(today + timedelta(days=2)).isoformat())
    assert (shipped.choice, shipped.shipment.state) == ("cheapest_on_time", "purchased")


async def test_a_package_preset_sets_package_sizes(app: App) -> None:
    carrier = await make_parcelo_account(app)
    box = {"name": "Box", "length_mm": 400, "width_mm": 300, "height_mm": 200, "empty_weight_g": 150}
    preset = (await app.answer("admin", "create_package_preset", box)).package_preset.id
    order_id = await make_order_to_ship(app)
    asked = {"order_id": order_id, "package_preset_id": preset}
    rates = (await app.answer("admin", "rate_order", asked)).rates
    rate_id = next(rate.rate_id for rate in rates if rate.carrier == "PARCELO")
    assert await refusal(app, order_id, rate_id=rate_id) == "QUOTE_MISMATCH"
    assert await refusal(app, order_id, package_preset_id=99_999) == "INVALID_REQUEST"
    await ship(app, order_id, rate_id=rate_id, package_preset_id=preset)
    (parcel,) = carrier.shipments[-1].parcels
    assert (parcel.length_mm, parcel.width_mm, parcel.weight_g) == (400, 300, 1050)
    assert carrier.bought_times == 1


async def test_outcomes_are_sorted_by_shelf(app: App) -> None:
    await make_parcelo_account(app)
    orders = await make_shelved_orders(app)
    first, second, third = orders
    shelves = {each.order_id: each.shelf for each in (await app.answer("admin", "list_ship_queue", {})).orders}
    assert shelves == {first: None, second: "B-01", third: "A-01"}
    job = (await app.answer("admin", "ship_orders", {"order_ids": orders}, confirmed=True)).ship_job_id
    await app.work_off()
    for sort, expected in (
        ("queue", orders),
        ("shelf", [third, second, first]),
        ("reference", [third, second, first]),
    ):
        outcomes = (await app.answer("admin", "get_ship_job", {"ship_job_id": job, "sort": sort})).outcomes
        assert [each.order_id for each in outcomes] == expected
    assert [(each.order_ref, each.shelf, each.shipment_state, each.shipping_price) for each in outcomes] == [
        ("A", "A-01", "purchased", 1000),
        ("B", "B-01", "purchased", 1000),
        ("C", None, "purchased", 1000),
    ]


async def test_a_failed_purchase_in_a_job_has_its_reason(app: App) -> None:
    carrier = await make_parcelo_account(app)
    carrier.before_buying.append(CarrierRefused([CarrierMessage("No such street", "E1")]))
    asked = {"order_ids": [await make_order_to_ship(app)]}
    job = (await app.answer("admin", "ship_orders", asked, confirmed=True)).ship_job_id
    await app.work_off()
    (outcome,) = (await app.answer("admin", "get_ship_job", {"ship_job_id": job})).outcomes
    assert (outcome.state, outcome.shipment_state, outcome.message) == ("shipped", "failed", "No such street")
