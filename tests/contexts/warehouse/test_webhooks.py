"""Receivers hear what happens to stock."""

from tests.contexts.integrations.webhooks.makers import a_local_receiver, an_endpoint
from tests.contexts.warehouse.makers import a_product, a_warehouse, receive, some_locations
from tests.support.app import App


async def test_receivers_hear_of_goods_that_came_of_corrections_and_once_of_a_shortage(app: App) -> None:
    names = ("warehouse.stock_received", "product.stock_adjusted", "product.stock_low")
    with a_local_receiver(app) as receiver:
        await an_endpoint(app, receiver.url(), *names)
        warehouse = await a_warehouse(app)
        (shelf,) = await some_locations(app, warehouse, "A-01")
        product = await a_product(app, reorder_below=5)
        await receive(app, shelf, 8)
        wanted = {"warehouse_id": warehouse, "lines": [{"sku": "MUG", "quantity": 3}]}
        await app.answer("admin", "reserve_stock", {**wanted, "reference": "A-1"})
        lost = {"location_id": shelf, "sku": "MUG", "change": -1, "reason": "lost"}
        for _ in range(2):
            await app.answer("admin", "adjust_stock", lost)
        await app.work_off()
        heard = sorted((one.document["event"], one.document["subject"]) for one in receiver.received)
        assert heard == [
            ("product.stock_adjusted", f"product:{product}"),
            ("product.stock_adjusted", f"product:{product}"),
            ("product.stock_low", f"product:{product}"),
            ("warehouse.stock_received", f"warehouse:{warehouse}"),
        ]
