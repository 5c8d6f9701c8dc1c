"""A valid request for each operation on refused pushes."""

EXAMPLES: dict[str, dict[str, object]] = {
    "list_refused_pushes": {"push_id": "5f0c2a9be1d34c77", "limit": 20},
    "list_carrier_messages": {"status": "open"},
    "get_carrier_message": {"carrier_message_id": "$carrier_message_id"},
    "replay_carrier_message": {"carrier_message_id": "$carrier_message_id"},
}
