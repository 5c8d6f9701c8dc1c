"""One valid request for each operation of positions."""

EXAMPLES: dict[str, dict[str, object]] = {
    "get_driver_trail": {"driver_id": "$driver_id", "since": "2026-06-10T06:00:00Z"},
    "push_positions": {
        "points": [{"occurred_at": "2026-06-10T09:00:00Z", "lat": 43.65, "lng": -79.38, "accuracy_m": 8}]
    },
}
