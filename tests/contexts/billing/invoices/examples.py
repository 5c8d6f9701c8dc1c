"""One valid request for each operation on invoices."""

from typing import Any

SETTINGS: dict[str, Any] = {
    "issuer_lines": ["1 Dock Road", "Toronto ON"],
    "tax_name": "HST",
    "tax_rate_bp": 1300,
    "payment_terms_days": 14,
    "payment_instructions": "Account 123",
    "dunning": [{"days_overdue": 7}, {"days_overdue": 14, "fee_minor": 500}, {"days_overdue": 30, "fee_minor": 900}],
}
EXAMPLES: dict[str, dict[str, object]] = {
    "get_charging_policy": {},
    "set_charging_policy": {"deliveries": "on_delivery"},
    "get_invoicing_settings": {},
    "set_invoicing_settings": SETTINGS,
    "get_billing_terms": {"customer_id": "$customer_id"},
    "set_billing_terms": {"customer_id": "$customer_id", "period": "month", "address_lines": ["10 King St W"]},
    "list_invoices": {"status": "open"},
    "get_invoice": {"invoice_id": "$invoice_id"},
    "get_invoice_file": {"invoice_id": "$invoice_id"},
    "issue_invoice": {"customer_id": "$customer_id"},
    "record_invoice_payment": {"invoice_id": "$invoice_id", "amount_minor": 100, "reference": "Transfer 815"},
    "void_invoice": {"invoice_id": "$invoice_id", "reason": "Made out to the wrong name."},
    "credit_invoice": {"invoice_id": "$invoice_id", "amount_minor": 100, "reason": "Two parcels came late."},
    "send_invoice": {"invoice_id": "$invoice_id"},
    "send_invoice_reminder": {"invoice_id": "$invoice_id"},
    "set_invoice_reminders": {"invoice_id": "$invoice_id", "enabled": False},
}
