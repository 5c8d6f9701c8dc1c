"""A valid request for each operation on carrier accounts, rates and labels."""

from typing import Any

HERE = {"name": "Shop", "address": "1 Front St", "city": "Toronto", "country": "CA"}
ADA = {"name": "Ada", "address": "100 Queen St W", "city": "Ottawa", "country": "CA"}
SHIPMENT: dict[str, Any] = {"shipper": HERE, "consignee": ADA, "packages": [{"weight_g": 900}]}
TARIFF: dict[str, Any] = {
    "services": [{"code": "ground", "name": "Ground"}],
    "zones": [{"code": "city", "steps": [{"up_to_g": 30_000, "amount": 900}]}],
}
LABEL_TEXT = """UPS GROUND
Tracking #: 1Z999AA10123456784

FROM:
Shop Inc
1 Front St
Toronto ON M5J 2X7

SHIP TO:
Ada Lovelace
100 Queen St W
Toronto ON M5H 2N2
CANADA
"""

PRESET: dict[str, object] = {"name": "Medium box", "length_mm": 400, "width_mm": 300, "height_mm": 200}
RULE: dict[str, object] = {
    "name": "Small parcels",
    "conditions": {"countries": ["CA"], "weight_to_g": 5000},
    "outcome": {"signature_required": True},
}

EXAMPLES: dict[str, dict[str, object]] = {
    "list_package_presets": {},
    "get_package_preset": {"package_preset_id": "$package_preset_id"},
    "create_package_preset": PRESET,
    "update_package_preset": {"package_preset_id": "$package_preset_id", "empty_weight_g": 300},
    "delete_package_preset": {"package_preset_id": "$package_preset_id"},
    "list_shipping_rules": {},
    "get_shipping_rule": {"shipping_rule_id": "$shipping_rule_id"},
    "create_shipping_rule": RULE,
    "update_shipping_rule": {"shipping_rule_id": "$shipping_rule_id", "enabled": False},
    "delete_shipping_rule": {"shipping_rule_id": "$shipping_rule_id"},
    "reorder_shipping_rules": {"rule_ids": ["$shipping_rule_id"]},
    "test_shipping_rules": {"order_id": "$order_id"},
    "dry_run_shipping_rules": {"days": 7},
    "list_shipping_rule_log": {},
    "list_carrier_kinds": {},
    "list_carrier_accounts": {},
    "get_carrier_account": {"account_id": "$account_id"},
    "open_carrier_account": {"carrier": "HOUSE", "name": "Second van", "sender": HERE},
    "update_carrier_account": {"account_id": "$account_id", "markup_basis_points": 500},
    "close_carrier_account": {"account_id": "$account_id"},
    "test_carrier_account": {"account_id": "$account_id"},
    "get_carrier_tariff": {"account_id": "$account_id"},
    "set_carrier_tariff": {"account_id": "$account_id", "tariff": TARIFF},
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
    "rate_order": {"order_id": "$order_id"},
    "ship_order": {"order_id": "$order_id"},
    "ship_orders": {"order_ids": ["$order_id"]},
    "list_ship_queue": {"country": "CA"},
    "list_ship_jobs": {},
    "get_ship_job": {"ship_job_id": "$ship_job_id"},
    "uniorder_rate": {**SHIPMENT, "quote_labels": True},
    "uniorder_rate_batch": {"shipments": [{**SHIPMENT, "quote_labels": True, "reference": "R-1"}]},
    "uniorder_rate_batch_async": {"shipments": [{**SHIPMENT, "reference": "R-1"}]},
    "uniorder_create": {"order": SHIPMENT},
    "uniorder_create_batch": {"orders": [{"order": SHIPMENT}]},
    "uniorder_create_batch_async": {"orders": [{"order": SHIPMENT, "order_ref": "J-1"}]},
    "uniorder_purchase_label": {"orderId": "$unbought_uniorder_id"},
    "uniorder_get": {"orderId": "$uniorder_id"},
    "list_uniorders": {"kind": "local"},
    "uniorder_label": {"orderId": "$uniorder_id", "format": "zpl"},
    "uniorder_tracking": {"orderId": "$uniorder_id"},
    "uniorder_cancel": {"orderId": "$uniorder_id"},
    "list_uniorder_jobs": {"purpose": "rate"},
    "uniorder_job": {"jobId": "$uniorder_job_id"},
    "cancel_uniorder_job": {"jobId": "$uniorder_job_id"},
    "parse_label": {"text": LABEL_TEXT},
    "get_label_parse": {"parse_id": "$parse_id"},
    "list_label_parses": {"state": "read"},
    "accept_label_parse": {"parse_id": "$parse_id", "reviewed": True, "order_ref": "L-1", "consignee": ADA},
    "delete_label_parse": {"parse_id": "$parse_id"},
}
