"""A valid request for each operation on retention."""

EXAMPLES: dict[str, dict[str, object]] = {
    "get_retention": {},
    "set_retention": {"kind": "order_contacts", "days": 365},
    "preview_retention": {"kind": "order_contacts", "days": 365},
}
