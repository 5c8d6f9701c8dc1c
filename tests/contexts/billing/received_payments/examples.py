"""One valid request for each operation on received payments."""

EXAMPLES: dict[str, dict[str, object]] = {
    "allocate_payment": {
        "received_payment_id": "$received_payment_id",
        "allocations": [{"invoice_id": "$invoice_id", "amount_minor": 100}],
    },
    "get_received_payment": {"received_payment_id": "$received_payment_id"},
    "list_received_payments": {"status": "unallocated"},
    "reverse_payment": {"received_payment_id": "$received_payment_id", "reason": "Returned by the bank."},
    "top_up_credit": {"customer_id": "$customer_id", "amount_minor": 5000, "reference": "Transfer 4711"},
    "undo_allocation": {"allocation_id": "$allocation_id"},
}
