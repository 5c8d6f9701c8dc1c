"""Signatures of webhooks, version 2 of ours: the scheme of Standard Webhooks 1.0, which has verifiers in every language.

The headers `webhook-id`, `webhook-timestamp` (seconds since 1970) and `webhook-signature` go with each request. A signature is
`v1,` and the base64 of an HMAC-SHA256 over `id.timestamp.body`; while a secret is being replaced there are two, with a space
between. The key is the base64 text after `whsec_`. (standardwebhooks.com, specification 1.0.0; docs/decisions/0019)
"""

import hmac
import secrets
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum

from haulier.kernel.operations.errors import declare_error

WEBHOOK_SECRET_UNUSABLE = declare_error("webhook_secret_unusable", 422, fields=("secret",))

SECRET_PREFIX = "whsec_"
SIGNATURE_VERSION = "v1"
KEY_BYTES = 32
MIN_KEY_BYTES, MAX_KEY_BYTES = 16, 64
TOLERANCE_S = 300
"""Seconds. A request whose time is further from now is refused, so that a recorded one cannot be replayed later."""
ID_HEADER, TIMESTAMP_HEADER, SIGNATURE_HEADER = "webhook-id", "webhook-timestamp", "webhook-signature"


class SignatureVerification(StrEnum):
    """The result of verifying a signature."""

    VALID = "valid"
    TOO_OLD = "too_old"
    TOO_NEW = "too_new"
    MALFORMED = "malformed"
    MISMATCH = "mismatch"


def generate_webhook_secret() -> str:
    """A secret of 256 random bits."""
    return SECRET_PREFIX + b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def decode_secret_key(secret: str) -> bytes | None:
    """The bytes of a secret; None for a text that is no secret."""
    try:
        key = b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except (NotBase64, ValueError):
        return None
    return key if MIN_KEY_BYTES <= len(key) <= MAX_KEY_BYTES else None


def signature_headers(message_id: str, at: datetime, body: bytes, keys: Iterable[bytes]) -> dict[str, str]:
    """The headers that go with a body that is sent now, signed with each of the keys."""
    seconds = str(int(at.timestamp()))
    return {
        ID_HEADER: message_id,
        TIMESTAMP_HEADER: seconds,
        SIGNATURE_HEADER: " ".join(_sign_payload(message_id, seconds, body, key) for key in keys),
    }


def _sign_payload(message_id: str, seconds: str, body: bytes, key: bytes) -> str:
    signed = b".".join((message_id.encode(), seconds.encode(), body))
    return f"{SIGNATURE_VERSION},{b64encode(hmac.digest(key, signed, 'sha256')).decode()}"


def verify_signature(
    headers: Mapping[str, str], body: bytes, key: bytes, now: datetime, tolerance_s: int = TOLERANCE_S
) -> SignatureVerification:
    """Verify a request by its headers, its body byte for byte, the receiver's key and the receiver's clock."""
    seconds = headers[TIMESTAMP_HEADER]
    if not (seconds.isascii() and seconds.isdecimal() and len(seconds) <= 12):
        return SignatureVerification.MALFORMED
    signatures = [part for part in headers[SIGNATURE_HEADER].split(" ") if part.startswith(f"{SIGNATURE_VERSION},")]
    if not signatures:
        return SignatureVerification.MALFORMED
    expected = _sign_payload(headers[ID_HEADER], seconds, body, key).encode()
    if not any(hmac.compare_digest(signature.encode(), expected) for signature in signatures):
        return SignatureVerification.MISMATCH
    age = now.timestamp() - int(seconds)
    if abs(age) > tolerance_s:
        return SignatureVerification.TOO_OLD if age > 0 else SignatureVerification.TOO_NEW
    return SignatureVerification.VALID
