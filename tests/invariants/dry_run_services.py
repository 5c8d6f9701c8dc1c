"""Steps of the dry-run day about services and their orders."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from tests.contexts.billing.services.examples import TERMS
from tests.contexts.shipping.shipping_orders.makers import HOME

S = TypeVar("S")
LOCAL = {**TERMS, "fulfilment": ["local_delivery"]}


def service_steps(step: Callable[..., S]) -> Iterator[S]:
    """Yield steps about services and the orders for them, built with `step`."""
    yield step("admin", "create_service", {"pallet": "service.id"}, code="pallet", kind="ltl", **LOCAL)
    yield step("admin", "update_service", service_id="$pallet", **{**LOCAL, "name": "Pallets"})
    yield step("admin", "create_service", {"unwanted": "service.id"}, code="unwanted", kind="ltl", **TERMS)
    yield step("admin", "delete_service", service_id="$unwanted")
    asked = {"service_code": "pallet", "consignee": HOME, "values": {"lift": True}}
    for name in ("paid_order", "unpaid_order", "refused_order"):
        yield step("customer", "create_shipping_order", {name: "shipping_order.id"}, **asked)
    yield step("customer", "pay_shipping_order", shipping_order_id="$paid_order")
    yield step("admin", "confirm_shipping_order", shipping_order_id="$paid_order")
    yield step("admin", "move_shipping_order", shipping_order_id="$paid_order", state="in_progress")
    yield step("customer", "cancel_shipping_order", shipping_order_id="$unpaid_order")
    yield step("admin", "cancel_customers_shipping_order", shipping_order_id="$refused_order", reason="Full.")
