"""One valid request for each operation on receivables."""

EXAMPLES: dict[str, dict[str, object]] = {"get_receivables": {"customer_id": "$customer_id"}}
