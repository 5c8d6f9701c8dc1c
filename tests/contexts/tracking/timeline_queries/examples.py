"""A valid request for each operation that reads timelines by the protocol."""

EXAMPLES: dict[str, dict[str, object]] = {
    "otep_tracking": {"tracking_number": "HL7XK2M9QA", "format": "epcis"},
    "otep_timeline": {"tracking_number": "HL7XK2M9QA"},
    "otep_events": {"tracking_number": "HL7XK2M9QA", "order": "recorded", "limit": 100},
    "otep_trackings_batch": {"tracking_numbers": ["HL7XK2M9QA"], "format": "otep"},
    "otep_client_tracking": {"tracking_number": "HL7XK2M9QA"},
}
