"""Orders with items that are short."""

from typing import Any

from tests.contexts.warehouse.makers import make_product, make_warehouse, receive, some_locations
from tests.support.app import App
from tests.support.transport import make_order


async def make_shelf(app: App, **units: int) -> int:
    """A shelf with units of new products, reserved for orders on creation; its id."""
    await app.answer("admin", "set_order_stock_policy", {"reserve": "at_creation"})
    (shelf,) = await some_locations(app, await make_warehouse(app), "A-01")
    for sku, count in units.items():
        await make_product(app, sku, weight_g=350)
        if count:
            await receive(app, shelf, count, sku)
    return shelf


async def make_short_order(app: App, *, cod_minor: int | None = None, **units: int) -> int:
    """An order of the customer, after the reservation of its stock; its id."""
    items = [{"sku": sku, "quantity": count} for sku, count in units.items()]
    order_id = await make_order(app, customer_id=app.ids["customer"], items=items, cod_minor=cod_minor)
    await app.work_off()
    return order_id


async def backordered(app: App, order_id: int, **values: Any) -> Any:
    """Backorder items of an order; the backorder."""
    made = await app.answer("admin", "create_backorder", {"order_id": order_id, **values})
    await app.work_off()
    return made.backorder


async def show_order(app: App, order_id: int) -> Any:
    return (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order


async def ordered_units(app: App, order_id: int) -> dict[str, int]:
    """The units of an order by SKU."""
    return {line.sku: line.quantity for line in (await show_order(app, order_id)).items}


async def fulfilled_parts(app: App, order_id: int) -> list[Any]:
    """The current fulfilments of an order and its parts."""
    answer = await app.answer("admin", "list_fulfilments", {"order_id": order_id})
    return [each for each in answer.fulfilments if each.current]
