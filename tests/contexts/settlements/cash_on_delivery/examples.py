"""One valid request for each operation of cash on delivery."""

EXAMPLES: dict[str, dict[str, object]] = {
    "get_cod_report": {"group_by": "day", "date_from": "2026-06-01"},
    "hand_in_cash": {"driver_id": "$driver_id", "counted_minor": 0, "reason": "Nothing was taken."},
    "list_cod_entries": {"order_id": "$order_id"},
    "list_driver_cash": {},
    "record_cod_payment": {"order_id": "$order_id", "method": "cash", "amount_minor": 100, "reason": "Came by."},
    "reverse_cod_entry": {"entry_id": 1, "reason": "Typed twice."},
    "write_off_cod": {"order_id": "$order_id", "amount_minor": 100, "reason": "A discount."},
}
