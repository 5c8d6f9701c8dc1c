"""One valid request for each operation of accounts."""

EXAMPLES: dict[str, dict[str, object]] = {
    "create_user": {
        "name": "Mia Wu",
        "email": "mia@demo.example",
        "account": "employee",
        "password": "correct horse battery",
    },
    "list_users": {"account": "driver", "active": True, "search": "mia"},
    "get_user": {"user_id": "$user_id"},
    "update_user": {"user_id": "$user_id", "name": "Mia Chen"},
    "disable_user": {"user_id": "$user_id"},
    "enable_user": {"user_id": "$user_id"},
    "get_client": {},
    "update_client": {"name": "Demo Express", "time_zone": "America/Vancouver", "language": "fr"},
    "set_module": {"module": "broker_order_assignments", "enabled": True},
    "set_feature": {"feature": "order_chat", "enabled": True},
    "set_price_visibility": {"customer_id": "$customer_id", "hidden": ["label_service"]},
    "get_price_visibility": {"customer_id": "$customer_id"},
    "issue_api_token": {"name": "Warehouse scanner", "scopes": ["orders:read"], "expires_in_days": 30},
    "list_api_tokens": {"state": "any", "search": "scanner"},
    "revoke_api_token": {"token_id": "$token_id"},
    "rotate_api_token": {"token_id": "$token_id", "overlap_min": 10},
}
