"""Errors of orders to addresses that zones exclude."""

from typing import Any

from tests.contexts.places.zone_makers import make_square
from tests.contexts.places.zone_maps.steps import make_map, publish, put
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_contact, make_order, set_order

CLOSED = {"OUTSIDE_SERVICE_AREA": make_contact(lat=44.2), "NO_GO_ZONE": make_contact(lat=43.605, lng=-79.395)}


async def scene(app: App) -> dict[str, Any]:
    """Create a service area with a no-go zone, an order, and a failed attempt."""
    zone_map_id = await make_map(app)
    await put(app, zone_map_id, "here", rule="service_area", geometry=make_square(-79.9, 43.3, 0.8))
    await put(app, zone_map_id, "pit", rule="no_go", geometry=make_square(-79.4, 43.6, 0.01))
    await publish(app, zone_map_id)
    made = {"open": await make_order(app), "tried": await make_order(app)}
    await set_order(app, made["tried"], status=7, attempts=1)
    made["delivered"] = await make_order(app)
    await set_order(app, made["delivered"], status=6)
    made["label"] = (await app.answer("admin", "parse_label", {"text": "Ada"})).label_parse.id
    await app.work_off()
    return made


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    met: Attempts = {}
    for code, address in CLOSED.items():
        order, place = {"consignee": address}, {name: address[name] for name in ("address", "city", "lat", "lng")}
        met |= {
            ("create_order", code): ("admin", order),
            ("bulk_create_orders", code): ("admin", {"orders": [order], "stop_on_error": True}),
            ("quote_delivery", code): ("admin", order),
            ("create_order_return", code): (
                "admin",
                {"order_id": ids["delivered"], "reason": "too_small", "method": "own_fleet", "return_to": address},
            ),
            ("reroute_to_address", code): ("admin", {"order_id": ids["open"], "address": address}),
            ("accept_label_parse", code): ("admin", {"parse_id": ids["label"], "reviewed": True, **order}),
            ("correct_address", code): ("admin", {"order_id": ids["tried"], "place": {**place, "country": "CA"}}),
        }
    return met
