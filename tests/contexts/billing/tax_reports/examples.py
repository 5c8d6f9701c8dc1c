"""One valid request for each operation on tax reports."""

EXAMPLES: dict[str, dict[str, object]] = {"get_tax_report": {"date_from": "2026-01-01", "date_to": "2026-12-31"}}
