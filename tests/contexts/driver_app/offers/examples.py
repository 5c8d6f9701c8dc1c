"""One valid request for each operation of orders on demand."""

EXAMPLES: dict[str, dict[str, object]] = {
    "accept_offer": {"offer_id": "$offer_id"},
    "decline_offer": {"offer_id": "$offer_id", "reason": "Too far away"},
    "list_instant_jobs": {"limit": 20},
    "list_my_jobs": {},
    "list_my_offers": {},
    "offer_order_to_riders": {"order_id": "$order_id", "depot_id": "$depot_id"},
    "set_duty": {"available": True, "position": {"lat": 43.65, "lng": -79.38}},
    "withdraw_instant_job": {"job_id": "$job_id"},
}
