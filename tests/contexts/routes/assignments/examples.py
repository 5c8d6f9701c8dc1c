"""One valid request for each operation of assignments."""

EXAMPLES: dict[str, dict[str, object]] = {
    "list_broker_order_assignments": {"broker_id": "$broker_id", "status": "active"},
    "assign_orders_to_broker": {"order_ids": ["$order_id"], "broker_id": "$broker_id", "note": "Before noon, please"},
    "revoke_broker_order_assignments": {"order_ids": ["$order_id"], "reason": "The customer called"},
    "accept_broker_order_assignments": {"order_ids": ["$order_id"]},
    "decline_broker_order_assignments": {"order_ids": ["$order_id"], "reason": "No vehicle today"},
    "set_contractor_capacity": {"contractor_id": "$broker_id", "orders_per_day": 40},
    "release_broker_order_assignment": {"order_id": "$order_id", "reason": "No vehicle today"},
}
