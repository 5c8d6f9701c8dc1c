"""One valid request for each operation of held work."""

EXAMPLES: dict[str, dict[str, object]] = {
    "list_held_work": {"user_id": "$broker_id"},
}
