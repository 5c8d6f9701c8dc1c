"""Errors of customer pickups."""

from typing import Any

from tests.contexts.shipping.examples import HERE
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_depot, make_order, make_route, set_order

from haulier.contexts.orders.delivery_pins.rules import PIN_TRIES_MAX
from haulier.contexts.orders.public import OrderStatus
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES


async def scene(app: App) -> dict[str, Any]:
    """Create orders that are with others, and pickups in several states."""
    depot_id = await make_depot(app)
    made: dict[str, Any] = {"depot": depot_id}
    for name in ("plain", "over", "given", "shipped"):
        made[name] = await make_order(app)
    for name in ("preparing", "done", "ready_0", "ready_1", "blocked"):
        made[name] = await make_order(app, pickup_depot_id=depot_id)
    made["routed"] = await make_order(app)
    await make_route(app, depot_id=depot_id, order_ids=[made["routed"]])
    await set_order(app, made["over"], status=OrderStatus.CANCELLED.value)
    given = {"order_ids": [made["given"]], "broker_id": app.ids["contractor"]}
    await app.answer("admin", "assign_orders_to_broker", given)
    await app.answer("admin", "open_carrier_account", {"carrier": "HOUSE", "name": "Van", "sender": HERE})
    await app.answer("admin", "ship_order", {"order_id": made["shipped"]})
    names = ("done", "ready_0", "ready_1", "blocked")
    await app.answer("admin", "mark_ready_for_pickup", {"order_ids": [made[name] for name in names]})
    await app.answer("admin", "hand_over_pickup", {"order_id": made["done"], "recipient": "Ada"})
    for _ in range(PIN_TRIES_MAX):
        wrong = await app.call("admin", "hand_over_pickup", {"order_id": made["blocked"], "pickup_code": "0" * 9})
        assert wrong.status == 422
    return made


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    carried = {
        "ORDER_STEP_REFUSED": ids["over"],
        "ORDER_HAS_ROUTE": ids["routed"],
        "ORDER_HAS_HOLDER": ids["given"],
        "ORDER_HAS_SHIPMENT": ids["shipped"],
    }
    give, named = "hand_over_pickup", {"recipient": "Ada"}

    def wrong_code(language: str) -> dict[str, Any]:
        """Return a wrong code for two orders in turn, because attempts are limited."""
        return {"order_id": ids[f"ready_{SUPPORTED_LANGUAGES.index(language) % 2}"], "pickup_code": "0" * 9}

    return {
        **{
            ("switch_order_to_pickup", code): ("admin", {"order_id": order_id, "depot_id": ids["depot"]})
            for code, order_id in carried.items()
        },
        ("switch_order_to_delivery", "ORDER_NOT_FOR_PICKUP"): ("admin", {"order_id": ids["plain"]}),
        ("switch_order_to_delivery", "ORDER_STEP_REFUSED"): ("admin", {"order_id": ids["done"]}),
        (give, "ORDER_NOT_FOR_PICKUP"): ("admin", {"order_id": ids["plain"], **named}),
        (give, "ORDER_STEP_REFUSED"): ("admin", {"order_id": ids["done"], **named}),
        (give, "PICKUP_NOT_READY"): ("admin", {"order_id": ids["preparing"], **named}),
        (give, "PICKUP_CODE_WRONG"): ("admin", wrong_code),
        (give, "PICKUP_CODE_BLOCKED"): ("admin", {"order_id": ids["blocked"], "pickup_code": "1234"}),
    }
