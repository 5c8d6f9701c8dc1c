"""One valid request for each operation of a recipient's delivery."""

EXAMPLES: dict[str, dict[str, object]] = {
    "get_delivery_notice": {"number": "HLTR16KD5632GCM"},
    "open_delivery": {"number": "HLTR16KD5632GCM", "proof": "M5V 2T6"},
    "get_delivery": {"access": "hldelivery_9rWZ0l2WcQm1nO7vXyZ"},
    "get_order_proof": {"order_id": "$order_id"},
    "get_order_proof_file": {"order_id": "$order_id", "file_id": 7},
    "get_delivery_proof_file": {"access": "hldelivery_9rWZ0l2WcQm1nO7vXyZ", "file_id": 7},
    "find_delivery_windows": {"access": "hldelivery_9rWZ0l2WcQm1nO7vXyZ"},
    "choose_delivery_window": {"access": "hldelivery_9rWZ0l2WcQm1nO7vXyZ", "window_id": 7},
    "rate_delivery": {"access": "hldelivery_9rWZ0l2WcQm1nO7vXyZ", "rating": 5, "comment": "On time and friendly."},
    "set_delivery_instruction": {
        "access": "hldelivery_9rWZ0l2WcQm1nO7vXyZ",
        "instruction": "Behind the blue bin. Gate code 4711#.",
        "neighbour": "Ms Roy, unit 4",
    },
}
