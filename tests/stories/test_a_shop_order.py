"""A shop order with two SKUs: reserved, picked, labelled, delivered."""

from typing import Any

from tests.contexts.billing.ledger.makers import credit, faults
from tests.contexts.shipping.makers import make_parcelo_account
from tests.contexts.shipping.order_shipments.makers import fulfilments_of, scan
from tests.contexts.warehouse.makers import inventory, make_product, make_warehouse, receive, some_locations
from tests.support.app import App
from tests.support.transport import make_contact, make_started_route

ITEMS: list[dict[str, Any]] = [
    {"sku": "MUG", "quantity": 2, "unit_price_minor": 1250},
    {"sku": "PLATE", "quantity": 1, "unit_price_minor": 2100},
]


async def make_stocked_warehouse(app: App) -> tuple[int, int]:
    """A warehouse with both products; its id and that of its packing table."""
    warehouse = await make_warehouse(app)
    (shelf,) = await some_locations(app, warehouse, "A-01")
    (table,) = await some_locations(app, warehouse, "PACK", kind="packing")
    for sku, weight in (("MUG", 350), ("PLATE", 600)):
        await make_product(app, sku, weight_g=weight)
        await receive(app, shelf, 5, sku)
    return warehouse, table


async def test_a_shop_order_is_reserved_picked_labelled_and_delivered(app: App) -> None:
    warehouse, table = await make_stocked_warehouse(app)
    await app.answer("admin", "set_order_stock_policy", {"reserve": "at_creation"})
    shop = {"consignee": make_contact(), "order_ref": "SHOP-1", "items": ITEMS, "show_items_to_recipient": True}
    created = await app.rest("customer", "POST", "/v1/client/orderCreate", shop)
    order = created.json()["order"]
    assert order["weight_g"] == 1300
    await app.work_off()
    assert await inventory(app) == {"MUG": (5, 2, 3), "PLATE": (5, 1, 4)}

    reference = order["tracking_number"]
    asked = {"warehouse_id": warehouse, "references": [reference], "staging_location_id": table}
    wave = await app.answer("employee", "create_pick_wave", asked)
    picked = [{"task_id": task.id, "quantity": task.quantity} for task in wave.tasks]
    await app.answer("employee", "confirm_picks", {"wave_id": wave.wave.id, "lines": picked})
    (label,) = (await app.answer("employee", "print_local_label", {"order_id": order["id"]})).labels
    assert reference in label
    await app.answer("employee", "ship_stock", {"warehouse_id": warehouse, "reference": reference})
    assert await inventory(app) == {"MUG": (3, 0, 3), "PLATE": (4, 0, 4)}
    stock = await app.answer("admin", "get_order_stock", {"order_id": order["id"]})
    assert [(line.sku, line.shipped, line.short) for line in stock.lines] == [("MUG", 2, 0), ("PLATE", 1, 0)]

    opened = await app.answer(None, "open_delivery", {"number": reference, "proof": "M5V 2T6"})
    assert [(line.quantity, line.description) for line in opened.delivery.contents] == [(2, "MUG"), (1, "PLATE")]
    route = await make_started_route(app, [order["id"]])
    app.clock.forward(minutes=5)
    done = {"route_id": route.id, "stop_id": route.stops[-1].id, "recipient": "Ada"}
    await app.answer("driver", "deliver_stop", done)
    delivered = (await app.answer("customer", "get_order_detail", {"order_id": order["id"]})).order
    assert (delivered.status, delivered.goods_value_minor) == ("DELIVERED", 4600)


async def test_a_shop_order_is_reserved_shipped_by_the_cheapest_carrier_delivered_and_charged(app: App) -> None:
    await make_stocked_warehouse(app)
    await app.answer("admin", "set_order_stock_policy", {"reserve": "at_creation"})
    deposit = {"customer_id": app.ids["customer"], "amount_minor": 5000, "reference": "D-1", "reason": "Deposit"}
    await app.answer("admin", "adjust_credit", deposit, confirmed=True)
    carrier = await make_parcelo_account(app)
    shop = {"consignee": make_contact(), "order_ref": "SHOP-2", "items": ITEMS}
    order_id = (await app.rest("customer", "POST", "/v1/client/orderCreate", shop)).json()["order"]["id"]
    await app.work_off()
    assert await inventory(app) == {"MUG": (5, 2, 3), "PLATE": (5, 1, 4)}

    before = (await credit(app))[0]
    rated = await app.answer("employee", "rate_order", {"order_id": order_id})
    assert {rate.method for rate in rated.rates} == {"own_fleet", "carrier"}
    shipped = await app.answer("employee", "ship_order", {"order_id": order_id})
    assert (shipped.choice, shipped.shipment.carrier) == ("cheapest", "PARCELO")

    await scan(app, carrier, "picked_up", "out_for_delivery", "delivered")
    delivered = (await app.answer("customer", "get_order_detail", {"order_id": order_id})).order
    assert delivered.status == "DELIVERED"
    (carried,) = await fulfilments_of(app, order_id, "customer")
    assert (carried.status, carried.tracking_numbers) == ("delivered", [shipped.shipment.tracking_number])
    assert (await credit(app))[0] == before - carrier.price.minor
    assert await faults(app) == []
