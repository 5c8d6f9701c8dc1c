"""Cargo spaces and a load plan, for `business.py`."""

from typing import Any

from tests.contexts.warehouse.examples import COMMITTED_LOAD, LOAD_SPACE, WASHER
from tests.support.app import App
from tests.support.examples import fill_placeholders


async def loading(app: App, depot_id: int, mark: str) -> dict[str, Any]:
    """Create two cargo spaces, one of a van, and a plan for a route."""
    van = (await app.answer("admin", "create_vehicle", {"name": mark})).vehicle.id
    first, other = [
        (await app.answer("admin", "create_load_space", {**LOAD_SPACE, "name": mark, **own})).load_space.id
        for own in ({"code": mark, "vehicle_ids": [van]}, {"code": f"{mark}2"})
    ]
    route = (
        await app.answer("admin", "create_route", {"day": "2026-06-11", "name": mark, "depot_id": depot_id})
    ).route.id
    known = {"load_space_id": first, "other_load_space_id": other, "load_route_id": route}
    committed = fill_placeholders({**COMMITTED_LOAD, "pieces": [{**WASHER, "id": mark}]}, known)
    committed["placements"][0]["piece"] = mark
    asked = {name: value for name, value in committed.items() if name != "input_hash"}
    committed["input_hash"] = (await app.answer("admin", "check_load_plan", asked)).input_hash
    plan = (await app.answer("admin", "commit_load_plan", committed)).plan
    return {**known, "load_plan_id": plan.id}
