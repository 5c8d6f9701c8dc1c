"""A valid request for each operation on lockers and their devices."""

from typing import Any

PLACE = {"lat": 43.645, "lng": -79.38}
SITE: dict[str, Any] = {"name": "Union Station, hall B", "address": "65 Front St W", **PLACE}
LAYOUT = [{"size": "s", "count": 2}, {"size": "m", "count": 1, "low": True}]
FRAME: dict[str, Any] = {"credential": "hldevice_0123456789", "sequence": 900}
ADA = {"name": "Ada", "email": "ada@example.com"}

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
}
