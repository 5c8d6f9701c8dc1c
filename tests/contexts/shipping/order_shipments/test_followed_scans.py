"""Orders follow the scans of their carrier, and their customer pays the label."""

from typing import Any

import pytest
from msgspec import UNSET
from tests.contexts.billing.ledger.makers import credit, faults
from tests.contexts.shipping.makers import Parcelo, make_parcelo_account, shipment_now
from tests.contexts.shipping.order_shipments.makers import (
    fulfilments_of,
    make_order_to_ship,
    order_of,
    scan,
    ship,
)
from tests.support.app import App


async def make_shipped_order(app: App, **values: Any) -> tuple[Parcelo, int]:
    """An order that Parcelo delivers."""
    carrier = await make_parcelo_account(app)
    order_id = await make_order_to_ship(app, **values)
    await ship(app, order_id)
    return carrier, order_id


@pytest.mark.parametrize(
    ("codes", "status", "fulfilment"),
    [
        (["picked_up"], "PICKED_UP", "in_transit"),
        (["picked_up", "in_transit", "out_for_delivery"], "OUT_FOR_DELIVERY", "out_for_delivery"),
        (["picked_up", "delivered"], "DELIVERED", "delivered"),
        (["picked_up", "out_for_delivery", "delivery_failed"], "FAILED", "failed"),
        (["picked_up", "delivery_failed", "returned"], "RETURNED", "returned"),
    ],
)
async def test_the_order_takes_the_status_of_the_carriers_last_scan(
    app: App, codes: list[str], status: str, fulfilment: str
) -> None:
    carrier, order_id = await make_shipped_order(app)
    await scan(app, carrier, *codes)
    order = await order_of(app, order_id)
    assert (order.status, order.steps[-1].step, order.steps[-1].reason) == (status, "follow_carrier", "PARCELO")
    (carried,) = await fulfilments_of(app, order_id)
    assert (carried.status, carried.packages[0].tracking_status) == (fulfilment, codes[-1])
    assert carried.packages[0].place == "Ottawa, CA"


async def test_the_orders_own_number_shows_each_carrier_scan_once(app: App) -> None:
    carrier, order_id = await make_shipped_order(app)
    await scan(app, carrier, "picked_up")
    await scan(app, carrier, "in_transit", "delivered")
    number = (await order_of(app, order_id)).tracking_number
    answer = await app.rest(None, "GET", f"/v1/otep/trackings/{number}/events")
    codes = [event["status_code"] for event in answer.json()["events"]]
    assert [code for code in codes if code in ("picked_up", "in_transit", "delivered")] == [
        "picked_up",
        "in_transit",
        "delivered",
    ]


async def test_two_packages_in_one_parcel_are_delivered_with_it(app: App) -> None:
    carrier, order_id = await make_shipped_order(app, packages=[{"weight_g": 400}, {"weight_g": 500}])
    await scan(app, carrier, "delivered")
    assert (await order_of(app, order_id)).status == "DELIVERED"


async def test_the_customer_pays_for_the_label_and_not_for_local_delivery(app: App) -> None:
    carrier = await make_parcelo_account(app)
    customer = app.ids["customer"]
    grant = {"customer_id": customer, "amount_minor": 5000, "reason": "Deposit", "reference": "D-1"}
    await app.answer("admin", "adjust_credit", grant, confirmed=True)
    before = (await credit(app))[0]
    order_id = await make_order_to_ship(app, customer_id=customer)
    shipped = await ship(app, order_id)
    await scan(app, carrier, "picked_up", "delivered")
    assert (await order_of(app, order_id)).status == "DELIVERED"
    assert (await credit(app))[0] == before - 1000
    assert await faults(app) == []
    (seen,) = await fulfilments_of(app, order_id, "customer")
    assert (seen.shipping_price, seen.carrier_price_minor) == (1000, UNSET)
    hidden = {"customer_id": customer, "hidden": ["label_service"]}
    await app.answer("admin", "set_price_visibility", hidden)
    (seen,) = await fulfilments_of(app, order_id, "customer")
    assert (seen.shipping_price, seen.currency, seen.price_hidden) == (UNSET, UNSET, True)
    assert (await shipment_now(app, shipped.shipment.id)).state == "delivered"


async def test_a_cancelled_order_voids_its_label(app: App) -> None:
    _, order_id = await make_shipped_order(app)
    await app.answer("admin", "cancel_order", {"order_id": order_id}, confirmed=True)
    for _ in range(3):
        app.clock.forward(minutes=5)
        await app.work_off()
    voided = (await fulfilments_of(app, order_id))[-1]
    assert (voided.method, voided.status) == ("carrier", "cancelled")
