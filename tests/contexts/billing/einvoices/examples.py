"""One valid request for each operation on electronic invoices."""

EXAMPLES: dict[str, dict[str, object]] = {"get_invoice_ubl": {"invoice_id": "$invoice_id"}}
