"""A valid request for each operation on carrier accounts, rates and labels."""

from typing import Any

HERE = {"name": "Shop", "address": "1 Front St", "city": "Toronto", "country": "CA"}
ADA = {"name": "Ada", "address": "100 Queen St W", "city": "Ottawa", "country": "CA"}
SHIPMENT: dict[str, Any] = {"shipper": HERE, "consignee": ADA, "packages": [{"weight_g": 900}]}
TARIFF: dict[str, Any] = {
    "services": [{"code": "ground", "name": "Ground"}],
    "zones": [{"code": "city", "steps": [{"up_to_g": 30_000, "amount": 900}]}],
}

EXAMPLES: dict[str, dict[str, object]] = {
    "list_carrier_kinds": {},
    "list_carrier_accounts": {},
    "get_carrier_account": {"account_id": "$account_id"},
    "open_carrier_account": {"carrier": "HOUSE", "name": "Second van", "sender": HERE},
    "update_carrier_account": {"account_id": "$account_id", "markup_basis_points": 500},
    "close_carrier_account": {"account_id": "$account_id"},
    "test_carrier_account": {"account_id": "$account_id"},
    "get_house_tariff": {"account_id": "$account_id"},
    "set_house_tariff": {"account_id": "$account_id", "tariff": TARIFF},
    "get_shipping_methods": {},
    "get_shipping_rate": SHIPMENT,
    "compare_all_carriers": SHIPMENT,
    "create_shipping_label": {"shipment": SHIPMENT, "account_id": "$account_id", "service": "ground"},
    "quote_and_ship": {"shipment": SHIPMENT},
    "submit_shipping_information": {"shipment_id": "$draft_shipment_id", "service": "ground"},
    "get_shipping_detail": {"shipment_id": "$shipment_id"},
    "list_shipments": {"state": "purchased"},
    "cancel_shipping_label": {"shipment_id": "$shipment_id"},
    "download_shipping_label": {"shipment_id": "$shipment_id"},
    "get_shipping_label": {"shipment_id": "$shipment_id"},
    "end_of_day": {},
    "list_shipping_manifests": {},
    "get_shipping_manifest": {"manifest_id": "$manifest_id"},
}
