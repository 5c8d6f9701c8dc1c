"""A valid request for each operation of the locker shop."""

from typing import Any

from tests.invariants.dry_run_steps import PHOTO

TEA: dict[str, Any] = {
    "code": "TEA-1",
    "name": "Earl Grey, tin",
    "shelf_price_minor": 850,
    "tax_name": "HST",
    "tax_basis_points": 1300,
}
PRODUCT: dict[str, Any] = {"shop_product_id": "$shop_product_id"}
PURCHASE: dict[str, Any] = {"shop_purchase_id": "$shop_purchase_id"}
WANTED: dict[str, Any] = {"site_id": "$site_id", **PRODUCT}
OPENS: dict[str, Any] = {"link": "hlshop_0123456789"}
FRAME: dict[str, Any] = {"credential": "hldevice_0123456789", "sequence": 901}

EXAMPLES: dict[str, dict[str, object]] = {
    "create_shop_product": {**TEA, "code": "TEA-2", "shelf_days": 90},
    "update_shop_product": {**PRODUCT, "shelf_price_minor": 900},
    "list_shop_products": {"search": "earl"},
    "get_shop_product": PRODUCT,
    "set_shop_picture": {**PRODUCT, "picture": PHOTO},
    "get_shop_picture": {"clientCode": "demo", **PRODUCT},
    "list_shop_offers": {"clientCode": "demo", "site_id": "$site_id"},
    "get_shop_settings": {},
    "set_shop_settings": {"walk_in_customer_id": "$walk_in_customer_id", "reserve_min": 10},
    "create_restock_task": {**WANTED, "quantity": 6, "due_on": "2026-06-12", "note": "From shelf 4"},
    "list_restock_tasks": {"status": "open"},
    "restock_shop_box": {"restock_task_id": "$restock_task_id", "expires_on": "2090-06-30"},
    "cancel_restock_task": {"restock_task_id": "$restock_task_id"},
    "list_shop_items": {"expiring_days": 2},
    "withdraw_shop_item": {"shop_item_id": "$shop_item_id"},
    "put_shop_item_on_sale": {"shop_item_id": "$blocked_item_id"},
    "reserve_shop_item": WANTED,
    "buy_reserved_shop_item": {"shop_purchase_id": "$reserved_purchase_id"},
    "cancel_shop_purchase": {"shop_purchase_id": "$reserved_purchase_id"},
    "renew_shop_code": PURCHASE,
    "list_shop_purchases": {"status": "ready"},
    "get_shop_purchase": PURCHASE,
    "refund_shop_purchase": {**PURCHASE, "reason": "The tin was dented"},
    "get_shop_sales": {"date_from": "2026-06-01", "date_to": "2026-06-30", "by": "product"},
    "reserve_shop_item_as_guest": {"clientCode": "demo", **WANTED, "email": "guest@example.com"},
    "reserve_shop_item_at_cabinet": {**FRAME, **PRODUCT},
    "get_linked_shop_purchase": OPENS,
    "cancel_linked_shop_purchase": OPENS,
    "renew_linked_shop_code": OPENS,
}
