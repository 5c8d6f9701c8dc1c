"""`Stripe-Signature`: `t=<seconds>,v1=<hex>` with HMAC-SHA256 of the time, a full stop and the body, as Stripe documents it.

Several `v1` stand there while a secret is being replaced; schemes other than `v1` are not looked at.
"""

import hashlib
import hmac
from datetime import UTC, datetime, timedelta

from haulier.contexts.payments.ports import NoticeUnsigned

TOLERANCE = timedelta(minutes=5)
"""How far the time of a signature may be from ours: what is older may be somebody's copy. Stripe signs anew whenever it
sends again."""


def signature_of(secret: str, body: bytes, at: datetime) -> str:
    """The header of a body that is sent at a moment."""
    seconds = int(at.timestamp())
    return f"t={seconds},v1={_digest(secret, body, str(seconds))}"


def require_signature(secret: str, body: bytes, header: str, now: datetime) -> None:
    """Raises `NoticeUnsigned` unless the body was signed with the secret a moment ago."""
    parts = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    if len(times) != 1 or not times[0].isascii() or not times[0].isdecimal() or len(times[0]) > 12:
        raise NoticeUnsigned("no time")
    if abs(now - datetime.fromtimestamp(int(times[0]), UTC)) > TOLERANCE:
        raise NoticeUnsigned("signed at another time")
    expected = _digest(secret, body, times[0]).encode()
    given = [value.encode() for name, _, value in parts if name == "v1"]
    # Why no secret is no signature: an empty key would let everybody sign.
    if not secret or not any(hmac.compare_digest(expected, each) for each in given):
        raise NoticeUnsigned("not signed with the secret")


def _digest(secret: str, body: bytes, seconds: str) -> str:
    return hmac.new(secret.encode(), seconds.encode() + b"." + body, hashlib.sha256).hexdigest()
