"""A valid request for each operation on timelines."""

EXAMPLES: dict[str, dict[str, object]] = {
    "track_package": {"number": "HL7XK2M9QA"},
    "get_operation_events": {"tracking_numbers": ["HL7XK2M9QA"], "since": "2026-06-10T00:00:00Z"},
}
