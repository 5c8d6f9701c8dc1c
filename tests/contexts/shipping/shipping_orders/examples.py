"""One valid request for each operation on shipping orders."""

HOME = {
    "name": "Ada Lovelace",
    "address": "100 Queen St W",
    "city": "Toronto",
    "country": "CA",
    "postal_code": "M5H 2N2",
}

EXAMPLES: dict[str, dict[str, object]] = {
    "list_shipping_services": {"kind": "parcel"},
    "get_shipping_service_config": {"service_code": "demo"},
    "estimate_shipping_order": {
        "service_code": "demo",
        "consignee": {"country": "CA", "postal_code": "M5H 2N2"},
        "packages": [{"weight_g": 2000, "quantity": 2}],
        "values": {"lift": True},
    },
    "create_shipping_order": {
        "service_code": "demo",
        "consignee": HOME,
        "packages": [{"weight_g": 2000, "quantity": 2}],
        "values": {"lift": True},
    },
    "list_shipping_orders": {"state": "pending"},
    "get_shipping_order": {"shipping_order_id": "$shipping_order_id"},
    "pay_shipping_order": {"shipping_order_id": "$shipping_order_id"},
    "cancel_shipping_order": {"shipping_order_id": "$shipping_order_id"},
    "list_customers_shipping_orders": {"paid": False},
    "get_customers_shipping_order": {"shipping_order_id": "$shipping_order_id"},
    "confirm_shipping_order": {"shipping_order_id": "$shipping_order_id"},
    "move_shipping_order": {"shipping_order_id": "$shipping_order_id", "state": "completed"},
    "cancel_customers_shipping_order": {"shipping_order_id": "$shipping_order_id", "reason": "No truck is free."},
}
