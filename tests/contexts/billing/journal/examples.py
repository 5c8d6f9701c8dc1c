"""One valid request for each operation on the accounting journal."""

EXAMPLES: dict[str, dict[str, object]] = {
    "list_journal_entries": {"date_from": "2026-01-01", "date_to": "2026-12-31"},
    "get_journal_settings": {},
    "set_journal_settings": {
        "accounts": [{"account": "bank", "number": "1200"}],
        "tax_accounts": [{"name": "HST", "rate_bp": 1300, "number": "1776"}],
    },
    "close_journal_period": {"closed_until": "2026-01-31"},
}
