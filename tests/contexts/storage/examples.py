"""A valid request for each operation on storage."""

from typing import Any

from haulier.contexts.documents.files.contract import EXAMPLE_PNG_BASE64

BOX: dict[str, Any] = {"weight_g": 12_000, "length_mm": 600, "width_mm": 400, "height_mm": 400}
WISH: dict[str, Any] = {
    "service_code": "boxes",
    "packages": [{**BOX, "quantity": 2}],
    "start_date": "2090-03-01",
    "days": 30,
}
TARIFF: dict[str, Any] = {
    "service_code": "boxes",
    "name": "Boxes",
    "tiers": [{"from_day": 1, "price_minor": 50}, {"from_day": 31, "price_minor": 80}],
}
PALLETS = {**TARIFF, "service_code": "pallets", "name": "Pallets", "unit": "cubic_metre", "interval": "month"}
PHOTO = {"content": EXAMPLE_PNG_BASE64, "media_type": "image/png"}

PRICING = {"base_minor": 700, "per_piece_minor": 300, "tax_basis_points": 1000}
HOME = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA", "postal_code": "M5V 2T6"}
SENT: dict[str, Any] = {"service_code": "demo-send", "parcels": [{"package_ids": ["$free_package_id"]}]}

EXAMPLES: dict[str, dict[str, object]] = {
    "get_storage_order_config": {},
    "list_storage_tariffs": {},
    "set_storage_tariff": {**PALLETS, "free_days": 7, "minimum_minor": 2500},
    "quote_storage_order": WISH,
    "create_storage_order": {"storage": WISH, "order_ref": "S-1", "note": "Keep dry"},
    "list_storage_orders": {"status": "pending"},
    "get_storage_order": {"storage_order_id": "$storage_order_id"},
    "pay_storage_order": {"storage_order_id": "$storage_order_id"},
    "cancel_storage_order": {"storage_order_id": "$storage_order_id"},
    "list_customer_storage_orders": {"customer_id": "$customer_id"},
    "get_storage_overview": {"customer_id": "$customer_id"},
    "get_customer_storage_order": {"storage_order_id": "$storage_order_id"},
    "confirm_storage_order": {"storage_order_id": "$storage_order_id"},
    "receive_stored_packages": {
        "storage_order_id": "$storage_order_id",
        "packages": [{**BOX, "location_id": "$location_id", "description": "Winter tyres", "reference": "BOX-1"}],
    },
    "close_storage_order": {"storage_order_id": "$storage_order_id"},
    "list_stored_packages": {"state": "stored"},
    "list_customer_packages": {"customer_id": "$customer_id"},
    "add_package_photo": {"package_id": "$package_id", **PHOTO},
    "return_stored_package": {"package_id": "$package_id"},
    "list_shipout_services": {},
    "estimate_shipout": {**SENT, "consignee": {"country": "CA"}},
    "create_shipout": {**SENT, "consignee": HOME, "shipout_ref": "OUT-1"},
    "list_shipouts": {"status": "pending"},
    "get_shipout": {"shipout_id": "$shipout_id"},
    "pay_shipout": {"shipout_id": "$shipout_id"},
    "cancel_shipout": {"shipout_id": "$shipout_id"},
    "list_customer_shipouts": {"customer_id": "$customer_id"},
    "get_customer_shipout": {"shipout_id": "$shipout_id"},
    "confirm_shipout": {"shipout_id": "$shipout_id"},
    "ship_shipout": {"shipout_id": "$shipout_id"},
}
