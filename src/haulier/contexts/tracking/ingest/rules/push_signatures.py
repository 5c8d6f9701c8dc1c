"""How carriers and aggregators sign what they push, as each of them documents it.

EasyPost: `X-Hmac-Signature: hmac-sha256-hex=…`, over the body. ShipEngine: an RSA signature in base64 over the time, a full
stop and the body. Shippo: `Shippo-Auth-Signature: t=…,v1=…`, an HMAC in hexadecimal over the same. AfterShip:
`aftership-hmac-sha256`, an HMAC of the body in base64. UPS signs nothing: the header `credential` carries the provider's key.
"""

import hashlib
import hmac
import unicodedata
from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta

from haulier.contexts.tracking.ports import KeySetVerifier
from haulier.kernel.operations.errors import declare_error

PUSH_SIGNATURE_WRONG = declare_error("push_signature_wrong", 401)
CLOCK_TOLERANCE = timedelta(minutes=5)
"""How far the time of a signature may be from ours, either way: what is older may be somebody's copy."""
_HMAC_PREFIX = "hmac-sha256-hex="


def is_signed_by_secret(secret: str, signature: str, document: bytes) -> bool:
    """Whether a push of EasyPost bears the signature of a secret."""
    # Why normalised: EasyPost's own clients do so before they sign.
    key = unicodedata.normalize("NFKD", secret).encode()
    expected = _HMAC_PREFIX + hmac.new(key, document, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.strip().encode())


def is_signed_by_shippo(secret: str, signature: str, document: bytes, now: datetime) -> bool:
    """Return True if a push has a signature that Shippo made with a secret a moment ago."""
    pairs = [part.strip().partition("=") for part in signature.split(",")]
    parts = {name: value for name, _, value in pairs}
    try:
        at = datetime.fromtimestamp(int(parts["t"]), UTC)
    except (KeyError, ValueError, OverflowError, OSError):
        return False
    expected = hmac.new(secret.encode(), parts["t"].encode() + b"." + document, hashlib.sha256).hexdigest()
    is_recent = abs(now - at) <= CLOCK_TOLERANCE
    return is_recent and hmac.compare_digest(expected.encode(), parts.get("v1", "").lower().encode())


def is_signed_by_aftership(secret: str, signature: str, document: bytes) -> bool:
    """Return True if a push has AfterShip's signature with a secret."""
    expected = b64encode(hmac.new(secret.encode(), document, hashlib.sha256).digest())
    return hmac.compare_digest(expected, signature.strip().encode())


def is_signed_by_key_set(
    verifier: KeySetVerifier, key_set: str, key_id: str, signature: str, signed_at: str, document: bytes, now: datetime
) -> bool:
    """Whether a push of ShipEngine was signed a moment ago, with a key of its set."""
    try:
        at, raw = datetime.fromisoformat(signed_at), b64decode(signature, validate=True)
    except ValueError:
        return False
    if at.tzinfo is None or abs(now - at) > CLOCK_TOLERANCE:
        return False
    return verifier.is_signed(key_set, key_id, raw, f"{signed_at}.".encode() + document)
