"""Signatures of webhooks, version 2 of ours: the scheme of Standard Webhooks 1.0, which has verifiers in every language.

The headers `webhook-id`, `webhook-timestamp` (seconds since 1970) and `webhook-signature` go with each request. A signature is
`v1,` and the base64 of an HMAC-SHA256 over `id.timestamp.body`; while a secret is being replaced there are two, with a space
between. The key is what stands in base64 after `whsec_`. (standardwebhooks.com, specification 1.0.0)
"""

import hmac
import secrets
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum

from haulier.kernel.errors import problem

WEBHOOK_SECRET_UNUSABLE = problem("webhook_secret_unusable", 422)

PREFIX = "whsec_"
VERSION = "v1"
KEY_BYTES = 32
KEY_MIN_BYTES, KEY_MAX_BYTES = 16, 64
TOLERANCE_S = 300
"""A request whose time is further from now is refused: whoever recorded it cannot send it again later."""
ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"


class Standing(StrEnum):
    """What is to be said of a signature."""

    VALID = "valid"
    TOO_OLD = "too_old"
    TOO_NEW = "too_new"
    MALFORMED = "malformed"
    MISMATCH = "mismatch"


def new_secret() -> str:
    """A secret of 256 random bits."""
    return PREFIX + b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def key_of(secret: str) -> bytes | None:
    """The bytes of a secret; None for what is none."""
    try:
        key = b64decode(secret.removeprefix(PREFIX), validate=True)
    except (NotBase64, ValueError):
        return None
    return key if KEY_MIN_BYTES <= len(key) <= KEY_MAX_BYTES else None


def headers(message_id: str, at: datetime, body: bytes, keys: Iterable[bytes]) -> dict[str, str]:
    """The headers that go with a body that is sent now, signed with each of the keys."""
    seconds = str(int(at.timestamp()))
    return {ID: message_id, TIMESTAMP: seconds, SIGNATURE: " ".join(_sign(message_id, seconds, body, k) for k in keys)}


def _sign(message_id: str, seconds: str, body: bytes, key: bytes) -> str:
    signed = b".".join((message_id.encode(), seconds.encode(), body))
    return f"{VERSION},{b64encode(hmac.digest(key, signed, 'sha256')).decode()}"


def judge(told: Mapping[str, str], body: bytes, key: bytes, now: datetime, tolerance_s: int = TOLERANCE_S) -> Standing:
    """What is to be said of a request: its headers, its body as it came, the receiver's key, and the receiver's clock."""
    seconds = told[TIMESTAMP]
    if not (seconds.isascii() and seconds.isdecimal() and len(seconds) <= 12):
        return Standing.MALFORMED
    given = [each for each in told[SIGNATURE].split(" ") if each.startswith(f"{VERSION},")]
    if not given:
        return Standing.MALFORMED
    ours = _sign(told[ID], seconds, body, key).encode()
    if not any(hmac.compare_digest(each.encode(), ours) for each in given):
        return Standing.MISMATCH
    age = now.timestamp() - int(seconds)
    if abs(age) > tolerance_s:
        return Standing.TOO_OLD if age > 0 else Standing.TOO_NEW
    return Standing.VALID
