"""Orders that tests begin with."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_order, make_started_route


async def make_delivered_order(app: App, **words: Any) -> tuple[int, Any]:
    """An order that its driver delivered a moment ago, and its route."""
    order_id = await make_order(app, **words)
    route = await make_started_route(app, [order_id])
    app.clock.forward(minutes=5)
    done = {"route_id": route.id, "stop_id": route.stops[-1].id, "recipient": "Ada"}
    await app.answer("driver", "deliver_stop", done)
    app.clock.forward(minutes=5)
    return order_id, route
