"""A valid request for each operation of order chats."""

from tests.invariants.dry_run_steps import PHOTO

ACCESS = {"access": "hldelivery_0123456789abcdef"}
SENTENCE = {"code": "dock", "texts": {"en": "The dock is behind the building."}, "roles": ["driver"]}
BROWSER = {
    "kind": "web",
    "address": "https://push.example/send/kq3Nw0tyVHo",
    "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "auth": "BTBZMqHH6r4Tts7J_aSIgg",
}

EXAMPLES: dict[str, dict[str, object]] = {
    "list_order_chats": {"unread": True},
    "get_order_chat": {"order_id": "$order_id"},
    "list_chat_messages": {"order_id": "$order_id", "limit": 20},
    "send_chat_message": {"order_id": "$order_id", "text": "Which door is it?"},
    "send_chat_photo": {"order_id": "$order_id", **PHOTO},
    "mark_chat_read": {"order_id": "$order_id", "read_up_to": "$message_id"},
    "mute_order_chat": {"order_id": "$order_id", "until": "2026-06-10T20:00:00-04:00"},
    "report_chat_message": {"order_id": "$order_id", "message_id": "$message_id", "reason": "abuse"},
    "open_chat_channel": {"order_id": "$order_id"},
    "open_delivery_chat_channel": {**ACCESS},
    "list_chat_reports": {"status": "open"},
    "resolve_chat_report": {"report_id": "$report_id", "hide": True},
    "block_chat_role": {"order_id": "$order_id", "role": "customer", "blocked": True},
    "get_chat_settings": {},
    "set_chat_settings": {"grace_hours": 48, "quick_replies": [SENTENCE]},
    "get_delivery_chat": {**ACCESS},
    "send_delivery_chat_message": {**ACCESS, "quick_reply": "leave_at_the_door"},
    "send_delivery_chat_photo": {**ACCESS, **PHOTO},
    "mark_delivery_chat_read": {**ACCESS, "read_up_to": "$message_id"},
    "report_delivery_chat_message": {**ACCESS, "message_id": "$message_id", "reason": "privacy"},
    "get_delivery_chat_photo": {**ACCESS, "message_id": "$message_id"},
    "register_push_device": {**BROWSER, "name": "My phone"},
    "list_push_devices": {},
    "remove_push_device": {"device_id": "$push_device_id"},
    "register_delivery_push_device": {**ACCESS, **BROWSER},
    "list_delivery_push_devices": {**ACCESS},
    "remove_delivery_push_device": {**ACCESS, "device_id": "$push_device_id"},
}
