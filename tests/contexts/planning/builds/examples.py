"""One valid request for each operation of route building."""

EXAMPLES: dict[str, dict[str, object]] = {
    "build_route": {
        "day": "2026-06-11",
        "order_ids": ["$order_id"],
        "driver_ids": ["$driver_id"],
        "vehicle_ids": ["$vehicle_id"],
        "depot_ids": ["$depot_id"],
        "preferences": [{"order_id": "$order_id", "priority": 5}],
        "objective": {"distance": 10, "duration": 100},
        "iterations": 50,
    },
    "cancel_route_build": {"build_id": "$build_id"},
    "commit_route_build": {"build_id": "$build_id"},
    "get_build_route_options": {"day": "2026-06-11"},
    "get_route_build": {"build_id": "$build_id"},
    "get_route_build_steps": {"build_id": "$build_id"},
    "list_route_builds": {"day": "2026-06-11", "state": "done"},
}
