"""Valid requests for each operation on orders, batches, quotes and return reasons."""

ADDRESS: dict[str, object] = {"name": "Ada Lovelace", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}
ORDER: dict[str, object] = {"consignee": ADDRESS, "order_ref": "A-1", "scheduled_date": "2026-06-10"}
REASON: dict[str, object] = {"texts": {"en": "Nobody home"}, "otep_reason": "recipient_absent"}
RATE_CARD: dict[str, object] = {
    "zones": [{"code": "local", "up_to_m": 10_000, "base": 799}],
    "services": [{"code": "standard", "name": "Standard", "percent": 100}],
}

EXAMPLES: dict[str, dict[str, object]] = {
    "list_uncharged_orders": {"customer_id": "$customer_id"},
    "charge_delivered_orders": {"order_ids": ["$order_id"]},
    "create_order": ORDER,
    "reroute_to_address": {"order_id": "$order_id", "address": ADDRESS},
    "correct_order": {
        "order_id": "$order_id",
        "consignee": {"phone": "+14165550100"},
        "packages": [{"weight_g": 1200, "quantity": 2}],
        "cod_minor": 2500,
        "skills": ["tail_lift"],
    },
    "undo_delivery": {"order_id": "$order_id", "reason": "The driver pressed the wrong stop."},
    "update_goods_at": {
        "order_id": "$order_id",
        "goods_at": {
            "place": {"address": "9 Bay St", "city": "Toronto", "country": "CA", "lat": 43.66, "lng": -79.39},
            "name": "Ada Lovelace",
        },
        "reason": "A neighbor called.",
    },
    "reschedule_orders": {
        "order_ids": ["$order_id"],
        "order_refs": ["A-1"],
        "scheduled_date": "2026-06-11",
        "window_start": "2026-06-11T09:00:00-04:00",
        "window_end": "2026-06-11T11:00:00-04:00",
        "reason": "The customer called.",
    },
    "correct_address": {
        "order_id": "$order_id",
        "place": {"address": "102 Queen St W", "city": "Toronto", "country": "CA"},
        "reason": "The house number was wrong.",
    },
    "request_redelivery": {"order_id": "$order_id", "scheduled_date": "2026-06-11", "reason": "Somebody is there."},
    "return_order": {"order_id": "$order_id", "reason": "The recipient has moved away."},
    "get_redelivery_policy": {},
    "set_redelivery_policy": {"max_attempts": 4},
    "get_orders": {"status": "NEW_ORDER"},
    "export_orders": {"status": "NEW_ORDER"},
    "list_exceptions": {"kinds": ["late", "held"]},
    "list_piece_exceptions": {"kind": "piece_missing"},
    "update_piece_exception": {
        "exception_id": "$exception_id",
        "resolved": True,
        "resolution": "found",
        "note": "It was in the van.",
    },
    "get_order_detail": {"order_id": "$order_id"},
    "find_order": {"query": "A-1"},
    "order_snapshot": {"order_id": "$order_id"},
    "print_local_label": {"order_id": "$order_id"},
    "update_order_custom_fields": {"order_id": "$order_id", "custom_fields": {}},
    "update_order_note": {"order_id": "$order_id", "note": "Call before."},
    "update_delivery_instruction": {"order_id": "$order_id", "delivery_instruction": "Second gate."},
    "update_time_window_by_refs": {
        "order_refs": ["A-1"],
        "window_start": "2026-06-10T09:00:00-04:00",
        "window_end": "2026-06-10T11:00:00-04:00",
    },
    "cancel_order": {"order_id": "$order_id", "reason": "Ordered twice."},
    "hold_order": {"order_id": "$order_id", "reason": "Waits for payment."},
    "release_order": {"order_id": "$order_id"},
    "hold_orders": {"order_ids": ["$order_id"], "reason": "The road is closed."},
    "release_orders": {"order_ids": ["$order_id"]},
    "bulk_create_orders": {"orders": [ORDER]},
    "bulk_create_orders_async": {"orders": [ORDER]},
    "get_async_batch_result": {"id": "$id"},
    "cancel_async_batch": {"id": "$id"},
    "get_rate_card": {},
    "quote_delivery": {"consignee": {"postal_code": "M5V 2T6"}, "weight_g": 1200},
    "set_rate_card": {"rate_card": RATE_CARD},
    "add_return_reason": {**REASON, "code": "nobody_home"},
    "change_return_reason": {**REASON, "reason_id": "$reason_id"},
    "list_return_reasons": {},
    "list_unplaced_orders": {},
    "place_order": {"order_id": "$order_id", "lat": 43.65, "lng": -79.38},
    "locate_order": {"order_id": "$order_id"},
}
