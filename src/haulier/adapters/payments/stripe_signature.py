"""Signature of Stripe events (`Stripe-Signature`).

The format is `t=<seconds>,v1=<hex>`, with the HMAC-SHA256 of the time, a full stop and the body. The header contains several
`v1` values while a secret is being rotated. Other schemes are ignored.
"""

import hashlib
import hmac
from datetime import UTC, datetime, timedelta

from haulier.contexts.payments.ports import NoticeUnsigned

TOLERANCE = timedelta(minutes=5)
"""Maximum difference between the time of a signature and the server's clock, to prevent replays. Stripe signs every retry
with a new time."""


def signature_of(secret: str, body: bytes, at: datetime) -> str:
    """Return the signature header of a body sent at a given time."""
    seconds = int(at.timestamp())
    return f"t={seconds},v1={_digest(secret, body, str(seconds))}"


def require_signature(secret: str, body: bytes, header: str, now: datetime) -> None:
    """Raise `NoticeUnsigned` unless the body has a valid, recent signature."""
    parts = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    if len(times) != 1 or not times[0].isascii() or not times[0].isdecimal() or len(times[0]) > 12:
        raise NoticeUnsigned("no time")
    if abs(now - datetime.fromtimestamp(int(times[0]), UTC)) > TOLERANCE:
        raise NoticeUnsigned("signed at another time")
    expected = _digest(secret, body, times[0]).encode()
    given = [value.encode() for name, _, value in parts if name == "v1"]
    # With an empty secret, anyone could create a valid signature.
    if not secret or not any(hmac.compare_digest(expected, each) for each in given):
        raise NoticeUnsigned("not signed with the secret")


def _digest(secret: str, body: bytes, seconds: str) -> str:
    return hmac.new(secret.encode(), seconds.encode() + b"." + body, hashlib.sha256).hexdigest()
