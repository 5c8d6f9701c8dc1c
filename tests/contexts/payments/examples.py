"""A valid request for each operation of payments."""

from typing import Any

CREDENTIALS = {"publishable_key": "pk_test_1", "secret_key": "sk_test_1", "signing_secret": "whsec_1"}
ACCOUNT: dict[str, Any] = {"provider": "STRIPE", "credentials": CREDENTIALS, "test_mode": True}
NOTICE = '{"id": "evt_1", "object": "event", "type": "charge.updated", "created": 1, "data": {"object": {}}}'

EXAMPLES: dict[str, dict[str, object]] = {
    "get_payment_account": {},
    "set_payment_account": ACCOUNT,
    "test_payment_account": {},
    "create_payment": {"purpose": "top_up", "amount_minor": 5000},
    "list_payments": {"status": "succeeded"},
    "get_payment": {"payment_id": "$payment_id"},
    "get_payment_secret": {"payment_id": "$payment_id"},
    "cancel_payment": {"payment_id": "$payment_id"},
    "start_linked_shop_payment": {"link": "hlshop_0123456789"},
    "create_payment_link": {"purpose": "luggage", "subject_id": "$unpaid_luggage_id"},
    "get_payment_link": {"link": "hlpay_0123456789"},
    "start_linked_payment": {"link": "hlpay_0123456789"},
    "refund_payment": {"payment_id": "$payment_id", "reference": "Complaint 88", "reason": "The order was cancelled."},
    "receive_payment_event": {"endpoint_key": "$endpoint_key"},
}
