"""A valid request for each operation on lockers and their devices."""

from typing import Any

PLACE = {"lat": 43.645, "lng": -79.38}
SITE: dict[str, Any] = {"name": "Union Station, hall B", "address": "65 Front St W", **PLACE}
LAYOUT = [{"size": "s", "count": 2}, {"size": "m", "count": 1, "low": True}]
FRAME: dict[str, Any] = {"credential": "hldevice_0123456789", "sequence": 900}
ADA = {"name": "Ada", "email": "ada@example.com"}

SCANNER: dict[str, Any] = {"product_code": "scanner-2d", "name": "Hand scanner 2D", "price_minor": 24900}
TABLET: dict[str, Any] = {"product_code": "tablet-8", "name": "Tablet 8", "kind": "tablet", "price_minor": 39900}
WORKSHOP = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA", "postal_code": "M5V 2T6"}
SCANNERS = [{"product_code": "scanner-2d", "quantity": 2}]

EXAMPLES: dict[str, dict[str, object]] = {
    "create_locker_site": {**SITE, "opening_hours": "Mo-Su 06:00-23:00", "accessibility": ["step_free"]},
    "update_locker_site": {"site_id": "$site_id", "access_notes": "Behind the ticket office"},
    "get_locker_site": {"site_id": "$site_id"},
    "list_locker_sites": {},
    "find_locker_sites": {**PLACE, "size": "m"},
    "find_pickup_points": {**PLACE, "size": "m"},
    "add_locker_cabinet": {"site_id": "$site_id", "code": "B", "layout": LAYOUT},
    "update_locker_cabinet": {"cabinet_id": "$cabinet_id", "retired": False},
    "list_locker_boxes": {"site_id": "$site_id"},
    "update_locker_box": {"box_id": "$box_id", "state": "disabled", "fault": "hinge is bent"},
    "create_device": {"name": "Union Station, right", "serial": "CAB-00018"},
    "list_devices": {"kind": "cabinet"},
    "get_device": {"device_id": "$cabinet_device_id"},
    "update_device": {"device_id": "$cabinet_device_id", "firmware_channel": "beta"},
    "renew_device_code": {"device_id": "$cabinet_device_id"},
    "revoke_device": {"device_id": "$cabinet_device_id"},
    "decommission_device": {"device_id": "$cabinet_device_id"},
    "send_device_command": {"device_id": "$cabinet_device_id", "command": "config", "settings": {"volume": "7"}},
    "list_device_commands": {"device_id": "$cabinet_device_id"},
    "register_device": {"code": "hldevcode_0123456789", "serial": "CAB-00017"},
    "report_device_state": {**FRAME, "sent_at": "2026-06-10T14:00:00Z", "doors": [{"box": 1, "open": False}]},
    "open_device_channel": {"credential": "hldevice_0123456789"},
    "list_device_readings": {"device_id": "$cabinet_device_id", "since": "2026-06-10T00:00:00Z"},
    "poll_device_commands": {"credential": "hldevice_0123456789"},
    "report_device_command": {**FRAME, "command_id": "$command_id", "outcome": "acknowledged"},
    "present_locker_code": {**FRAME, "code": "04715528"},
    "reserve_locker_box": {"site_id": "$site_id", "order_id": "$order_id"},
    "list_locker_parcels": {"status": "reserved"},
    "get_locker_parcel": {"locker_parcel_id": "$locker_parcel_id"},
    "extend_locker_parcel": {"locker_parcel_id": "$locker_parcel_id", "until": "2090-06-01T12:00:00Z"},
    "cancel_locker_reservation": {"locker_parcel_id": "$locker_parcel_id", "reason": "came back"},
    "renew_locker_code": {"locker_parcel_id": "$deposited_parcel_id"},
    "deposit_locker_parcel": {"locker_parcel_id": "$locker_parcel_id"},
    "retrieve_locker_parcel": {"locker_parcel_id": "$deposited_parcel_id"},
    "open_locker_box": {"box_id": "$box_id", "reason": "The code does not work"},
    "otep_client_locker_storage": {"expiring_hours": 48},
    "deliver_to_locker": {"order_id": "$locker_order_id", "site_id": "$site_id", "if_full": "address"},
    "get_locker_delivery": {"order_id": "$locker_order_id"},
    "list_locker_deliveries": {"status": "planned"},
    "cancel_locker_delivery": {"order_id": "$locker_order_id"},
    "set_device_product": {**SCANNER, "description": "Reads codes from labels and screens", "lead_days": 2},
    "list_device_products": {"kind": "scanner"},
    "get_device_product": {"product_code": "scanner-2d"},
    "change_device_stock": {"product_code": "scanner-2d", "change": 20, "reason": "Delivery 17"},
    "quote_device_order": {"items": SCANNERS},
    "create_device_order": {
        "items": SCANNERS,
        "consignee": WORKSHOP,
        "customer_id": "$customer_id",
        "order_ref": "HW-1001",
    },
    "list_device_orders": {"status": "draft"},
    "get_device_order": {"device_order_id": "$device_order_id"},
    "update_device_order": {"device_order_id": "$device_order_id", "note": "Deliver to the back door"},
    "confirm_device_order": {"device_order_id": "$device_order_id"},
    "pay_device_order": {"device_order_id": "$confirmed_device_order_id"},
    "cancel_device_order": {"device_order_id": "$device_order_id"},
    "ship_device_order": {
        "device_order_id": "$paid_device_order_id",
        "devices": [{"product_code": "scanner-2d", "serial": serial} for serial in ("SCN-1", "SCN-2")],
        "carrier": "UPS",
        "tracking_number": "1Z999AA10123456784",
    },
    "deliver_device_order": {"device_order_id": "$sent_device_order_id"},
    "activate_ordered_device": {"device_order_id": "$sent_device_order_id", "serial": "SCN-93"},
    "request_device_return": {
        "device_order_id": "$sent_device_order_id",
        "serials": ["SCN-93"],
        "reason": "defective",
        "note": "The trigger is stuck",
    },
    "list_device_returns": {"status": "requested"},
    "get_device_return": {"device_return_id": "$device_return_id"},
    "cancel_device_return": {"device_return_id": "$device_return_id"},
    "receive_device_return": {"device_return_id": "$device_return_id", "restock": True},
    "settle_device_return": {"device_return_id": "$received_return_id", "outcome": "refund", "amount_minor": 20000},
    "drop_off_at_locker": {"order_id": "$drop_off_order_id", "site_id": "$site_id"},
    "cancel_locker_drop_off": {"order_id": "$drop_off_order_id"},
    "create_locker_screen": {"site_id": "$site_id", "name": "Hall B, left of the cabinets"},
    "list_locker_screens": {"site_id": "$site_id"},
    "end_locker_screen": {"screen_id": "$screen_id"},
    "create_courier_code": {"site_id": "$site_id", "hours": 8},
    "show_locker_screen": {"screen_key": "hlscreen_0123456789"},
    "enter_locker_code": {"screen_key": "hlscreen_0123456789", "code": "04715528"},
}
