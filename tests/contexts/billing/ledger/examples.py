"""One valid request for each operation of the ledger."""

EXAMPLES: dict[str, dict[str, object]] = {
    "adjust_credit": {
        "customer_id": "$customer_id",
        "amount_minor": 250,
        "reference": "Complaint 88",
        "reason": "The parcel came late.",
    },
    "get_account_credits": {},
    "get_credit_statement": {"customer_id": "$customer_id", "date_from": "2026-06-01"},
    "list_customer_credits": {"owing": False},
    "list_ledger_accounts": {"kind": "wallet"},
    "list_ledger_transfers": {"kind": "top_up"},
    "refund_charge": {"transfer_id": "$transfer_id", "reference": "Complaint 88", "reason": "Never used."},
    "set_credit_limit": {"customer_id": "$customer_id", "limit_minor": 10000},
}
