"""Fulfilments: who carries an order, and where its packages are."""

from typing import Any

from tests.contexts.orders.examples import ADDRESS
from tests.contexts.orders.makers import make_delivered_order
from tests.support.app import App
from tests.support.transport import make_order, make_started_route


async def fulfilments_of(app: App, order_id: int, who: str = "admin") -> list[Any]:
    """Fulfilments of an order."""
    return (await app.answer(who, "list_fulfilments", {"order_id": order_id})).fulfilments


async def test_a_new_order_is_fulfilled_by_the_own_fleet(app: App) -> None:
    packages = [{"weight_g": 400}, {"weight_g": 600}]
    order = (await app.answer("admin", "create_order", {"consignee": ADDRESS, "packages": packages})).order
    (own,) = await fulfilments_of(app, order.id)
    assert (own.id, own.method, own.status, own.current) == (f"order-{order.id}", "own_fleet", "waiting", True)
    assert [package.weight_g for package in own.packages] == [400, 600]
    assert own.tracking_numbers[0] == order.tracking_number
    one = await app.rest("admin", "GET", f"/v1/orders/{order.id}/fulfilments/order-{order.id}")
    assert one.json()["fulfilment"]["method"] == "own_fleet"


async def test_a_delivered_order_names_its_driver_and_last_location(app: App) -> None:
    order_id, route = await make_delivered_order(app)
    (own,) = await fulfilments_of(app, order_id)
    assert (own.status, own.route_id, own.packages[0].tracking_status) == ("delivered", route.id, "delivered")
    assert own.carried_by


async def test_a_customer_sees_packages_without_route_and_driver(app: App) -> None:
    made = await app.rest("customer", "POST", "/v1/client/orderCreate", {"consignee": ADDRESS})
    order_id = made.json()["order"]["id"]
    await make_started_route(app, [order_id])
    (own,) = await fulfilments_of(app, order_id, "customer")
    assert (own.status, own.route_id, own.driver_id, own.carried_by) == ("out_for_delivery", None, None, None)
    assert own.packages


async def test_fulfilments_of_other_customers_are_not_found(app: App) -> None:
    order_id = await make_order(app)
    for who in ("customer", "rival"):
        refused = await app.rest(who, "GET", f"/v1/orders/{order_id}/fulfilments")
        assert refused.status_code == 404
    unknown = await app.rest("admin", "GET", f"/v1/orders/{order_id}/fulfilments/shipment-99")
    assert unknown.status_code == 404
