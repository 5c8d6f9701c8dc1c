"""Webhooks about stock and packages."""

from collections import Counter

from tests.contexts.integrations.webhooks.makers import make_endpoint, make_local_receiver
from tests.contexts.warehouse.makers import make_product, make_warehouse, receive, some_locations
from tests.support.app import App


async def test_webhooks_report_receipts_corrections_and_each_shortage_once(app: App) -> None:
    names = ("warehouse.stock_received", "product.stock_adjusted", "product.stock_low")
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), *names)
        warehouse = await make_warehouse(app)
        (shelf,) = await some_locations(app, warehouse, "A-01")
        product = await make_product(app, reorder_below=5)
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


async def test_webhooks_report_counts_shipments_and_transfers(app: App) -> None:
    names = ("warehouse.count_approved", "warehouse.stock_shipped", "package.misrouted", "transfer.dispatched")
    more = ("transfer.received", "transfer.completed", "transfer.rolled_back")
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), *names, *more)
        here, there = await make_warehouse(app), await make_warehouse(app, "YUL")
        await _count_and_ship(app, here)
        await app.answer("admin", "expect_arrivals", {"warehouse_id": there, "day": "2026-06-10", "numbers": ["BOX-1"]})
        seen = {"device_id": "gun", "scan_id": "1", "kind": "receive", "code": "BOX-1", "warehouse_id": here}
        lead = {**seen, "start_transfer": True, "occurred_at": app.clock.now.isoformat()}
        came = {"transfer_id": (await app.answer("admin", "record_scan", lead)).scan.transfer_id}
        back = {"from_warehouse_id": here, "to_warehouse_id": there, "numbers": ["BOX-2"]}
        undone = {"transfer_id": (await app.answer("admin", "create_transfer", back)).transfer.id}
        for batch in (came, undone):
            await app.answer("admin", "dispatch_transfer", batch)
        await app.answer("admin", "scan_transfer_in", {**came, "numbers": ["BOX-1"]})
        await app.answer("admin", "complete_transfer", came)
        await app.answer("admin", "roll_back_transfer", {**undone, "reason": "wrong truck"})
        await app.work_off()
        heard = Counter(one.document["event"] for one in receiver.received)
        assert heard == Counter((*names, *more, "transfer.dispatched"))


async def _count_and_ship(app: App, warehouse: int) -> None:
    (shelf,) = await some_locations(app, warehouse, "A-01")
    await make_product(app)
    await receive(app, shelf, 3)
    asked = {"warehouse_id": warehouse, "location_ids": [shelf]}
    count = {"count_id": (await app.answer("admin", "create_stock_count", asked)).count.id}
    line = {"location_id": shelf, "sku": "MUG", "quantity": 3}
    await app.answer("admin", "record_stock_count", {**count, "lines": [line]})
    await app.answer("admin", "finish_stock_count", count)
    await app.answer("admin", "approve_stock_count", count)
    what = {"warehouse_id": warehouse, "reference": "A-1"}
    await app.answer("admin", "reserve_stock", {**what, "lines": [{"sku": "MUG", "quantity": 1}]})
    await app.answer("admin", "ship_stock", {**what, "unpicked": True})
