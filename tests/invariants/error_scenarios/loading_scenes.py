"""Errors of load plans: stale or wrong plans, and invalid requests."""

from typing import Any

from tests.contexts.warehouse.examples import LOAD_QUESTION, LOAD_SPACE, LOADED, WASHER
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.examples import fill_placeholders
from tests.support.transport import make_depot

ADDRESS = {"name": "Ann", "address": "1 Front St", "city": "Toronto", "country": "CA", "lat": 43.64, "lng": -79.38}


async def scene(app: App) -> dict[str, Any]:
    """Create a cargo space, an empty route, and one with a parcel of unknown size.

    The rival has a route without a cargo space.
    """
    space = (await app.answer("admin", "create_load_space", {**LOAD_SPACE, "code": "VAN"})).load_space.id
    day, depot = {"day": "2026-06-11"}, await make_depot(app)
    route, unknown = [
        (await app.answer("admin", "create_route", {**day, "name": name, "depot_id": depot})).route.id
        for name in ("Empty", "Unknown")
    ]
    order = (await app.answer("admin", "create_order", {"consignee": ADDRESS})).order.id
    await app.answer("admin", "add_orders_to_route", {"route_id": unknown, "order_ids": [order]})
    asked = {**day, "name": "Theirs", "depot_id": await make_depot(app, "rival")}
    theirs = (await app.answer("rival", "create_route", asked)).route.id
    ids = {"load_space_id": space, "load_route_id": route, "unknown": unknown, "theirs": theirs}
    asked = fill_placeholders({**LOAD_QUESTION, "route_id": route, "steps": 5}, ids)
    return {**ids, "hash": (await app.answer("admin", "load", asked)).input_hash}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    loaded = fill_placeholders(LOADED, ids)
    question = fill_placeholders(LOAD_QUESTION, ids)
    committed = {**question, **loaded, "route_id": ids["load_route_id"], "input_hash": ids["hash"]}
    outside = [{**loaded["placements"][0], "x_mm": 3000}]
    committing = {**loaded, "route_id": ids["load_route_id"], "input_hash": ids["hash"]}
    questions = {"load": {}, "check_load_plan": loaded, "follow_load_plan": loaded, "commit_load_plan": committing}
    met: dict[tuple[str, str], Any] = {
        ("create_load_space", "LOAD_SPACE_CODE_TAKEN"): ("admin", {**LOAD_SPACE, "code": "VAN"}),
        ("commit_load_plan", "LOAD_PLAN_STALE"): ("admin", {**committed, "support_percent": 50}),
        ("commit_load_plan", "LOADING_RULES_BROKEN"): ("admin", {**committed, "placements": outside}),
    }
    for name, more in questions.items():
        asked: dict[str, Any] = dict(more)
        theirs = {"route_id": ids["theirs"]} if "route_id" in more else {}
        met |= {
            (name, "NOT_FOUND"): ("admin", {**asked, "pieces": [WASHER], "load_space_ids": [999_999]}),
            (name, "NO_LOAD_SPACES"): ("rival", {**asked, **theirs, "pieces": [WASHER]}),
            (name, "PIECE_WITHOUT_SIZE"): ("admin", {**asked, "route_id": ids["unknown"]}),
            (name, "TOO_MANY_PIECES_TO_LOAD"): (
                "admin",
                {**asked, "pieces": [{**WASHER, "quantity": 500}, {**WASHER, "id": "dryer"}]},
            ),
        }
    return met
