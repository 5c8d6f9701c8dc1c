"""One valid request for each operation on services."""

from typing import Any

FORM: list[dict[str, Any]] = [
    {"name": "lift", "label": "Is there a lift?", "labels": {"fr": "Y a-t-il un ascenseur ?"}, "type": "boolean"},
    {
        "name": "floor",
        "label": "Which floor?",
        "type": "integer",
        "minimum": 0,
        "maximum": 40,
        "visible_when": [{"field": "lift", "one_of": [False]}],
        "required": True,
    },
]
PRICING: dict[str, Any] = {
    "base_minor": 1000,
    "per_piece_minor": 250,
    "options": [{"field": "floor", "amount_minor": 300}],
    "surcharges": [{"code": "fuel", "name": "Fuel", "basis_points": 800}],
    "tax_name": "HST",
    "tax_basis_points": 1300,
}
TERMS: dict[str, Any] = {"name": "Same day in the city", "form": FORM, "pricing": PRICING}

EXAMPLES: dict[str, dict[str, object]] = {
    "list_services": {"kind": "parcel"},
    "get_service": {"service_id": "$service_id"},
    "create_service": {"code": "same-day", "kind": "parcel", **TERMS},
    "update_service": {"service_id": "$service_id", **TERMS, "enabled": False},
    "delete_service": {"service_id": "$service_id"},
    "preview_service_price": {"service_id": "$service_id", "pieces": 2, "values": {"lift": False, "floor": 2}},
}
