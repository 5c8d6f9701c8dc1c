"""One valid request for each operation of messages to recipients."""

EXAMPLES: dict[str, dict[str, object]] = {
    "get_recipient_messages": {},
    "set_recipient_messages": {
        "accepted": "email",
        "scheduled": "email",
        "out_for_delivery": "email_or_sms",
        "stops_before": "sms",
        "missed": "both",
        "delivered": "email",
        "returned": "email",
        "cancelled": "email",
        "stops": 3,
        "quiet_from": "21:00",
        "quiet_until": "08:00",
    },
    "get_customer_recipient_messages": {"customer_id": "$customer_id"},
    "set_customer_recipient_messages": {"customer_id": "$customer_id", "accepted": "none", "stops": 5},
    "preview_recipient_messages": {"language": "fr"},
    "set_recipient_message_text": {
        "message": "delivered",
        "language": "en",
        "subject": "Your parcel from {sender} was delivered",
        "text": "Hello {name},\n\nyour parcel from {sender} was delivered.\n\n{link}",
        "sms": "Your parcel from {sender} was delivered: {link}",
    },
    "list_order_messages": {"order_id": "$order_id"},
}
