"""One valid request for each operation of pay."""

EXAMPLES: dict[str, dict[str, object]] = {
    "adjust_pay": {"payee_kind": "driver", "payee_id": "$driver_id", "amount_minor": 5000, "reason": "Bonus"},
    "correct_earning": {"earning_id": 1, "amount_minor": 0, "reason": "It did not happen."},
    "end_pay_rate": {"rate_id": 1, "last_day": "2026-12-31"},
    "get_pay_statement": {"week_of": "2026-06-10", "payee_kind": "driver", "payee_id": "$driver_id"},
    "list_earnings": {"date_from": "2026-06-01"},
    "list_pay_rates": {"payee_kind": "driver"},
    "set_pay_rate": {"payee_kind": "driver", "valid_from": "2026-06-01", "per_stop_minor": 250, "per_km_minor": 40},
}
