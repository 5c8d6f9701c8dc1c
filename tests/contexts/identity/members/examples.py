"""One valid request for each operation of members."""

EXAMPLES: dict[str, dict[str, object]] = {
    "list_roles": {},
    "get_permissions": {"user_id": "$user_id"},
    "set_permissions": {"user_id": "$user_id", "role": "dispatcher"},
    "update_me": {"name": "Mia Chen", "language": "fr", "time_zone": "America/Toronto"},
    "get_customer_settings": {"customer_id": "$customer_id"},
    "find_customers": {"search": "ada@example.com"},
    "export_customers": {"search": "ada@example.com"},
    "update_customer_settings": {"customer_id": "$customer_id", "customer_code": "C-17", "phone": "+14165550123"},
}
