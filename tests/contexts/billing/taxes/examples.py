"""One valid request for each operation on taxes."""

from typing import Any

RATE: dict[str, Any] = {"country": "CA", "region": "ON", "name": "HST", "rate_bp": 1300, "valid_from": "2026-01-01"}
EXEMPTION: dict[str, Any] = {
    "kind": "certificate",
    "certificate_number": "EX-1001",
    "country": "CA",
    "valid_from": "2026-01-01",
}
EXAMPLES: dict[str, dict[str, object]] = {
    "list_tax_rates": {"country": "CA"},
    "create_tax_rate": {**RATE, "region": "QC", "name": "QST"},
    "update_tax_rate": {**RATE, "region": "BC", "tax_rate_id": "$tax_rate_id"},
    "delete_tax_rate": {"tax_rate_id": "$tax_rate_id"},
    "add_initial_tax_rates": {"country": "DE"},
    "list_tax_exemptions": {"customer_id": "$customer_id"},
    "create_tax_exemption": {**EXEMPTION, "country": "DE", "customer_id": "$customer_id"},
    "update_tax_exemption": {
        **EXEMPTION,
        "country": "FR",
        "customer_id": "$customer_id",
        "tax_exemption_id": "$tax_exemption_id",
    },
    "delete_tax_exemption": {"tax_exemption_id": "$tax_exemption_id"},
    "get_tax_settings": {},
    "set_tax_settings": {"country": "CA", "region": "ON"},
    "preview_tax": {"amount_minor": 11300, "customer_id": "$customer_id", "country": "CA", "region": "ON"},
}
