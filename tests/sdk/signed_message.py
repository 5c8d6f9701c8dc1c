"""A webhook message, signed as the server signs."""

from datetime import UTC, datetime

from haulier.contexts.integrations.webhooks.rules import decode_secret_key, signature_headers

BODY = b'{"event":"order.created","data":{"order":{"order_ref":"W-\xc3\xa9"}}}'
SENT = datetime(2026, 11, 30, 12, tzinfo=UTC)
NOW = SENT.timestamp() + 10


def signed(*secrets: str) -> dict[str, str]:
    keys = [key for each in secrets if (key := decode_secret_key(each))]
    return signature_headers("msg_1", SENT, BODY, keys)
