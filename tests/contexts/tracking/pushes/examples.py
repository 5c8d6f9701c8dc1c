"""A valid request for each operation on refused pushes."""

EXAMPLES: dict[str, dict[str, object]] = {
    "list_refused_pushes": {"push_id": "5f0c2a9be1d34c77", "limit": 20},
}
