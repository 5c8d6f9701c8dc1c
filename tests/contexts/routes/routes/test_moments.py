"""Times of orders and routes, in the time zone of the business with offset."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from tests.support.app import App
from tests.support.transport import make_contact, make_order, make_started_route

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
WINDOW = {"window_start": "2026-06-10T14:00:00Z", "window_end": "2026-06-10T16:00:00Z"}


def foreign_moments(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield from foreign_moments(member, f"{path}.{name}")
    elif isinstance(value, list):
        for member in value:
            yield from foreign_moments(member, path)
    elif isinstance(value, str) and MOMENT.match(value) and not value.endswith("-04:00"):
        yield f"{path} {value}"


async def test_times_of_orders_routes_and_days_use_the_business_utc_offset(app: App) -> None:
    order_id = await make_order(app, **WINDOW)
    route = await make_started_route(app, [order_id])
    waiting = await make_order(app, **WINDOW)
    await app.answer("admin", "assign_orders_to_broker", {"order_ids": [waiting], "broker_id": app.ids["contractor"]})
    batch = await app.answer("admin", "bulk_create_orders_async", {"orders": [{"consignee": make_contact()}]})
    await app.work_off()
    asked: dict[str, dict[str, Any]] = {
        "get_orders": {},
        "get_order_detail": {"order_id": order_id},
        "order_snapshot": {"order_id": order_id},
        "find_order": {"search": "lovelace"},
        "quote_delivery": {"consignee": make_contact()},
        "get_async_batch_result": {"id": batch.async_id},
        "list_broker_order_assignments": {},
        "get_routes": {},
        "get_route_detail": {"route_id": route.id},
        "get_driver_routes_today": {"driver_id": route.driver_id},
        "dispatch_drivers": {},
        "dispatch_progress": {},
        "dispatch_exceptions": {},
        "dispatch_board": {},
    }
    found = {
        name: list(foreign_moments(msgspec.to_builtins(await app.answer("admin", name, values))))
        for name, values in asked.items()
    }
    assert {name: moments for name, moments in found.items() if moments} == {}
