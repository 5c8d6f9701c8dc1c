"""One valid request for each operation of the overview."""

EXAMPLES: dict[str, dict[str, object]] = {
    "daily_digest": {"day": "2026-06-10"},
    "get_orders_summary": {"date_from": "2026-06-01", "date_to": "2026-06-30", "group_by": "customer"},
    "get_orders_insights": {"date_from": "2026-06-01", "date_to": "2026-06-30", "top": 5},
    "get_customer_activity": {"customer_ids": [17]},
    "get_earnings_report": {"date_from": "2026-06-01", "date_to": "2026-06-30", "group_by": "driver"},
}
