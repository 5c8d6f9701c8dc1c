"""One valid request for each operation on invoice runs."""

EXAMPLES: dict[str, dict[str, object]] = {
    "preview_invoice_run": {"cycle": "month"},
    "start_invoice_run": {"customer_ids": ["$customer_id"], "until": "2031-01-31"},
    "list_invoice_runs": {},
    "get_invoice_run": {"invoice_run_id": "$invoice_run_id"},
    "list_invoice_run_customers": {"invoice_run_id": "$invoice_run_id"},
    "cancel_invoice_run": {"invoice_run_id": "$invoice_run_id"},
    "retry_invoice_run": {"invoice_run_id": "$invoice_run_id"},
    "send_invoice_run": {"invoice_run_id": "$invoice_run_id"},
}
