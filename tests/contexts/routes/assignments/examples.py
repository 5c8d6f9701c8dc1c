"""One valid request for each operation of assignments."""

EXAMPLES: dict[str, dict[str, object]] = {
    "list_broker_order_assignments": {"broker_id": "$broker_id", "status": "active"},
    "assign_orders_to_broker": {"order_ids": ["$order_id"], "broker_id": "$broker_id", "note": "Before noon, please"},
    "revoke_broker_order_assignments": {"order_ids": ["$order_id"], "reason": "The customer called"},
    "release_broker_order_assignment": {"order_id": "$order_id", "reason": "No vehicle today"},
}
