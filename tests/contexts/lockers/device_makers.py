"""Setup of device order tests: a catalogue with stock, and orders in each status."""

from typing import Any

from tests.contexts.billing.ledger.makers import cad, make_call
from tests.contexts.lockers.examples import SCANNER, WORKSHOP
from tests.support.app import App

from haulier.contexts.billing import public as billing


async def make_catalogue(app: App, *, stock: int = 10, **changes: Any) -> None:
    """Create a scanner product with stock, ten by default."""
    product = {**SCANNER, **changes}
    await app.answer("admin", "set_device_product", product)
    if stock:
        await app.answer("admin", "adjust_device_stock", {"product_code": product["product_code"], "change": stock})


async def drafted(app: App, quantity: int = 2, who: str = "customer", **terms: Any) -> Any:
    """A draft of some scanners."""
    asked = {"items": [{"product_code": "scanner-2d", "quantity": quantity}], "consignee": WORKSHOP, **terms}
    return (await app.answer(who, "create_device_order", asked)).device_order


async def step(app: App, operation: str, order_id: int, who: str = "customer", **more: Any) -> Any:
    """Take a step of an order; the order afterwards."""
    outcome = await app.call(who, operation, {"device_order_id": order_id, **more}, confirmed=True)
    assert outcome.error is None, outcome.error
    answer: Any = outcome.answer
    return answer.device_order


async def confirmed(app: App, quantity: int = 2, who: str = "customer", **terms: Any) -> Any:
    """An order whose devices are taken from stock."""
    return await step(app, "confirm_device_order", (await drafted(app, quantity, who, **terms)).id, who)


async def paid(app: App, quantity: int = 2, **terms: Any) -> Any:
    """Create an order paid by staff from credit, for customers who see no prices."""
    order = await confirmed(app, quantity, **terms)
    async with make_call(app) as call:
        await billing.top_up(call, app.ids["customer"], cad(quantity * SCANNER["price_minor"]), key=f"for {order.id}")
    return await step(app, "pay_device_order", order.id, "admin")


def serials(order_id: int, quantity: int = 2) -> list[str]:
    """The serial numbers that `shipped` gives the devices of an order."""
    return [f"SN-{order_id}-{number}" for number in range(quantity)]


def named(numbers: list[str]) -> list[dict[str, str]]:
    """Scanners by their serial numbers, as they are sent."""
    return [{"product_code": "scanner-2d", "serial": number} for number in numbers]


async def shipped(app: App, quantity: int = 2, **terms: Any) -> Any:
    """An order whose devices have left with a carrier."""
    order = await paid(app, quantity, **terms)
    leaving = {"devices": named(serials(order.id, quantity)), "carrier": "UPS", "tracking_number": f"1Z{order.id}"}
    return await step(app, "ship_device_order", order.id, "admin", **leaving)


async def returning(app: App, order_id: int, numbers: list[str], **terms: Any) -> Any:
    """A return that was announced."""
    asked = {"device_order_id": order_id, "serials": numbers, "reason": "defective", **terms}
    return (await app.answer("customer", "request_device_return", asked)).device_return


async def received(app: App, order_id: int, numbers: list[str], *, restock: bool = False) -> Any:
    """A return whose devices are here."""
    asked = {"device_return_id": (await returning(app, order_id, numbers)).id, "restock": restock}
    return (await app.answer("admin", "receive_device_return", asked)).device_return


async def in_stock(app: App, code: str = "scanner-2d") -> int:
    """Return the stock of a product."""
    return (await app.answer("admin", "get_device_product", {"product_code": code})).product.stock
