"""One valid request for each operation on exchange rates."""

EXCHANGE_RATE: dict[str, object] = {"base_currency": "EUR", "quote_currency": "CAD", "rate": "1.52"}
DAILY_CSV = "Date, USD, CAD,\n27 November 2026, 1.0856, 1.5203,\n"
EXAMPLES: dict[str, dict[str, object]] = {
    "list_exchange_rates": {"quote_currency": "CAD"},
    "set_exchange_rate": {**EXCHANGE_RATE, "quote_currency": "USD", "rate": "1.09"},
    "delete_exchange_rate": {"exchange_rate_id": "$exchange_rate_id"},
    "import_exchange_rates": {"content": DAILY_CSV},
    "convert_amount": {"amount_minor": 10_000, "from_currency": "EUR", "to_currency": "CAD"},
    "get_exchange_rate_settings": {},
    "set_exchange_rate_settings": {"max_age_days": 10},
}
