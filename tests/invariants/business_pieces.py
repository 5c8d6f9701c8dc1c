"""An exception about a package of an order, for `business.py`."""

from typing import Any

from tests.support.app import App

from haulier.contexts.orders.delivery_orders.store.piece_exceptions import open_piece_exceptions


async def make_missing_piece(app: App, mark: str) -> dict[str, Any]:
    """Open an exception about a package of the newest order."""
    order_id = (await app.answer("admin", "get_orders", {})).orders[0].id
    async with app.database.write(app.clients["demo"]) as work:
        row = {"order_id": order_id, "package_id": order_id, "piece": f"{mark}-2", "kind": "piece_missing"}
        await open_piece_exceptions(work, [{**row, "note": mark, "created_at": app.clock()}])
    (opened,) = (await app.answer("admin", "list_piece_exceptions", {})).exceptions
    return {"exception_id": opened.id}
