"""A valid request for each operation of the luggage relay."""

from typing import Any

from tests.invariants.dry_run_steps import PHOTO

TARIFF: dict[str, Any] = {"base_minor": 1000, "per_piece_minor": 500, "tax_basis_points": 1300, "tax_name": "HST"}
SERVICE: dict[str, Any] = {"code": "city-bags", "kind": "luggage", "name": "Bags in the city", "pricing": TARIFF}
HOTEL: dict[str, Any] = {
    "kind": "hotel",
    "name": "Hotel Victoria",
    "address": "56 Yonge St",
    "city": "Toronto",
    "country": "CA",
    "postal_code": "M5E 1G5",
    "lat": 43.648,
    "lng": -79.378,
}
TRAVELLER: dict[str, Any] = {"name": "Ada", "email": "traveller@example.com"}
TIMES: dict[str, Any] = {
    "drop_from": "2090-06-10T14:00:00Z",
    "drop_until": "2090-06-10T16:00:00Z",
    "pick_from": "2090-06-10T20:00:00Z",
}
WISH: dict[str, Any] = {
    "service_code": "city-bags",
    "bags": [{"size": "m", "description": "Blue, with a red ribbon"}, {"size": "s"}],
    "origin": {"kind": "locker", "site_id": "$site_id"},
    "destination": HOTEL,
}
BOOKING: dict[str, Any] = {"luggage_id": "$luggage_id"}
CLAIM: dict[str, Any] = {"luggage_claim_id": "$luggage_claim_id"}

EXAMPLES: dict[str, dict[str, object]] = {
    "quote_luggage": WISH,
    "book_luggage": {
        **WISH,
        **TIMES,
        "traveller": TRAVELLER,
        "travel_reference": "AC 871",
        "customer_id": "$customer_id",
    },
    "list_luggage_bookings": {"status": "in_transit"},
    "get_luggage_booking": BOOKING,
    "update_luggage_booking": {**BOOKING, "note": "Ring at the side door"},
    "pay_luggage_booking": {"luggage_id": "$unpaid_luggage_id"},
    "cancel_luggage_booking": {"luggage_id": "$unpaid_luggage_id"},
    "hand_over_luggage": {**BOOKING, "step": "load", "tags": ["B7K39QX2M"]},
    "renew_luggage_codes": {"luggage_id": "$arrived_luggage_id"},
    "assign_luggage_driver": {**BOOKING, "driver_id": "$driver_id"},
    "report_luggage_bag": {**BOOKING, "tag": "B7K39QX2M", "fault": "damaged", "note": "A wheel is broken"},
    "extend_luggage_pickup": {"luggage_id": "$arrived_luggage_id", "until": "2090-06-14T18:00:00Z"},
    "add_luggage_photo": {**BOOKING, "tag": "B7K39QX2M", "photo": PHOTO},
    "file_luggage_claim": {**BOOKING, "kind": "damaged", "tag": "B7K39QX2M", "note": "Two wheels are broken"},
    "list_luggage_claims": {"status": "open"},
    "get_luggage_claim": CLAIM,
    "withdraw_luggage_claim": CLAIM,
    "settle_luggage_claim": {**CLAIM, "outcome": "accept", "amount_minor": 500, "reason": "Photo shows the damage"},
    "get_luggage_settings": {},
    "set_luggage_settings": {"free_cancel_hours": 48, "liability_minor": 150000},
    "get_luggage_report": {"date_from": "2026-06-01", "date_to": "2026-06-30", "by": "service"},
}
