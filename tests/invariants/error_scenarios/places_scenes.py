"""Errors of the address book, its imports, and orders without a position."""

from typing import Any

from tests.contexts.places.examples import ADDRESS, FILE
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App


async def scene(app: App) -> dict[str, Any]:
    """Create two addresses with references, an ended import and an ended order."""
    first = (await app.answer("admin", "create_address", {**ADDRESS, "reference": "A"})).address.id
    second = (await app.answer("admin", "create_address", {**ADDRESS, "reference": "B"})).address.id
    started = (await app.answer("admin", "import_addresses", {"document": FILE})).import_id
    order = (await app.answer("admin", "create_order", {"consignee": ADDRESS})).order.id
    await app.answer("admin", "cancel_order", {"order_id": order})
    await app.work_off()
    return {"first": first, "second": second, "import": started, "order": order}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    over = {"order_id": ids["order"]}
    return {
        ("create_address", "ADDRESS_REFERENCE_TAKEN"): ("admin", {**ADDRESS, "reference": "A"}),
        ("update_address", "ADDRESS_REFERENCE_TAKEN"): ("admin", {"address_id": ids["second"], "reference": "A"}),
        ("cancel_address_import", "ADDRESS_IMPORT_IS_OVER"): ("admin", {"import_id": ids["import"]}),
        ("set_order_location", "ORDER_IS_OVER"): ("admin", {**over, "lat": 43.65, "lng": -79.38}),
        ("locate_order", "ORDER_IS_OVER"): ("admin", over),
    }
