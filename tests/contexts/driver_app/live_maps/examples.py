"""One valid request for each operation of live maps."""

EXAMPLES: dict[str, dict[str, object]] = {
    "get_delivery_position": {"access": "hldelivery_9rWZ0l2WcQm1nO7vXyZ"},
}
