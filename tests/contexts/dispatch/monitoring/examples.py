"""One valid request for each operation of monitoring."""

EXAMPLES: dict[str, dict[str, object]] = {
    "dispatch_drivers": {"contractor_id": "$contractor_id", "silent_after_min": 15},
    "dispatch_progress": {"day": "2026-03-02", "late_after_min": 30},
    "dispatch_exceptions": {"day": "2026-03-02", "kind": "late", "off_route_m": 3000},
    "dispatch_changes": {"day": "2026-03-02", "limit": 50},
}
