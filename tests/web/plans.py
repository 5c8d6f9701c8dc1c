"""Load plans for browser tests: packages of orders in a van with axles."""

from typing import Any

from tests.contexts.warehouse.examples import LOAD_SPACE
from tests.web.browser import CONSIGNEE, DemoApi

AXLES = {
    "front": {"position_mm": -800, "limit_g": 1_800_000, "tare_g": 1_000_000},
    "rear": {"position_mm": 2200, "limit_g": 2_200_000, "tare_g": 900_000},
}
EDGES_MM = (300, 400, 500, 600)


def make_load_plan(admin: DemoApi, code: str, *, orders: int = 2, packages: int = 2) -> int:
    """Create a load plan of a new route with stops and packages; return its id."""
    space = admin.post("/v1/loading/spaces", **LOAD_SPACE, code=code, axles=AXLES)["load_space"]["id"]
    made = [
        admin.post("/v1/client/orderCreate", consignee=CONSIGNEE, packages=_packages(at, packages))["order"]["id"]
        for at in range(orders)
    ]
    depot = admin.get("/v1/depots")["depots"][0]["id"]
    route = admin.post("/v1/routes", day="2026-06-11", name=code, depot_id=depot)["route"]["id"]
    admin.post(f"/v1/routes/{route}/orders", order_ids=made)
    asked = {"route_id": route, "load_space_ids": [space]}
    answer = admin.post("/v1/loading/load", **asked, steps=20)
    names = ("piece", "x_mm", "y_mm", "z_mm", "turn")
    places = [
        {"space": each["number"], **{name: place[name] for name in names}}
        for each in answer["spaces"]
        for place in each["placements"]
    ]
    left = [each["piece"] for each in answer["left_over"]]
    kept: dict[str, Any] = {**asked, "spaces": [space], "placements": places, "left_over": left}
    return admin.post("/v1/loading/plans", **kept, input_hash=answer["input_hash"])["plan"]["id"]


def _packages(at: int, count: int) -> list[dict[str, int]]:
    """Packages of several sizes, the same each time."""
    return [
        {
            "length_mm": EDGES_MM[(at + number) % 4],
            "width_mm": EDGES_MM[(at + number // 2) % 3],
            "height_mm": EDGES_MM[number % 2],
            "weight_g": 4_000 + 3_000 * (number % 5),
        }
        for number in range(count)
    ]
