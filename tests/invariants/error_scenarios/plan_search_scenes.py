"""Errors of plan searches: unfinished or ended searches, stale plans, bad queries."""

from typing import Any

from tests.contexts.warehouse.examples import CARTON, LOAD_SPACE, TEAPOT, WASHER
from tests.contexts.warehouse.makers import make_product
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_depot

ADDRESS = {"name": "Ann", "address": "1 Front St", "city": "Toronto", "country": "CA", "lat": 43.64, "lng": -79.38}
LONG_ID = 2**40
JUNE = {"from_day": "2026-06-01", "to_day": "2026-06-30"}


async def scene(app: App) -> dict[str, Any]:
    """Create finished searches with a changed box and cargo space, and a pending one.

    The rival has none.
    """
    carton = (await app.answer("admin", "create_carton", {**CARTON, "code": "M1"})).carton.id
    space = (await app.answer("admin", "create_load_space", {**LOAD_SPACE, "code": "VAN"})).load_space.id
    await make_product(app)
    order = (await app.answer("admin", "create_order", {"consignee": ADDRESS})).order.id
    day = {"day": "2026-06-11", "depot_id": await make_depot(app)}
    route, unknown = [
        (await app.answer("admin", "create_route", {**day, "name": name})).route.id for name in ("Empty", "Unknown")
    ]
    await app.answer("admin", "add_orders_to_route", {"route_id": unknown, "order_ids": [order]})
    asked = {"pieces": [TEAPOT], "steps": 10}
    packed = (await app.answer("admin", "start_packing_search", asked)).search.id
    loading = {"pieces": [WASHER], "route_id": route, "steps": 1}
    loaded = (await app.answer("admin", "start_load_search", loading)).search.id
    await app.work_off()
    await app.answer("admin", "update_carton", {"carton_id": carton, **CARTON, "payload_g": 9000})
    await app.answer("admin", "update_load_space", {"load_space_id": space, **LOAD_SPACE, "payload_g": 900_000})
    waits = (await app.answer("admin", "start_packing_search", asked)).search.id
    return {"packed": packed, "loaded": loaded, "waits": waits, "order": order, "unknown": unknown}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    packed = {"plan_search_id": ids["packed"], "order_id": ids["order"]}
    many = [{**TEAPOT, "id": f"pot-{number}", "quantity": 200} for number in range(6)]
    crates = [{**WASHER, "id": f"crate-{number}", "quantity": 500} for number in range(3)]
    return {
        ("cancel_plan_search", "PLAN_SEARCH_IS_OVER"): ("admin", {"plan_search_id": ids["packed"]}),
        ("commit_plan_search", "PLAN_SEARCH_NOT_READY"): ("admin", {**packed, "plan_search_id": ids["waits"]}),
        ("commit_plan_search", "PACKING_PLAN_STALE"): ("admin", packed),
        ("commit_plan_search", "LOAD_PLAN_STALE"): ("admin", {"plan_search_id": ids["loaded"]}),
        ("start_packing_search", "NOT_FOUND"): ("admin", {"pieces": [TEAPOT], "carton_ids": [LONG_ID]}),
        ("start_packing_search", "NO_CARTONS"): ("rival", {"pieces": [TEAPOT]}),
        ("start_packing_search", "UNKNOWN_SKU"): ("admin", {"products": [{"sku": "x"}]}),
        ("start_packing_search", "PIECE_WITHOUT_SIZE"): ("admin", {"products": [{"sku": "MUG"}]}),
        ("start_packing_search", "TOO_MANY_PIECES_TO_PACK"): ("admin", {"pieces": many}),
        ("start_carton_advice", "NOT_FOUND"): ("admin", {**JUNE, "keep_carton_ids": [LONG_ID]}),
        ("start_carton_advice", "NO_SIZED_ORDERS"): ("rival", JUNE),
        ("start_load_search", "NOT_FOUND"): ("admin", {"pieces": [WASHER], "load_space_ids": [LONG_ID]}),
        ("start_load_search", "NO_LOAD_SPACES"): ("rival", {"pieces": [WASHER]}),
        ("start_load_search", "PIECE_WITHOUT_SIZE"): ("admin", {"route_id": ids["unknown"]}),
        ("start_load_search", "TOO_MANY_PIECES_TO_LOAD"): ("admin", {"pieces": crates}),
    }
