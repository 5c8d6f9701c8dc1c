"""Valid requests for driver app operations without a test folder.

Policy, day, scans, proof.
"""

EXAMPLES: dict[str, dict[str, object]] = {
    "get_rider_policy": {},
    "set_rider_policy": {"photo_required": True, "max_distance_m": 300, "position_every_s": 15},
    "accept_route": {"route_id": "$route_id"},
    "decline_route": {"route_id": "$route_id", "reason": "The vehicle broke down"},
    "get_my_cash": {"day": "2026-06-10"},
    "get_my_earnings": {"week_of": "2026-06-10"},
    "get_rider_day": {},
    "get_route_pieces": {"route_id": "$route_id"},
    "get_rider_route": {"route_id": "$route_id"},
    "scan_on_route": {"route_id": "$route_id", "code": "ORDER-0001", "stop_id": "$stop_id"},
    "rider_deliver": {"route_id": "$route_id", "stop_id": "$stop_id", "recipient": "Ada"},
    "rider_fail": {"route_id": "$route_id", "stop_id": "$stop_id", "reason": "recipient_absent"},
    "rider_pick_up": {"route_id": "$route_id", "stop_id": "$stop_id", "note": "Two boxes"},
    "get_rider_locker_stop": {"route_id": "$route_id", "stop_id": "$stop_id"},
    "rider_make_locker_code": {"route_id": "$route_id", "stop_id": "$stop_id"},
    "rider_open_locker": {"route_id": "$route_id", "stop_id": "$stop_id"},
    "show_delivery_pin": {"tracking_number": "HLTR16KD5632GCM", "proof": "M5V 2T6"},
    "renew_delivery_pin": {"order_id": "$order_id"},
    "upload_proof": {
        "stop_id": "$stop_id",
        "upload_id": "photo-0001",
        "media_type": "image/png",
        "content": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
    },
}
