"""Example requests of approval operations; existing ids appear as `$name`."""

EXAMPLES: dict[str, dict[str, object]] = {
    "propose_write": {
        "tool": "hold_order",
        "arguments": {"order_id": "$order_id"},
        "note": "The customer asked for it by phone.",
    },
    "list_pending_approvals": {"status": "pending"},
    "get_pending_approval": {"approval_id": "$approval_id"},
    "approve_pending_write": {"approval_id": "$approval_id", "note": "Looks right."},
    "reject_pending_write": {"approval_id": "$approval_id", "reason": "The customer has changed their mind."},
    "approve_pending_writes": {"approval_ids": ["$approval_id"], "note": "Looks right."},
    "reject_pending_writes": {"approval_ids": ["$approval_id"], "reason": "The customer has changed their mind."},
    "withdraw_pending_write": {"approval_id": "$approval_id", "reason": "Proposed by mistake."},
    "renew_pending_write": {"approval_id": "$approval_id"},
    "get_approval_policy": {},
    "set_approval_policy": {"own_allowed": False, "expires_after_h": 48},
}
