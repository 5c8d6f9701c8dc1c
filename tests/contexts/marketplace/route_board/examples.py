"""One valid request for each operation of the driver route board."""

EXAMPLES: dict[str, dict[str, object]] = {
    "claim_route": {"route_id": "$route_id", "stand_by": True},
    "get_board_route": {"route_id": "$route_id"},
    "list_board_driver_rules": {"blocked": True},
    "list_route_board": {"date_from": "2026-06-10", "live": True},
    "list_route_claims": {"route_id": "$route_id", "live": True},
    "post_route_to_board": {
        "route_id": "$route_id",
        "closes_at": "2026-06-11T06:00:00Z",
        "claims_per_day": 2,
        "driver_ids": ["$driver_id"],
        "note": "Bring a hand truck",
    },
    "remove_route_from_board": {"route_id": "$route_id"},
    "set_board_driver_rule": {"driver_id": "$driver_id", "claims_per_day": 1, "zones": ["north"]},
    "stand_by_for_route": {"route_id": "$route_id"},
    "update_board_terms": {"route_id": "$route_id", "standby_max": 3},
    "withdraw_from_route": {"route_id": "$route_id"},
}
