"""A valid request for each operation on the audit trail."""

EXAMPLES: dict[str, dict[str, object]] = {"get_order_audit_timeline": {"order_id": "$order_id"}}
