"""A valid request for each operation on the audit trail."""

EXAMPLES: dict[str, dict[str, object]] = {
    "list_audit_entries": {"operation": "create_order"},
    "get_audit_seal": {},
}
