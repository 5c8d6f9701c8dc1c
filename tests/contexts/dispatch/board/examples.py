"""One valid request for each operation of the board."""

EXAMPLES: dict[str, dict[str, object]] = {
    "dispatch_board": {"day": "2026-03-02", "route_ids": ["$route_id"], "stops": False},
    "check_route_change": {
        "route_ids": ["$route_id"],
        "move": {"route_id": "$route_id", "stop_ids": ["$stop_id"], "position": 1},
    },
    "suggest_routes": {"lat": 43.65, "lng": -79.38, "day": "2026-06-11", "packages": 2, "weight_g": 3000, "limit": 2},
}
