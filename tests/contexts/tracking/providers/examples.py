"""A valid request for each operation on provider keys."""

EXAMPLES: dict[str, dict[str, object]] = {
    "issue_provider_key": {
        "name": "Swift Post",
        "carriers": ["Swift Post"],
        "source_type": "carrier",
        "per_minute": 600,
    },
    "list_provider_keys": {"page": 1, "per_page": 20},
    "get_own_provider_key": {},
    "set_push_signature": {"provider_id": "$provider_id", "scheme": "easypost", "secret": "wh-secret-4f9a"},
    "remove_push_signature": {"provider_id": "$provider_id"},
    "confirm_provider_key": {"provider_id": "$provider_id"},
    "revoke_provider_key": {"provider_id": "$provider_id"},
}
