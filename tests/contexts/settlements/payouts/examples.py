"""One valid request for each operation on payouts."""

EXAMPLES: dict[str, dict[str, object]] = {
    "cancel_payout": {"payout_id": "$payout_id", "reason": "Issued for the wrong week."},
    "close_payouts": {"payout_ids": ["$payout_id"]},
    "create_payouts": {"until": "2026-06-14", "payee_kind": "driver", "payee_id": "$driver_id"},
    "dispute_payout": {"payout_id": "$payout_id", "earning_ids": [1], "reason": "Both parcels were delivered."},
    "get_payout": {"payout_id": "$payout_id"},
    "get_payout_file": {"payout_id": "$payout_id", "format": "csv"},
    "list_payouts": {"status": "open"},
    "pay_payouts": {"payout_ids": ["$payout_id"], "paid_on": "2026-06-15", "payment_reference": "SEPA 2026-23"},
    "preview_payouts": {"until": "2026-06-14"},
    "reopen_payout": {"payout_id": "$payout_id", "reason": "The bank returned the transfer."},
    "resolve_payout_dispute": {
        "payout_id": "$payout_id",
        "earning_ids": [1],
        "amount_minor": 250,
        "answer": "Corrected.",
    },
}
