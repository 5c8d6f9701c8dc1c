"""One valid request for each operation of routes."""

CHANGE: dict[str, object] = {"route_id": "$route_id", "expected_version": 1}
DRIVE: dict[str, object] = {"route_id": "$route_id", "occurred_at": "2026-03-02T14:05:00Z"}
VISIT: dict[str, object] = {**DRIVE, "stop_id": "$stop_id", "position": {"lat": 43.6426, "lng": -79.3871}}
PROOF: dict[str, object] = {
    "recipient": "Ada Lovelace",
    "signature_url": "https://files.example/signature.png",
    "photo_urls": ["https://files.example/door.jpg"],
    "note": "Left with the doorman",
    "code": "4711",
}

EXAMPLES: dict[str, dict[str, object]] = {
    "get_routes": {"day": "2026-03-02", "status": "assigned", "depot_id": "$depot_id", "sort": "planned_start"},
    "get_route_detail": {"route_id": "$route_id"},
    "get_route_shape": {"route_id": "$route_id"},
    "get_driver_routes_today": {"driver_id": "$driver_id"},
    "create_route": {
        "day": "2026-03-02",
        "depot_id": "$depot_id",
        "name": "East end",
        "driver_id": "$driver_id",
        "planned_start_at": "2026-03-02T13:00:00Z",
        "published": False,
    },
    "add_orders_to_route": {**CHANGE, "order_ids": ["$order_id"]},
    "remove_orders_from_route": {**CHANGE, "order_ids": ["$order_id"]},
    "assign_route_driver": {**CHANGE, "driver_id": "$driver_id", "vehicle_id": None},
    "cancel_route": {**CHANGE, "reason": "The vehicle broke down"},
    "hand_over_stops": {
        **CHANGE,
        "stop_ids": ["$stop_id"],
        "driver_id": "$driver_id",
        "reason": "The van broke down",
    },
    "abort_route": {**CHANGE, "reason": "vehicle_breakdown", "note": "Gearbox; waits for the tow truck"},
    "load_at_depot": DRIVE,
    "reorder_stops": {**CHANGE, "stop_ids": ["$stop_id"]},
    "move_stops": {
        "route_id": "$route_id",
        "stop_ids": ["$stop_id"],
        "position": 1,
        "expected_versions": [{"route_id": "$route_id", "version": 1}],
    },
    "merge_routes": {"route_id": "$route_id", "route_ids": ["$other_route_id"]},
    "split_route": {**CHANGE, "stop_ids": ["$stop_id"], "name": "East end, second half", "driver_id": "$driver_id"},
    "lock_stops": {**CHANGE, "stop_ids": ["$stop_id"]},
    "unlock_stops": {**CHANGE, "stop_ids": ["$stop_id"]},
    "lock_route": CHANGE,
    "unlock_route": CHANGE,
    "publish_route": CHANGE,
    "unpublish_route": CHANGE,
    "start_route": {**DRIVE, "ahead_of_day": True},
    "return_route_to_depot": DRIVE,
    "finish_route": DRIVE,
    "arrive_at_stop": VISIT,
    "pick_up_at_stop": {**VISIT, **PROOF},
    "deliver_stop": {**VISIT, **PROOF},
    "fail_stop": {**VISIT, "reason": "recipient_absent", "outcome": "retry", "note": "Nobody opened"},
    "reopen_stop": {**VISIT, "note": "The recipient called back"},
}
