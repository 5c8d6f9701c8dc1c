"""A valid request for each operation of test mode."""

EXAMPLES: dict[str, dict[str, object]] = {
    "advance_test_record": {"order_id": "$order_id", "to": "delivered"},
    "reset_test_data": {},
    "load_sample_data": {},
    "remove_sample_data": {},
}
